package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/prove"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/arm"
	"github.com/pgfettle/pgfettle/internal/judge/result"
)

// ProveDesign is an experiment before it is begun.
type ProveDesign struct {
	*prove.Experiment
	Title       string // of the workload
	Differences []arm.Difference
	Why         string // why this design
	Estimation  prove.Estimation
}

// ProveDesignText tells what is going to be done, what it takes, and what is
// left out, for who decides whether to begin.
func ProveDesignText(w io.Writer, d ProveDesign, st Style) error {
	p := newPage(st)
	e := d.Experiment
	metric, _ := result.MetricOf(e.Metric)
	if x := named(e.Name); x != nil {
		p.line(p.tint(strong, clean(x.Title)))
		p.para("", plain, x.Question)
		p.gap()
		p.para("The course says: ", plain, x.Told)
		p.para("To be expected: ", plain, x.Expect)
		p.para("Caution: ", yellow, x.Caution)
		p.gap()
	}
	p.line(p.tint(strong, "The experiment"))
	switch {
	case e.Design == result.Single:
		p.para("  conf  ", plain, e.A.Name)
	case e.Name == AA:
		p.para("  A, B  ", plain, e.A.Name+" (compared with itself)")
	default:
		p.para("  A     ", plain, e.A.Name)
		p.para("  B     ", plain, e.B.Name)
	}
	scale := fmt.Sprintf(" at scale %d", e.Scale)
	if e.Source != nil {
		scale = ""
	}
	p.para("  load  ", plain, fmt.Sprintf("%s (%s)%s, %s, on %s", e.Workload, d.Title, scale, count(e.Spec.Clients, "client", "clients"), e.Binaries))
	p.para("  asked ", plain, metric.Title+", declared now; everything else is exploratory")
	if len(d.Differences) > 0 {
		p.gap()
		p.line(p.tint(strong, "What B has otherwise"))
		rows := [][]string{{"", "A", "B"}}
		for _, x := range d.Differences {
			rows = append(rows, []string{strings.TrimPrefix(x.Address, "pg:"), valueOr(x.A, x.Default), valueOr(x.B, x.Default)})
		}
		p.memoryTable(rows)
	}
	p.leftOut("A", &e.A)
	if e.Design != result.Single && e.Name != AA {
		p.leftOut("B", &e.B)
	}
	p.gap()
	p.line(p.tint(strong, "How"))
	p.para("  ", plain, designWords(e))
	if d.Why != "" {
		p.para("  ", faint, d.Why)
	}
	p.para("  ", plain, "Blocks that steal, other programs, failed transactions or checkpoints disturb are void by gates that are fixed now and do not see the arm; they are repeated, and counted.")
	for _, n := range e.Notes {
		if x := named(e.Name); x == nil || n != x.Caution { // that stands above
			p.para("  ", yellow, n)
		}
	}
	p.gap()
	p.line(p.tint(strong, "What it takes"))
	runs := ""
	if d.Estimation.Open {
		runs = " without the runs themselves"
	}
	p.para("  ", plain, fmt.Sprintf("about %s%s, %s of disk in %s%s", span(d.Estimation.Time), runs, d.Estimation.Disk, clean(e.Scratch), freeWords(d.Estimation.Free)))
	if d.Estimation.Memory > 0 {
		p.para("  ", plain, fmt.Sprintf("%s of memory of the %s here", d.Estimation.Memory, unit.Bytes(e.Host.Memory)))
	}
	switch {
	case d.Estimation.Fits:
		p.para("  ", plain, fmt.Sprintf("the data (%s) are there from an experiment before, and are not loaded again", d.Estimation.Held))
	case d.Estimation.Held > 0:
		p.para("  ", yellow, fmt.Sprintf("the data that an experiment before left there (%s) are others, and are removed", d.Estimation.Held))
	}
	for _, part := range d.Estimation.Parts {
		if part.Time == 0 {
			continue
		}
		p.line("    ", p.tint(faint, padLeft(span(part.Time), 10)+"  "+clean(part.What)))
	}
	if d.Estimation.Open {
		p.line("    ", p.tint(faint, padLeft("?", 10)+"  measuring: how long so many transactions take is known after the first block"))
	}
	p.para("  ", plain, "The documents go to "+e.Dir+". Ctrl-C stops cleanly; what was measured is kept, and --resume goes on.")
	_, err := io.WriteString(w, p.b.String())
	return err
}

// leftOut names what an arm does without.
func (p *page) leftOut(name string, a *arm.Arm) {
	if len(a.Left)+len(a.Notes) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(strong, "Left out of "+name), p.tint(faint, ": what a scratch instance cannot hold"))
	for _, l := range a.Left {
		p.para("  ", plain, l.Name+" = "+l.Value+": "+l.Why)
	}
	for _, n := range a.Notes {
		p.para("  ", plain, n)
	}
}

func valueOr(value, otherwise string) string {
	switch {
	case value != "":
		return value
	case otherwise != "":
		return otherwise + " (default)"
	}
	return "(default)"
}

func freeWords(free unit.Bytes) string {
	if free <= 0 {
		return ""
	}
	return fmt.Sprintf(" (%s are free)", free)
}

// designWords say how runs follow each other.
func designWords(e *prove.Experiment) string {
	s := e.Spec
	switch e.Design {
	case result.Single:
		return fmt.Sprintf("%s %s. Before each the server is started, %s, and a checkpoint is made. Nothing is compared, so there is no verdict.",
			count(s.Blocks, "run", "runs"), runWords(s), warmWords(s))
	case result.Slices:
		return fmt.Sprintf("%s. Both servers are up, and slices of %s are loaded by turns in balanced order, %s of each arm a block: what drifts slowly is in both.",
			count(s.Blocks, "block", "blocks"), forSeconds(s.Slice), forSeconds(s.Duration))
	}
	same := ""
	if s.Numbered() {
		same = ", the same ones in both"
	}
	return fmt.Sprintf("%s of two runs %s, one of each arm%s, in balanced order (AB, BA) drawn by seed %d. Before each run the server is started with its configuration, every value is verified, %s, and a checkpoint is made.",
		count(s.Blocks, "block", "blocks"), runWords(s), same, s.Seed, warmWords(s))
}

// warmWords say how the load warms up before a run.
func warmWords(s result.Spec) string {
	if s.Warmup == 0 {
		return "there is no warm-up"
	}
	return "the load warms up until its rate is flat (at most " + forSeconds(s.Warmup) + ")"
}

// runWords say how long runs are: of 120 s, of 100 transactions of each client, of
// 2 whole checkpoint cycles.
func runWords(s result.Spec) string {
	switch {
	case s.Numbered():
		return "of " + count(s.Count, "transaction", "transactions") + " of each client"
	case s.Cycles == 0:
		return "of " + forSeconds(s.Duration)
	case s.Duration > 1:
		return fmt.Sprintf("of %s and %s at least", count(s.Cycles, "whole checkpoint cycle", "whole checkpoint cycles"), forSeconds(s.Duration))
	}
	return "of " + count(s.Cycles, "whole checkpoint cycle", "whole checkpoint cycles")
}

func forSeconds(s float64) string { return plainFigure(s) + " s" }
