package render

import (
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/judge/result"
	"github.com/pgfettle/pgfettle/internal/judge/stat"
)

// repeat is how to do it again.
func (d *resultPage) repeat() {
	r := d.r
	d.gap()
	d.line(d.tint(strong, "To repeat it"))
	d.line("  ", repeatLine(r))
	if r.Workload.Command != "" {
		d.line(d.tint(faint, "  the load alone: "), clean(r.Workload.Command))
	}
	if t, err := time.Parse(time.RFC3339, r.Started); err == nil {
		text := "begun " + t.UTC().Format("2006-01-02 15:04") + " UTC"
		if end, err := time.Parse(time.RFC3339, r.Ended); err == nil {
			text += ", took " + span(end.Sub(t))
		}
		d.line(d.tint(faint, "  "+text+", pgfettle "+clean(r.Program)))
	}
}

// usualWarmup is the bound of the warm-up where nobody says another, in seconds.
const usualWarmup = 300

// repeatLine is a command that runs the same experiment again.
func repeatLine(r *result.Result) string {
	s, e := r.Spec, named(r.Name)
	args := []string{"pgfettle"}
	add := func(flag, value string) { args = append(args, "--"+flag, shellQuote(clean(value))) }
	switch {
	case r.Design == result.Single:
		args = append(args, "bench")
		add("conf", r.A.Name)
		add("runs", strconv.Itoa(s.Blocks))
	case r.Name == AA:
		args = append(args, "prove", "--aa")
		add("a", r.A.Name)
	case e != nil:
		args = append(args, "prove")
		add("experiment", e.Name)
		if e.Kernel {
			args = append(args, "--kernel")
		}
	default:
		args = append(args, "prove")
		add("a", r.A.Name)
		add("b", r.B.Name)
	}
	if e == nil {
		add("workload", r.Workload.Name)
	}
	if !r.Workload.Synthetic { // else it is as large as it is
		add("scale", strconv.Itoa(r.Workload.Scale))
	}
	if r.Design != result.Single {
		add("blocks", strconv.Itoa(s.Blocks))
		add("design", r.Design)
		if e == nil {
			add("metric", r.Metric)
		}
		if s.Margin != stat.Margin {
			add("margin", strconv.FormatFloat(s.Margin, 'f', -1, 64))
		}
	}
	add("clients", strconv.Itoa(s.Clients))
	if s.Cycles > 0 {
		add("checkpoint-cycles", strconv.Itoa(s.Cycles))
	}
	if s.Cycles == 0 || s.Duration > 1 {
		add("duration", strconv.FormatFloat(s.Duration, 'f', -1, 64)+"s")
	}
	if s.Warmup != usualWarmup {
		add("warmup", strconv.FormatFloat(s.Warmup, 'f', -1, 64)+"s")
	}
	if s.Rate > 0 {
		add("rate", strconv.FormatFloat(s.Rate, 'f', -1, 64))
	}
	if s.Count > 0 {
		add("transactions", strconv.Itoa(s.Count))
	}
	if s.Restore == "kept" && r.Workload.Writes || s.Restore == "fresh" && !r.Workload.Writes { // not what is chosen else
		add("restore", s.Restore)
	}
	add("cache", s.Cache)
	add("protocol", s.Protocol)
	add("seed", strconv.FormatUint(s.Seed, 10))
	if major, _, _ := strings.Cut(r.Host.Server, "."); major != "" {
		add("pg", major)
	}
	if r.Workload.Synthetic {
		args = append(args, "TARGET")
	}
	return strings.Join(args, " ")
}
