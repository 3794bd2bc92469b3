package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// shortest run that may be on the page: seconds of one configuration in a block. How far such short runs scatter is in
// the interval, which stands beside every figure; what they cannot show (checkpoints, growth) is said on the page.
const shortest = 8

// cycle is checkpoint_timeout by default, in seconds.
const cycle = 300

// The first parts of names that are no load.
const (
	exercise = "exercise"
	itself   = "aa"
)

// decides refuses what was only a trial of the comparison itself.
func decides(list []named) error {
	var errs []error
	for _, e := range list {
		switch {
		case e.Ended == "":
			errs = append(errs, fmt.Errorf("%s,%s is not finished", e.load, e.other))
		case e.Spec.Blocks < stat.FewestBlocks || e.load != itself && lasts(e.Result) < shortest:
			errs = append(errs,
				fmt.Errorf(
					"%s,%s has %d blocks of %.3g s a configuration: a trial, and the page holds only what decides (%d "+
						"blocks, %d s)", e.load, e.other, e.Spec.Blocks, lasts(e.Result), stat.FewestBlocks, shortest))
		}
	}
	return errors.Join(errs...)
}

// lasts is the time that the runs of an experiment have, or for those that have a
// number of transactions the shortest that one took, in seconds.
func lasts(r *experiment.Result) float64 {
	if !r.Spec.Numbered() {
		return r.Spec.Duration
	}
	least := math.Inf(1)
	for _, b := range r.Blocks {
		for _, run := range b.Runs {
			least = min(least, run.Seconds)
		}
	}
	return least
}

// order of the rows; what is not named here comes after, by name.
var (
	loads  = []string{"tpcb", "select-only-8", "select-only-100", "olap", "1c"}
	others = []string{"default", "pgtune", "timescaledb-tune", "pgconfig", "autobase", "pg-configurator"}
)

func rank(list []string, s string) int {
	if i := slices.Index(list, s); i >= 0 {
		return i
	}
	return len(list)
}

