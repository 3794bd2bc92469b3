package outputs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
)

const (
	// uneven is how many times its mean a standard deviation is before it is worth a word: of
	// waits that come at random it is as large as the mean.
	uneven = 3
	// pause: the longest took so many times the mean, and longer than a second.
	pauseTimes, pauseLeast = 50, 1000 // ms
	// connecting: more than half of the time was spent on it.
	connecting = 2
)

func (j *judge) pgbench(p *output.Pgbench) {
	begun := p.Clients > 0 || p.Mode != "" || p.Type != "" // a run, whose end may not be there
	if p.Init != nil && p.TPS == nil && p.TPSConnecting == nil && p.Processed == nil && !begun {
		j.say("initialization_only", Info, "This is only the initialization (pgbench -i). No transactions were "+
			"measured.")
	}
	if p.UpdatesBranches() && p.Scale == 1 && p.Clients > 1 {
		j.say("clients_above_scale", Warning, "{clients} clients at scale 1: each transaction updates the only row of "+
			"pgbench_branches, so the clients wait for each other's row locks. Initialize with a scale of at least "+
			"the number of clients (pgbench -i -s {clients}).", "clients", strconv.FormatInt(p.Clients, 10))
	} else if p.UpdatesBranches() && p.Scale > 0 && p.Clients > p.Scale {
		j.say("clients_above_scale", Warning, "{clients} clients at scale {scale}: each transaction updates one of "+
			"{scale} rows of pgbench_branches, so the clients wait for each other's row locks. Initialize with a "+
			"scale of at "+
			"least the number of clients (pgbench -i -s {clients}).", "clients", strconv.FormatInt(p.Clients, 10),
			"scale", p.Scale)
	}
	if in, out := p.TPSConnecting, p.TPS; in != nil && out != nil && *in > 0 && *out > connecting**in || p.Reconnects {
		j.say("mostly_connecting", Warning,
			"Most of the time was spent on connecting (-C connects for each transaction). This run does not show what "+
				"sessions that stay connected would reach. Use a connection pooler.")
	}
	if m, sd := p.Latency.Mean, p.Latency.SD; m != nil && sd != nil && *m > 0 && *sd > uneven**m {
		j.say("uneven", Warning,
			"Latency is uneven: the standard deviation ({sd}) is {times} × the mean ({mean}). Some transactions "+
				"waited long, for example for checkpoints or locks.",
			"sd", digits(*sd), "mean", digits(*m), "times", say.Number(fmt.Sprintf("%.0f", *sd / *m)))
	}
	if p.Failed != nil && *p.Failed > 0 {
		j.add("errors", Warning, say.N(*p.Failed, "{n} transaction failed.", "{n} transactions failed."))
	}
	if p.Aborted > 0 {
		j.aborted(p)
	}
	if p.Lag != nil && p.TPS != nil {
		j.say("rate_limited", Info, "This run had a schedule (--rate). Its {tps} tps are not the maximum that the "+
			"server can reach. On average, transactions started {lag} after their scheduled time.", "tps",
			Rate(*p.TPS), "lag", digits(*p.Lag))
	}
}

// aborted reports how many clients were lost, of how many if that is known, and the first error.
func (j *judge) aborted(p *output.Pgbench) {
	lost := say.N(p.Aborted, "{n} client was aborted.", "{n} clients were aborted.")
	if p.Clients >= int64(p.Aborted) {
		lost = say.N(p.Aborted, "{n} of {all} clients was aborted.", "{n} of {all} clients were aborted.", "all",
			p.Clients)
	}
	var first say.Message
	if len(p.Errors) > 0 {
		first = say.M("The first error: {error}.", "error", strings.TrimSuffix(p.Errors[0], "."))
	}
	j.add("aborted", Warning, say.All(" ", lost, first, say.M("The result covers only the remaining clients.")))
}

// stalled is the part of the usual rate below which an interval counts as a stall.
const stalled = 0.02

// progress reports periods in which almost nothing was done.
func (j *judge) progress(program string, list []measured.Progress) {
	if len(list) < 3 {
		return
	}
	rates := make([]float64, len(list))
	for i, p := range list {
		rates[i] = p.TPS
	}
	slices.Sort(rates)
	usual := rates[len(rates)*3/4] // a run that stalls half of the time has one too
	if usual <= 0 {
		return
	}
	told := 0
	for i := 1; i < len(list); i++ {
		if list[i].TPS > stalled*usual {
			continue
		}
		from, to := list[i-1].At, list[i].At
		least := list[i].TPS
		for i+1 < len(list) && list[i+1].TPS <= stalled*usual {
			i++
			to, least = list[i].At, min(least, list[i].TPS)
		}
		if told++; told > 3 {
			continue
		}
		j.say("stall", Warning, "{program} stalled for {time}, from second {from} to {to}: {tps} tps instead of "+
			"the usual {usual} tps.", "program", program, "time", plain(to-from)+" s", "from", plain(from), "to",
			plain(to),
			"tps",
			Rate(least), "usual", Rate(usual))
	}
	if told > 3 {
		j.add("stalls_more", Warning, say.N(told-3, "The progress lines show {n} more stall.",
			"The progress lines show {n} more stalls."))
	}
}

