package reports

import (
	"fmt"
	"math"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

func (p probeWords) sysbench(o *outline.Outline, s *output.Sysbench) {
	about := []say.Message{say.Text(s.Test), threads(s.Threads)}
	if s.BlockSize > 0 {
		about = append(about, say.M("blocks of {size}", "size", s.BlockSize))
	}
	if f := s.Files; f != nil && f.Size > 0 {
		if f.Count > 0 {
			about = append(about, say.N(f.Count, "{n} file with {size}", "{n} files with {size} in total",
				"size", f.Size))
		} else {
			about = append(about, say.M("files with {size} in total", "size", f.Size))
		}
	}
	if s.Seconds > 0 {
		about = append(about, say.M("{time}", "time", say.Number(fmt.Sprintf("%.1f s", s.Seconds))))
	}
	o.Para(p.Word(say.All(", ", about...)))
	o.Para(p.facts(append(sysbenchRates(s), sysbenchLatency(s.Latency)...)))
	if n, low, high := sysbenchRange(s, func(x *output.SysbenchPoint) *float64 { return x.TPS }); n > 0 {
		o.Para(p.progress(n, low, high))
	}
	if n, low, high := sysbenchRange(s, func(x *output.SysbenchPoint) *float64 { return x.Events }); n > 0 {
		o.Para(p.Many(n, "Progress: {n} lines, {low} to {high} events per second.",
			"Progress: {n} lines, {low} to {high} events per second.", "low", outputs.Rate(low), "high",
			outputs.Rate(high)))
	}
}

// sysbenchFiles is what the lines of progress of a test of files say, where its report is not there.
func sysbenchFiles(s *output.Sysbench) (of []say.Message) {
	between := func(get func(*output.SysbenchPoint) *float64) (say.Number, bool) {
		n, low, high := sysbenchRange(s, get)
		if n == 0 || high == 0 {
			return "", false
		}
		if a, b := outputs.Rate(low), outputs.Rate(high); a != b {
			return a + "–" + b, true
		}
		return outputs.Rate(low), true
	}
	if s.ReadSpeed == nil {
		if v, ok := between(func(x *output.SysbenchPoint) *float64 { return x.ReadSpeed }); ok {
			of = append(of, say.M("{speed} read", "speed", v+" MiB/s"))
		}
	}
	if s.WriteSpeed == nil {
		if v, ok := between(func(x *output.SysbenchPoint) *float64 { return x.WriteSpeed }); ok {
			of = append(of, say.M("{speed} written", "speed", v+" MiB/s"))
		}
	}
	if s.Fsyncs == nil {
		if v, ok := between(func(x *output.SysbenchPoint) *float64 { return x.Fsyncs }); ok {
			of = append(of, say.M("{rate} fsyncs per second", "rate", v))
		}
	}
	return of
}

func sysbenchRange(s *output.Sysbench, of func(*output.SysbenchPoint) *float64) (n int, low, high float64) {
	low = math.Inf(1)
	for i := range s.Progress {
		if v := of(&s.Progress[i]); v != nil {
			low, high, n = min(low, *v), max(high, *v), n+1
		}
	}
	return n, low, high
}

// sysbenchRates is what the run reached.
func sysbenchRates(s *output.Sysbench) (of []say.Message) {
	if s.TPS != nil {
		of = append(of, say.M("{tps} tps", "tps", outputs.Rate(*s.TPS)))
	}
	if s.Transactions != nil {
		of = append(of, transactions(*s.Transactions))
	}
	if s.QPS != nil {
		of = append(of, say.M("{rate} queries per second", "rate", outputs.Rate(*s.QPS)))
	}
	if s.Transactions == nil && s.Rate != nil {
		of = append(of, say.M("{rate} events per second", "rate", outputs.Rate(*s.Rate)))
	}
	if s.ReadRate != nil || s.WriteRate != nil {
		var reads, writes float64
		if s.ReadRate != nil {
			reads = *s.ReadRate
		}
		if s.WriteRate != nil {
			writes = *s.WriteRate
		}
		of = append(of, say.M("{reads} reads and {writes} writes per second", "reads", outputs.Rate(reads), "writes",
			outputs.Rate(writes)))
	}
	if v := s.ReadSpeed; v != nil && *v > 0 {
		of = append(of, say.M("{speed} read", "speed", outputs.Rate(*v)+" MiB/s"))
	}
	if v := s.WriteSpeed; v != nil && *v > 0 {
		of = append(of, say.M("{speed} written", "speed", outputs.Rate(*v)+" MiB/s"))
	}
	if v := s.Moved; v != nil && *v > 0 {
		of = append(of, say.M("{speed} moved", "speed", outputs.Rate(*v)+" MiB/s"))
	}
	if s.Fsyncs != nil {
		of = append(of, say.M("{rate} fsyncs per second", "rate", outputs.Rate(*s.Fsyncs)))
	}
	return append(of, sysbenchFiles(s)...)
}

func sysbenchLatency(l *output.SysbenchLatency) (of []say.Message) {
	if l == nil {
		return nil
	}
	if l.Mean != nil {
		of = append(of, say.M("mean latency {mean}", "mean", hundredths(*l.Mean)))
	}
	if l.At != nil && l.Percentile > 0 {
		of = append(of, say.M("p{percentile} {time}", "percentile", say.Number(fmt.Sprint(l.Percentile)), "time",
			hundredths(*l.At)))
	}
	if l.Max != nil {
		of = append(of, say.M("maximum {time}", "time", hundredths(*l.Max)))
	}
	return of
}

// hundredths spells a time of sysbench, which prints hundredths of a millisecond: 0.00 is less than
// that, and not nothing.
func hundredths(ms float64) any {
	if ms == 0 {
		return say.M("below {time}", "time", say.Number("0.01 ms"))
	}
	return fine(ms / 1000)
}