// markdown writes the page, with what a person noted about it. Losses are in it as wins do.
func markdown(list []named, notes string) (string, error) {
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
	var plans, exercises, same []named
	for _, e := range list {
		if e.Host.Kernel != first.Kernel || e.Host.CPUs != first.CPUs || e.Host.Memory != first.Memory ||
			e.Host.Server != first.Server {
			return "", fmt.Errorf("%s,%s was measured on another host or version than %s,%s", e.load, e.other,
				list[0].load, list[0].other)
		}
		switch e.load {
		case exercise:
			exercises = append(exercises, e)
		case itself:
			same = append(same, e)
		default:
			plans = append(plans, e)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Benchmarks

What was measured `+
		`with `+"`pgfettle prove`"+` on %d CPUs, %s of memory, Linux %s, PostgreSQL %s. Made by `+"`make bench-plans`"+`
from the documents in [benchmarks/](benchmarks), which hold every run; do not edit. [proving.md](proving.md) says `+
		`how they
are made and what the verdicts mean. The change is of configuration B against configuration A, in what decides (tps
unless it is named): what is positive in tps is won, what is negative is lost. «Found would be» is the change that the
experiment would have found four times out of five.
`, first.CPUs, unit.Bytes(first.Memory), first.Kernel, first.Server)
	writePlans(&b, plans)
	if notes != "" {
		b.WriteString("\n" + notes)
	}
	writeExercises(&b, exercises)
	writeSame(&b, same)
	writeWhat(&b, list)
	writeConfigurations(&b, plans)
	return b.String(), nil
}

// writePlans compares the plan with other configurations.
func writePlans(b *strings.Builder, list []named) {
	if len(list) == 0 {
		return
	}
	count := map[stat.Word]int{}
	for _, e := range list {
		count[e.Word]++
	}
	fmt.Fprintf(b, `
## The plan against other configurations

The plan that pgfettle makes for this host (configuration B, with its huge pages, after 'pgfettle probe' had measured
the disk) against PostgreSQL's defaults and against what five calculators give for the same host (configuration A). Of
%d comparisons: %d improved, %d regressed, %d equivalent, %d inconclusive, %d without a verdict.

| load | against | metric | other | plan | change | 95 %% interval | verdict | found would be | blocks (discarded) |
|---|---|---|---|---|---|---|---|---|---|
`, len(list), count[stat.Improved], count[stat.Regressed], count[stat.Equivalent], count[stat.Inconclusive], count[stat.Indicative]+count[stat.Unsuitable])
	for _, e := range list {
		writeRow(b, e.load+" | "+e.other+" | "+e.Metric, e)
	}
}

// writeExercises are the experiments of courses.
func writeExercises(b *strings.Builder, list []named) {
	if len(list) == 0 {
		return
	}
	b.WriteString(`
## The exercises

` + "`pgfettle prove --experiment NAME`" + `. Those that write measure what durability costs; nothing here is advice ` +
		`to go without.

| exercise | A | B | metric | A | B | change | 95 % interval | verdict | found would be | blocks (discarded) |
|---|---|---|---|---|---|---|---|---|---|---|
`)
	for _, e := range list {
		writeRow(b, fmt.Sprintf("%s, %s | %s | %s | %s", e.other, clients(e.Spec.Clients), e.A.Name, e.B.Name,
			e.Metric), e)
	}
}

// writeSame are configurations compared with themselves: where more than one in
// twenty finds a difference, no verdict of this machine can be believed.
func writeSame(b *strings.Builder, list []named) {
	if len(list) == 0 {
		return
	}
	count := map[stat.Word]int{}
	for _, e := range list {
		count[e.Word]++
	}
	found := count[stat.Improved] + count[stat.Regressed]
	fmt.Fprintf(b, `
## A configuration against itself

%d experiments in which both configurations are the same: %d found a difference, and by the construction of the test one
of twenty may.

| load | configuration | clients | change | 95 %% interval | verdict | found would be | blocks (discarded) |
|---|---|---|---|---|---|---|---|
`, len(list), found)
	for _, e := range list {
		fmt.Fprintf(b, "| %s | %s | %d | %s | %s…%s | %s | ±%s | %d (%d) |\n", e.Workload.Name, e.A.Name,
			e.Spec.Clients,
			signed(e.Effect)+" %", signed(e.Low), signed(e.High), e.Word, unsigned(e.MDE)+" %", e.N,
			e.Verdict.Discarded)
	}
}

func writeRow(b *strings.Builder, head string, e named) {
	m, _ := experiment.FindMetric(e.Metric)
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s…%s | %s | ±%s | %d (%d) |\n", head, median(e.Result, m, "A"),
		median(e.Result, m, "B"),
		signed(e.Effect)+" %", signed(e.Low), signed(e.High), e.Word, unsigned(e.MDE)+" %", e.N, e.Verdict.Discarded)
}

// writeWhat describes each load once.
func writeWhat(b *strings.Builder, list []named) {
	b.WriteString("\n## What was run\n\n")
	told := map[string]bool{}
	for _, e := range list {
		name := e.load
		switch e.load {
		case exercise:
			name = e.other
		case itself:
			name = e.Workload.Name + " against itself"
		}
		runs := fmt.Sprintf("%g s of each configuration a block", e.Spec.Duration)
		if e.Spec.Numbered() {
			runs = fmt.Sprintf("the same %d transactions of each client and configuration a block", e.Spec.Count)
		}
		line := fmt.Sprintf("- %s: %s at scale %d (%s), %s, design %s, %s, cache %s, protocol %s\n", name,
			e.Workload.Name, e.Workload.Scale,
			unit.Bytes(e.Workload.Bytes), clients(e.Spec.Clients), e.Design, runs, e.Spec.Cache, e.Spec.Protocol)
		if !told[line] {
			told[line] = true
			b.WriteString(line)
		}
	}
	if slices.ContainsFunc(list, func(e named) bool { return lasts(e.Result) < cycle }) {
		fmt.Fprintf(b,
			"\nRuns of less than %d s hold no whole cycle of checkpoints and no growth of tables: what these cost "+
				"is not in the figures.\n", cycle)
	}
}

// writeConfigurations spells out what stood against what.
func writeConfigurations(b *strings.Builder, list []named) {
	if len(list) == 0 {
		return
	}
	told := map[string]bool{}
	b.WriteString("\n## The configurations\n\n")
	for _, e := range list {
		for _, a := range []struct {
			name   string
			config experiment.MeasuredConfiguration
		}{{e.other, e.A}, {"plan", e.B}} {
			var values []string
			for _, s := range a.config.Settings {
				values = append(values, strings.TrimPrefix(s.Address, "pg:")+" = "+s.Value)
			}
			text := strings.Join(values, ", ")
			if text == "" {
				text = "nothing is set"
			}
			line := fmt.Sprintf("- %s: %s\n", a.name, text)
			if a.name == "plan" {
				line = fmt.Sprintf("- %s, %s: %s\n", e.B.Name, clients(e.Spec.Clients), text)
			}
			if !told[line] {
				told[line] = true
				b.WriteString(line)
			}
		}
	}
}

// median of a configuration's figures in the blocks that count.
func median(r *experiment.Result, m experiment.Metric, label string) string {
	var all []float64
	for i := range r.Blocks {
		if run := r.Blocks[i].Run(label); run != nil && len(r.Blocks[i].Discarded) == 0 && m.Of(run).Known() {
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

func clients(n int) string {
	if n == 1 {
		return "1 client"
	}
	return fmt.Sprintf("%d clients", n)
}