// plain formats seconds without insignificant digits.
func plain(s float64) say.Number {
	return say.Number(strconv.FormatFloat(math.Round(s*10)/10, 'f', -1, 64))
}

// log reports the interval of a rate whose windows are known.
func (j *judge) log(l *output.Log) {
	if len(l.TPS) < 10 {
		return
	}
	n := float64(len(l.TPS))
	sum, sq := 0.0, 0.0
	for _, v := range l.TPS {
		sum += v
		sq += v * v
	}
	mean := sum / n
	sd := math.Sqrt(max(0, (sq-sum*sum/n)/(n-1)))
	// Student's t for nine degrees of freedom and more is at most 2.26.
	half := 2.26 * sd / math.Sqrt(n)
	j.say("interval", Info,
		"{tps} tps, 95% confidence interval {low} to {high}, from {n} windows of {s} s of this run. "+
			"The interval does not cover the variation between runs.", "tps", Rate(mean),
		"low", Rate(max(0, mean-half)), "high",
		Rate(mean+half), "n", len(l.TPS), "s", l.Window)
}

func (j *judge) sysbench(s *output.Sysbench) {
	if l := s.Latency; l != nil && l.Mean != nil && l.Max != nil && *l.Max > pauseLeast && *l.Max > pauseTimes**l.Mean {
		j.say("pauses", Warning, "The longest transaction took {max}, {times} × the mean: something blocked it, for "+
			"example a checkpoint or a lock.", "max", lasting(*l.Max/1000), "times",
			say.Number(fmt.Sprintf("%.0f", *l.Max / *l.Mean)))
	}
	if s.IgnoredErrors != nil && *s.IgnoredErrors > 0 {
		var per say.Message
		if s.Transactions != nil && *s.Transactions > 0 {
			const least = 0.05 // less is 0.0
			if v := 100 * float64(*s.IgnoredErrors) / float64(*s.Transactions); v >= least {
				per = say.M("That is {rate} per 100 transactions.", "rate", say.Number(fmt.Sprintf("%.1f", v)))
			}
		}
		j.add("errors", Warning, say.All(" ", say.N(*s.IgnoredErrors,
			"{n} error was ignored: the transaction was rolled back and started again, for example after a deadlock "+
				"or a duplicate key.",
			"{n} errors were ignored: transactions were rolled back and started again, for example after deadlocks or "+
				"duplicate keys."), per))
	}
	for _, e := range s.Errors[:min(len(s.Errors), 2)] {
		j.say("failed", Warning, "sysbench failed: {error}", "error", e)
	}
	switch s.Test {
	case "memory":
		j.say("no_database", Info, "This run of sysbench measured only memory, without a database.")
	case "cpu":
		j.say("no_database", Info, "This run of sysbench measured only the CPU, without a database.")
	case "threads":
		j.say("no_database", Info, "This run of sysbench measured only threads, without a database.")
	case "mutex":
		j.say("no_database", Info, "This run of sysbench measured only mutexes, without a database.")
	}
	if s.Transactions == nil && len(s.Progress) > 0 {
		sum, n := 0.0, 0
		for _, p := range s.Progress {
			if p.TPS != nil {
				sum, n = sum+*p.TPS, n+1
			}
		}
		if n > 0 {
			j.add("progress_only", Info, say.N(n,
				"The final report is missing from this output. Its only progress line shows {tps} tps.",
				"The final report is missing from this output. The mean of its {n} progress lines is {tps} tps.", "tps",
				Rate(sum/float64(n))))
		}
	}
	var list []measured.Progress
	for _, p := range s.Progress {
		if p.TPS != nil {
			list = append(list, measured.Progress{At: p.At, TPS: *p.TPS})
		}
	}
	j.progress(output.SysbenchRT, list)
}

// runs reports what one run, or two, cannot show.
func (j *judge) runs(list []output.Output) {
	first, n := -1, 0
	var rates []say.Message
	for i := range list {
		p := list[i].Pgbench
		if p == nil || p.TPS == nil {
			continue
		}
		if first < 0 {
			first = i
		}
		v := *p.TPS
		if p.TPSConnecting != nil && v > connecting**p.TPSConnecting {
			v = *p.TPSConnecting
		}
		n++
		rates = append(rates, say.M("{n}", "n", Rate(v)))
	}
	j.at = max(first, 0)
	switch {
	case n == 1:
		j.say("one_run", Info,
			"A single run does not show how much results vary between runs. Repeat it at least five times, or log the "+
				"transactions (pgbench --log).")
	case n > 1:
		j.say("no_interval", Info,
			"{n} runs with {rates} tps. No confidence interval can be given: these reports do not show how much runs "+
				"with the same configuration vary. Run each configuration at least five times, in alternating order, "+
				"or log the transactions (pgbench --log).", "n", n, "rates", say.List{Items: rates})
	}
}

// digits spells milliseconds with three digits.
func digits(v float64) say.Number {
	switch {
	case v >= 100:
		return Rate(v) + " ms"
	case v >= 10:
		return say.Number(fmt.Sprintf("%.1f ms", v))
	}
	return say.Number(fmt.Sprintf("%.2f ms", v))
}
