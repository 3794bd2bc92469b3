package outputs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
	if p.Init != nil && p.TPS == nil && p.TPSConnecting == nil && p.Processed == nil {
		j.say("initialization_only", Info, "This is only the initialization (pgbench -i). No transactions were "+
			"measured.")
	}
	if p.UpdatesBranches() && p.Scale > 0 && p.Clients > p.Scale {
		j.say("clients_above_scale", Warning, "{clients} clients at scale {scale}: each transaction updates one of "+
			"{scale} rows of pgbench_branches, so the clients wait for each other's row locks. Initialize with a "+
			"scale of at "+
			"least the number of clients (pgbench -i -s {clients}).", "clients", p.Clients, "scale", p.Scale)
	}
	if in, out := p.TPSConnecting, p.TPS; in != nil && out != nil && *in > 0 && *out > connecting**in || p.Reconnects {
		j.say("mostly_connecting", Warning,
			"Most of the time went into connecting (-C connects for each transaction). "+
				"What a session without that would reach is not measured by it; use a connection pooler.")
	}
	if m, sd := p.Latency.Mean, p.Latency.SD; m != nil && sd != nil && *m > 0 && *sd > uneven**m {
		j.say("uneven", Warning,
			"The latencies are uneven: their standard deviation ({sd} ms) is {times} times their mean "+
				"({mean} ms). Single transactions waited long, for checkpoints or locks for example.",
			"sd", digits(*sd), "mean", digits(*m), "times", fmt.Sprintf("%.0f", *sd / *m))
	}
	if p.Failed != nil && *p.Failed > 0 {
		j.say("errors", Warning, "{n} transactions failed.", "n", *p.Failed)
	}
	if p.Aborted > 0 {
		n, first := strconv.Itoa(p.Aborted), ""
		if p.Clients >= int64(p.Aborted) {
			n += " of " + strconv.FormatInt(p.Clients, 10)
		}
		if len(p.Errors) > 0 {
			first = " (" + p.Errors[0] + ")"
		}
		j.say("aborted", Warning, "{n} clients were aborted{error}. The result covers only the remaining clients.",
			"n", n, "error", first)
	}
	if p.Lag != nil && p.TPS != nil {
		j.say("rate_limited", Info, "This run had a schedule (--rate). Its {tps} tps are not the maximum that the "+
			"server can reach. On average, transactions started {lag} ms after their scheduled time.", "tps",
			number(*p.TPS), "lag", digits(*p.Lag))
	}
}

// stalled is the part of the usual rate below which an interval counts as a stall.
const stalled = 0.02

// progress tells of times in which next to nothing was done.
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
		j.say("stall", Warning, "{program} stalled for {n} s, from {from} s to {to} s: {tps} tps, where {usual} tps "+
			"are usual.", "program", program, "n", plain(to-from), "from", plain(from), "to", plain(to), "tps",
			number(least), "usual", number(usual))
	}
	if told > 3 {
		j.say("stalls_more", Warning, "{n} more stalls are in the lines of progress.", "n", told-3)
	}
}

// plain spells seconds without digits that tell nothing.
func plain(s float64) string {
	return strconv.FormatFloat(math.Round(s*10)/10, 'f', -1, 64)
}

// log tells the interval of a rate whose windows are known.
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
			"What other runs would differ by is not in it.", "tps", number(mean),
		"low", number(max(0, mean-half)), "high",
		number(mean+half), "n", len(l.TPS), "s", l.Window)
}

func (j *judge) sysbench(s *output.Sysbench) {
	if l := s.Latency; l != nil && l.Mean != nil && l.Max != nil && *l.Max > pauseLeast && *l.Max > pauseTimes**l.Mean {
		j.say("pauses", Warning, "The longest transaction took {max}, {times} times the mean: something paused, a "+
			"checkpoint or a lock for example.", "max", lasting(*l.Max/1000), "times",
			fmt.Sprintf("%.0f", *l.Max / *l.Mean))
	}
	if s.IgnoredErrors != nil && *s.IgnoredErrors > 0 {
		per := ""
		if s.Transactions != nil && *s.Transactions > 0 {
			per = fmt.Sprintf(" (%.1f for each 100 transactions)",
				100*float64(*s.IgnoredErrors)/float64(*s.Transactions))
		}
		j.say("errors", Warning, "{n} errors were ignored{per}: transactions were rolled back and begun again, after "+
			"deadlocks or duplicate keys.", "n", *s.IgnoredErrors, "per", per)
	}
	for _, e := range s.Errors[:min(len(s.Errors), 2)] {
		j.say("failed", Warning, "sysbench failed: {error}", "error", e)
	}
	if what := map[string]string{"memory": "memory", "cpu": "the CPU", "threads": "threads",
		"mutex": "mutexes"}[s.Test]; what != "" {
		j.say("no_database", Info, "This run of sysbench measured {what} only, without a database.", "what", what)
	}
	if s.Transactions == nil && len(s.Progress) > 0 {
		sum, n := 0.0, 0
		for _, p := range s.Progress {
			if p.TPS != nil {
				sum, n = sum+*p.TPS, n+1
			}
		}
		if n > 0 {
			j.say("progress_only", Info,
				"The report at the end is not in it. The mean of its {n} lines of progress is {tps} "+
					"tps.", "n", n, "tps", number(sum/float64(n)))
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

// runs says what one run, or two, cannot tell.
func (j *judge) runs(list []output.Output) {
	first, n := -1, 0
	var rates []string
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
		rates = append(rates, number(v))
	}
	j.at = max(first, 0)
	switch {
	case n == 1:
		j.say("one_run", Info,
			"One run is one number: how far the next run would differ is not in it. Repeat it at least "+
				"five times, or log the transactions (pgbench --log).")
	case n > 1:
		j.say("no_interval", Info,
			"{n} runs with {rates} tps. No confidence interval can be given: each report is one "+
				"number, and how much runs of the same kind differ is not in it. Repeat each at least five times in "+
				"turn, or log the "+
				"transactions (pgbench --log).", "n", n, "rates", strings.Join(rates, ", "))
	}
}

// digits spells milliseconds with three digits.
func digits(v float64) string {
	switch {
	case v >= 100:
		return number(v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
