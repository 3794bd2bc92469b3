package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/result"
	"github.com/pgfettle/pgfettle/internal/judge/stat"
)

// surroundings are where it was measured, and what else went on.
func (d *resultPage) surroundings() {
	d.gap()
	d.line(d.tint(strong, "Measured on"))
	for _, l := range measuredOn(d.r) {
		d.para("  ", plain, l)
	}
	if said := worstOf(d.r); said != "" {
		d.para("  ", faint, said)
	}
}

// measuredOn is the host, the programs, and the load.
func measuredOn(r *result.Result) []string {
	host := clean(r.Host.Line)
	if host != "" {
		host += ", "
	}
	load := fmt.Sprintf("%s at scale %d", clean(r.Workload.Name), r.Workload.Scale)
	if r.Workload.Synthetic {
		load = clean(r.Workload.Name)
	}
	if r.Workload.Bytes > 0 {
		load += fmt.Sprintf(" (%s before the first run)", unit.Bytes(r.Workload.Bytes))
	}
	return []string{
		fmt.Sprintf("%s%s, %s of memory, Linux %s", host, count(r.Host.CPUs, "CPU", "CPUs"), unit.Bytes(r.Host.Memory), clean(r.Host.Kernel)),
		fmt.Sprintf("PostgreSQL %s, %s", clean(r.Host.Server), orUnknown(r.Host.Pgbench, "pgbench of unknown version")),
		load + "; " + specWords(r),
	}
}

// worstOf is what else went on, over all runs; "" where nothing is known of it.
func worstOf(r *result.Result) string {
	type worst struct {
		name, unit string
		of         func(e result.Environment) stat.Number
	}
	var said []string
	for _, g := range []worst{
		{"steal", " %", func(e result.Environment) stat.Number { return e.Steal }},
		{"CPU taken by other programs", " %", func(e result.Environment) stat.Number { return e.Foreign }},
		{"waiting for CPU", " %", func(e result.Environment) stat.Number { return e.PSICPU }},
		{"waiting for the disk", " %", func(e result.Environment) stat.Number { return e.PSIIO }},
		{"all stalled on memory", " %", func(e result.Environment) stat.Number { return e.PSIMemory }},
		{"fixed CPU work", " ms", func(e result.Environment) stat.Number { return e.CanaryCPU }},
		{"fixed fsyncs", " ms", func(e result.Environment) stat.Number { return e.CanarySync }},
	} {
		var all []float64
		for i := range r.Blocks {
			for _, run := range r.Blocks[i].Runs {
				if v := g.of(run.Environment); v.Known() {
					all = append(all, float64(v))
				}
			}
		}
		if len(all) > 0 {
			said = append(said, g.name+" "+between(slices.Min(all), slices.Max(all))+g.unit)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "over all runs: " + strings.Join(said, ", ")
}

// specWords says how it was run.
func specWords(r *result.Result) string {
	s := r.Spec
	parts := []string{count(s.Clients, "client", "clients")}
	if s.Jobs > 0 {
		parts[0] += fmt.Sprintf(" in %s", count(s.Jobs, "thread", "threads"))
	}
	switch {
	case s.Slice > 0:
		parts = append(parts, fmt.Sprintf("slices of %s s, %s s of each arm in a block", plainFigure(s.Slice), plainFigure(s.Duration)))
	default:
		parts = append(parts, "runs "+runWords(s))
	}
	if s.Rate > 0 {
		parts = append(parts, fmt.Sprintf("at %s transactions a second", plainFigure(s.Rate)))
	}
	if words, ok := map[string]string{"fresh": "a fresh copy of the data for each " + freshFor(r), "kept": "one copy of the data an arm for all its runs", "shared": "the data as they were loaded for all runs"}[s.Restore]; ok {
		parts = append(parts, words)
	}
	return strings.Join(append(parts, "cache "+clean(s.Cache), "protocol "+clean(s.Protocol), "seed "+strconv.FormatUint(s.Seed, 10)), ", ")
}

// freshFor is what a fresh copy is made for.
func freshFor(r *result.Result) string {
	if r.Spec.Slice > 0 {
		return "block"
	}
	return "run"
}

// repeat is how to do it again.
func (d *resultPage) repeat() {
	r := d.r
	d.gap()
	d.line(d.tint(strong, "To repeat it"))
	d.line("  ", repeatLine(r))
	if r.Workload.Command != "" {
		d.line(d.tint(faint, "  the load alone: "), clean(r.Workload.Command))
	}
	if when := ranWhen(r); when != "" {
		d.line(d.tint(faint, "  "+when))
	}
}

// ranWhen is when it was begun, how long it took, and by what; "" where that is
// not known.
func ranWhen(r *result.Result) string {
	t, err := time.Parse(time.RFC3339, r.Started)
	if err != nil {
		return ""
	}
	text := "begun " + t.UTC().Format("2006-01-02 15:04") + " UTC"
	if end, err := time.Parse(time.RFC3339, r.Ended); err == nil {
		text += ", took " + span(end.Sub(t))
	}
	return text + ", pgfettle " + clean(r.Program)
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
