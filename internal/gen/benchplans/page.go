package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/result"
	"github.com/pgfettle/pgfettle/internal/judge/stat"
)

// shortest run that may stand on the page: seconds of one arm in a block. Slices
// take 40 by default and runs with restarts 120.
const shortest = 40

// decides refuses what was only a trial of the comparison itself.
func decides(list []named) error {
	var errs []error
	for _, e := range list {
		switch {
		case e.Ended == "":
			errs = append(errs, fmt.Errorf("%s,%s is not finished", e.load, e.other))
		case e.Spec.Blocks < stat.FewestBlocks || e.Spec.Duration < shortest:
			errs = append(errs, fmt.Errorf("%s,%s has %d blocks of %g s an arm: a trial, and the page holds only what decides (%d blocks, %d s)", e.load, e.other, e.Spec.Blocks, e.Spec.Duration, stat.FewestBlocks, shortest))
		}
	}
	return errors.Join(errs...)
}

// order of the rows; what is not named here comes after, by name.
var (
	loads  = []string{"tpcb", "select-only-8", "select-only-100", "olap", "1c"}
	others = []string{"default", "pgtune", "timescaledb-tune", "pgconfig", "autobase"}
)

func rank(list []string, s string) int {
	if i := slices.Index(list, s); i >= 0 {
		return i
	}
	return len(list)
}

// markdown writes the page. Losses stand in it as wins do.
func markdown(list []named) (string, error) {
	slices.SortFunc(list, func(a, b named) int {
		if d := rank(loads, a.load) - rank(loads, b.load); d != 0 {
			return d
		}
		if d := rank(others, a.other) - rank(others, b.other); d != 0 {
			return d
		}
		return strings.Compare(a.load+","+a.other, b.load+","+b.other)
	})
	first := list[0].Host
	count := map[stat.Word]int{}
	for _, e := range list {
		count[e.Word]++
		if e.Host.Kernel != first.Kernel || e.Host.CPUs != first.CPUs || e.Host.Memory != first.Memory || e.Host.Server != first.Server {
			return "", fmt.Errorf("%s,%s was measured on another host or version than %s,%s", e.load, e.other, list[0].load, list[0].other)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Benchmarks of plans

The plan that pgfettle makes for a host, against PostgreSQL's defaults and against what calculators give for the same
host. Made by %s from finished experiments; do not edit. [proving.md](proving.md) says how they are made
and what the verdicts mean. The change is of the plan against the other configuration: what is positive in tps is won,
what is negative is lost.

Measured on %d CPUs, %s of memory, Linux %s, PostgreSQL %s. Of %d comparisons: %d improved, %d regressed, %d equivalent,
%d inconclusive, %d without a verdict.

| load | against | metric | other | plan | change | 95 %% interval | verdict | found would be | blocks (void) |
|---|---|---|---|---|---|---|---|---|---|
`, "`make bench-plans`", first.CPUs, unit.Bytes(first.Memory), first.Kernel, first.Server,
		len(list), count[stat.Improved], count[stat.Regressed], count[stat.Equivalent], count[stat.Inconclusive], count[stat.Indicative]+count[stat.Unsuitable])
	for _, e := range list {
		m, _ := result.MetricOf(e.Metric)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s…%s | %s | ±%s | %d (%d) |\n", e.load, e.other, e.Metric, median(e.Result, m, "A"), median(e.Result, m, "B"),
			signed(e.Effect)+" %", signed(e.Low), signed(e.High), e.Word, unsigned(e.MDE)+" %", e.N, e.Verdict.Void)
	}
	b.WriteString("\n## What was compared\n\n")
	told := map[string]bool{}
	for _, e := range list {
		if !told[e.load] {
			told[e.load] = true
			fmt.Fprintf(&b, "- %s: %s at scale %d (%s), %d clients, design %s, %g s of each arm a block, cache %s, protocol %s\n", e.load, e.Workload.Name, e.Workload.Scale,
				unit.Bytes(e.Workload.Bytes), e.Spec.Clients, e.Design, e.Spec.Duration, e.Spec.Cache, e.Spec.Protocol)
		}
	}
	b.WriteString("\n## The configurations\n\n")
	for _, e := range list {
		for _, a := range []struct {
			name string
			arm  result.Arm
		}{{e.other, e.A}, {"plan", e.B}} {
			var values []string
			for _, s := range a.arm.Settings {
				values = append(values, strings.TrimPrefix(s.Address, "pg:")+" = "+s.Value)
			}
			text := strings.Join(values, ", ")
			if text == "" {
				text = "nothing is set"
			}
			line := fmt.Sprintf("- %s: %s\n", a.name, text)
			if a.name == "plan" {
				line = fmt.Sprintf("- plan, %d clients: %s\n", e.Spec.Clients, text)
			}
			if !told[line] {
				told[line] = true
				b.WriteString(line)
			}
		}
	}
	return b.String(), nil
}

// median of an arm's figures in the blocks that count.
func median(r *result.Result, m result.Metric, arm string) string {
	var all []float64
	for i := range r.Blocks {
		if run := r.Blocks[i].Run(arm); run != nil && len(r.Blocks[i].Void) == 0 && m.Of(run).Known() {
			all = append(all, float64(m.Of(run)))
		}
	}
	v := stat.Median(all)
	switch {
	case math.IsNaN(v):
		return "?"
	case math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func unsigned(n stat.Number) string {
	if !n.Known() {
		return "?"
	}
	return fmt.Sprintf("%.1f", math.Abs(float64(n)))
}

func signed(n stat.Number) string {
	switch s := unsigned(n); {
	case s == "?", s == "0.0":
		return s
	case n < 0:
		return "−" + s
	default:
		return "+" + s
	}
}
