package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

func (p probeWords) pgbench(o *outline.Outline, x *output.Output) {
	if run := x.Pgbench; run != nil {
		o.Para(p.Word(say.All(", ", pgbenchAbout(run)...)))
		o.Para(p.facts(pgbenchResult(run)))
		p.pgbenchInit(o, run.Init)
		p.pgbenchScripts(o, run.Scripts)
	}
	if n := len(x.Progress); n > 0 {
		low, high := math.Inf(1), 0.0
		for _, at := range x.Progress {
			low, high = min(low, at.TPS), max(high, at.TPS)
		}
		o.Para(p.progress(n, low, high))
	}
}

// pgbenchAbout is how it was run.
func pgbenchAbout(p *output.Pgbench) []say.Message {
	of := []say.Message{say.Text(p.Type)}
	if p.Scale > 0 {
		of = append(of, say.M("scale {scale}", "scale", strconv.FormatInt(p.Scale, 10)))
	}
	if p.Clients > 0 {
		of = append(of, say.N(p.Clients, "{n} client", "{n} clients"))
	}
	of = append(of, threads(p.Threads))
	if p.Mode != "" {
		of = append(of, say.M("query mode {mode}", "mode", p.Mode))
	}
	if p.Duration != nil {
		of = append(of, say.M("{time}", "time", secs(*p.Duration)))
	}
	if n := p.PerClient; n != nil {
		of = append(of, say.N(*n, "{n} transaction per client", "{n} transactions per client"))
	}
	return of
}

// threads is their number; nothing for none.
func threads(n int64) say.Message {
	if n <= 0 {
		return say.Message{}
	}
	return say.N(n, "{n} thread", "{n} threads")
}

func transactions(n int64) say.Message { return say.N(n, "{n} transaction", "{n} transactions") }

// pgbenchResult is the line that counts.
func pgbenchResult(p *output.Pgbench) []say.Message {
	var of []say.Message
	switch in, out := p.TPSConnecting, p.TPS; {
	case out != nil && in != nil:
		of = append(of, say.M("{out} tps without connection time, {in} tps with it", "out", outputs.Rate(*out), "in",
			outputs.Rate(*in)))
	case out != nil:
		of = append(of, say.M("{tps} tps", "tps", outputs.Rate(*out)))
	case in != nil:
		of = append(of, say.M("{tps} tps including connection time", "tps", outputs.Rate(*in)))
	}
	if p.Processed != nil {
		of = append(of, transactions(*p.Processed))
	}
	switch m, sd := p.Latency.Mean, p.Latency.SD; {
	case m == nil:
	case sd == nil:
		of = append(of, say.M("mean latency {mean}", "mean", fineMS(m)))
	default:
		of = append(of, say.M("mean latency {mean} (standard deviation {sd})", "mean", fineMS(m), "sd", fineMS(sd)))
	}
	const long = 1000.0 // milliseconds: then connecting is part of what clients wait for
	if c := p.Connect; c != nil && *c >= long && !p.Reconnects {
		of = append(of, say.M("connecting all clients took {time}", "time", fineMS(c)))
	}
	return of
}

// pgbenchInit is how long pgbench -i took.
func (p probeWords) pgbenchInit(o *outline.Outline, i *output.PgbenchInit) {
	if i == nil {
		return
	}
	var text say.Message
	switch part := i.Done < i.Rows; {
	case part && i.Seconds == nil:
		text = say.N(i.Rows, "Initialization (pgbench -i): {done} of {n} rows",
			"Initialization (pgbench -i): {done} of {n} rows", "done", i.Done)
	case part:
		text = say.N(i.Rows, "Initialization (pgbench -i): {done} of {n} rows in {time}",
			"Initialization (pgbench -i): {done} of {n} rows in {time}", "done", i.Done, "time", told(*i.Seconds))
	case i.Seconds == nil:
		text = say.N(i.Rows, "Initialization (pgbench -i): {n} rows", "Initialization (pgbench -i): {n} rows")
	default:
		text = say.N(i.Rows, "Initialization (pgbench -i): {n} rows in {time}",
			"Initialization (pgbench -i): {n} rows in {time}", "time", told(*i.Seconds))
	}
	of := []say.Message{text}
	if v := i.Generate; v != nil {
		of = append(of, say.M("rows {time}", "time", told(*v)))
	}
	if v := i.Vacuum; v != nil {
		of = append(of, say.M("vacuum {time}", "time", told(*v)))
	}
	if v := i.Keys; v != nil {
		of = append(of, say.M("primary keys {time}", "time", told(*v)))
	}
	o.Para(p.Word(say.All(", ", of...)), ".")
}

// told formats seconds as a program printed them.
func told(s float64) say.Number { return say.Number(fmt.Sprintf("%v s", s)) }

// pgbenchScripts are the scripts of a run, where there are several, and the statements of each.
func (p probeWords) pgbenchScripts(o *outline.Outline, list []measured.Script) {
	rows := [][]string{p.columns("script | weight | tps | latency | standard deviation")}
	for i := range list {
		s := &list[i]
		if len(rows) > shownRows {
			break
		}
		var weight, tps any = "", ""
		if s.Weight != nil {
			weight = strconv.FormatInt(*s.Weight, 10)
		}
		if s.TPS != nil {
			tps = outputs.Rate(*s.TPS)
		}
		rows = append(rows, p.row(typeset.Line(s.Name), weight, tps, fineMS(s.Latency.Mean), fineMS(s.Latency.SD)))
	}
	if len(list) > 1 {
		o.Add(outline.TableOf(p.Say("Scripts"), rows, 1))
	}
	for i := range list {
		p.pgbenchScript(o, &list[i])
	}
}

// pgbenchScript is the statements of a script, by what they took.
func (p probeWords) pgbenchScript(o *outline.Outline, s *measured.Script) {
	rows := [][]string{p.columns("latency | statement")}
	for _, st := range s.Statements {
		if strings.HasPrefix(st.Text, `\`) && st.Latency < 0.1 {
			continue // a command of pgbench itself
		}
		if len(rows) > shownRows {
			break
		}
		rows = append(rows, p.row(fine(st.Latency/1000), typeset.Line(st.Text)))
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf(p.Say("Statements"), rows, 0))
	}
}

// pgbenchLog is what the lines of pgbench --log add up to.
func (p probeWords) pgbenchLog(o *outline.Outline, l *output.Log) {
	mean, most := fine(l.Mean/1000), fine(l.Max/1000)
	if l.P50 == 0 {
		o.Para(p.Word(say.N(l.Transactions,
			"{n} transaction in {time}, in intervals of {window}; mean latency {mean}, maximum {max}.",
			"{n} transactions in {time}, in intervals of {window}; mean latency {mean}, maximum {max}.",
			"time", secs(l.Seconds), "window", secs(l.Window), "mean", mean, "max", most)))
		return
	}
	o.Para(p.Word(say.N(l.Transactions,
		"{n} transaction in {time}; latency: mean {mean}, p50 {p50}, p95 {p95}, p99 {p99}, maximum {max}.",
		"{n} transactions in {time}; latency: mean {mean}, p50 {p50}, p95 {p95}, p99 {p99}, maximum {max}.",
		"time", secs(l.Seconds), "mean", mean, "p50", fine(l.P50/1000), "p95", fine(l.P95/1000), "p99",
		fine(l.P99/1000), "max", most)))
	if l.Failed+l.Skipped > 0 {
		o.Para(p.Say("{failed} transactions failed, {skipped} were skipped.", "failed", l.Failed, "skipped", l.Skipped))
	}
}
