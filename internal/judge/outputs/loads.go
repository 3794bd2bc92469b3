package outputs

import (
	"fmt"
	"math"
	"strings"

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
		j.say("aborted", Warning, "{n} clients were aborted: the result is of those that were left.", "n", p.Aborted)
	}
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
	if s.Transactions == nil && len(s.Progress) > 0 {
		sum := 0.0
		for _, p := range s.Progress {
			sum += p.TPS
		}
		j.say("progress_only", Info,
			"The report at the end is not in it. The mean of its {n} lines of progress is {tps} "+
				"tps.", "n", len(s.Progress), "tps", number(sum/float64(len(s.Progress))))
	}
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
