package experiments

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// MeasuredOn is the host, the programs, and the load.
func MeasuredOn(r *experiment.Result) []string {
	host := typeset.Clean(r.Host.Line)
	if host != "" {
		host += ", "
	}
	load := fmt.Sprintf("%s at scale %d", typeset.Clean(r.Workload.Name), r.Workload.Scale)
	if r.Workload.Synthetic {
		load = typeset.Clean(r.Workload.Name)
	}
	if r.Workload.Bytes > 0 {
		load += fmt.Sprintf(" (%s before the first run)", unit.Bytes(r.Workload.Bytes))
	}
	return []string{
		fmt.Sprintf("%s%s, %s of memory, Linux %s", host, typeset.Count(r.Host.CPUs, "CPU", "CPUs"),
			unit.Bytes(r.Host.Memory), typeset.Clean(r.Host.Kernel)),
		fmt.Sprintf("PostgreSQL %s, %s", typeset.Clean(r.Host.Server),
			orUnknown(r.Host.Pgbench, "pgbench of unknown version")),
		load + "; " + specWords(r),
	}
}

// WorstOf is what else went on, over all runs; "" where nothing is known of it.
func WorstOf(r *experiment.Result) string {
	type worst struct {
		name, unit string
		of         func(e experiment.Environment) stat.Number
	}
	var said []string
	for _, g := range []worst{
		{"CPU steal", "%", func(e experiment.Environment) stat.Number { return e.Steal }},
		{"CPU used by other programs", "%", func(e experiment.Environment) stat.Number { return e.Foreign }},
		{"CPU pressure (PSI some)", "%", func(e experiment.Environment) stat.Number { return e.PSICPU }},
		{"I/O pressure (PSI some)", "%", func(e experiment.Environment) stat.Number { return e.PSIIO }},
		{"memory pressure (PSI full)", "%", func(e experiment.Environment) stat.Number { return e.PSIMemory }},
		{"CPU calibration", " ms", func(e experiment.Environment) stat.Number { return e.CalibrationCPU }},
		{"fsync calibration", " ms", func(e experiment.Environment) stat.Number { return e.CalibrationSync }},
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
			said = append(said, g.name+" "+rangeOf(slices.Min(all), slices.Max(all))+g.unit)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "over all runs: " + strings.Join(said, ", ")
}

// specWords says how it was run.
func specWords(r *experiment.Result) string {
	s := r.Spec
	parts := []string{typeset.Count(s.Clients, "client", "clients")}
	if s.Jobs > 0 {
		parts[0] += fmt.Sprintf(" in %s", typeset.Count(s.Jobs, "thread", "threads"))
	}
	switch {
	case s.Slice > 0:
		parts = append(parts, fmt.Sprintf("slices of %s s, %s s of each configuration in a block", plainFigure(s.Slice),
			plainFigure(s.Duration)))
	default:
		parts = append(parts, "runs "+runWords(s))
	}
	if s.Rate > 0 {
		parts = append(parts, fmt.Sprintf("at %s transactions per second", plainFigure(s.Rate)))
	}
	if words, ok := map[string]string{"fresh": "fresh copy of the data for each " + freshFor(r),
		"kept":   "one copy of the data per configuration for all runs",
		"shared": "loaded data shared by all runs"}[s.Restore]; ok {
		parts = append(parts, words)
	}
	return strings.Join(append(parts, "cache "+typeset.Clean(s.Cache), "protocol "+typeset.Clean(s.Protocol),
		"seed "+strconv.FormatUint(s.Seed, 10)), ", ")
}

// freshFor is what a fresh copy is made for.
func freshFor(r *experiment.Result) string {
	if r.Spec.Slice > 0 {
		return "block"
	}
	return "run"
}

// RanWhen is when it was begun, how long it took, and by what; "" where that is
// not known.
func RanWhen(r *experiment.Result) string {
	t, err := time.Parse(time.RFC3339, r.Started)
	if err != nil {
		return ""
	}
	text := "started " + t.UTC().Format("2006-01-02 15:04") + " UTC"
	if end, err := time.Parse(time.RFC3339, r.Ended); err == nil {
		text += ", took " + experiment.Span(end.Sub(t))
	}
	return text + ", pgfettle " + typeset.Clean(r.Program)
}

// usualWarmup is the bound of the warm-up where nobody says another, in seconds.
const usualWarmup = 300

// RepeatLine is a command that runs the same experiment again.
func RepeatLine(r *experiment.Result) string {
	s, e := r.Spec, Course(r.Name)
	args := []string{"pgfettle"}
	add := func(flag, value string) { args = append(args, "--"+flag, typeset.ShellQuote(typeset.Clean(value))) }
	switch {
	case r.Design == experiment.DesignSingle:
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
	if r.Design != experiment.DesignSingle {
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
	// not what is chosen else
	if s.Restore == "kept" && r.Workload.Writes || s.Restore == "fresh" && !r.Workload.Writes {
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

// DesignWords say how runs follow each other.
func DesignWords(e *experiment.Experiment) string {
	s := e.Spec
	switch e.Design {
	case experiment.DesignSingle:
		return fmt.Sprintf(
			"%s %s. Before each run, the server is started, %s, and a checkpoint is run. Nothing is compared, so "+
				"there is no verdict.",
			typeset.Count(s.Blocks, "run", "runs"), runWords(s), warmWords(s))
	case experiment.DesignSlices:
		return fmt.Sprintf(
			"%s. Both servers are running and are loaded alternately in slices of %s in balanced order, %s of each "+
				"configuration per block, so slow drift affects both.",
			typeset.Count(s.Blocks, "block", "blocks"), forSeconds(s.Slice), forSeconds(s.Duration))
	}
	same := ""
	if s.Numbered() {
		same = ", the same ones in both"
	}
	return fmt.Sprintf(
		"%s of two runs %s, one of each configuration%s, in balanced order (AB, BA) chosen by seed %d. Before each "+
			"run, the server is started with its configuration, every value is verified, %s, and a checkpoint is run.",
		typeset.Count(s.Blocks, "block", "blocks"), runWords(s), same, s.Seed, warmWords(s))
}

// warmWords say how the load warms up before a run.
func warmWords(s experiment.Spec) string {
	if s.Warmup == 0 {
		return "there is no warm-up"
	}
	return "the load warms up until throughput is stable (at most " + forSeconds(s.Warmup) + ")"
}

// runWords say how long runs are: of 120 s, of 100 transactions of each client, of
// 2 whole checkpoint cycles.
func runWords(s experiment.Spec) string {
	switch {
	case s.Numbered():
		return "of " + typeset.Count(s.Count, "transaction", "transactions") + " per client"
	case s.Cycles == 0:
		return "of " + forSeconds(s.Duration)
	case s.Duration > 1:
		return fmt.Sprintf("of %s and at least %s", typeset.Count(s.Cycles, "whole checkpoint cycle",
			"whole checkpoint cycles"), forSeconds(s.Duration))
	}
	return "of " + typeset.Count(s.Cycles, "whole checkpoint cycle", "whole checkpoint cycles")
}

func forSeconds(s float64) string { return plainFigure(s) + " s" }

func ValueOr(value, otherwise string) string {
	switch {
	case value != "":
		return value
	case otherwise != "":
		return otherwise + " (default)"
	}
	return "(default)"
}

func FreeWords(free unit.Bytes) string {
	if free <= 0 {
		return ""
	}
	return fmt.Sprintf(" (%s free)", free)
}
