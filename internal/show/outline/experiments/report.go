package experiments

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Report is an experiment with the words for it: what every form tells of it.
type Report struct {
	words  outline.Words
	Result *experiment.Result
	Metric experiment.Metric
	Course *experiment.Exercise // nil: one that nobody named
}

// ReportOf returns it.
func ReportOf(r *experiment.Result, w outline.Words) *Report {
	m, _ := experiment.FindMetric(r.Metric)
	return &Report{words: w, Result: r, Metric: m, Course: Course(r.Name)}
}

// Course returns the experiment of a name, nil for one that nobody named.
func Course(name string) *experiment.Exercise {
	if e, ok := experiment.FindExercise(name); ok {
		return &e
	}
	return nil
}

// AA is the name of an experiment that compares a configuration with itself.
const AA = experiment.CompareSame

// interrupted says whether the experiment has not come to its end.
func (d *Report) interrupted() bool { return d.Result.Ended == "" }

// complete counts the blocks that came to their end.
func (d *Report) complete() int {
	n := 0
	for i := range d.Result.Blocks {
		if len(d.Result.Blocks[i].Runs) == 2 || len(d.Result.Blocks[i].Discarded) > 0 {
			n++
		}
	}
	return n
}

// short names a metric within a sentence.
func short(m experiment.Metric) string {
	if m.Name == "tps" {
		return "tps"
	}
	return m.Title
}

// Verdict is the word for it, and what there is to say of it.
func (d *Report) Verdict() (lead string, lines []string, t outline.Tone) {
	r := d.Result
	switch {
	case r.Design == experiment.DesignSingle:
		lead, text, t := d.alone()
		return lead, []string{text}, t
	case d.interrupted():
		return "INTERRUPTED",
			[]string{
				fmt.Sprintf(
					"%s of %d measured. No verdict yet: results that are seen before the end would bias it.",
					typeset.Count(d.complete(), "block", "blocks"), r.Spec.Blocks)},
			outline.ToneMind
	}
	for _, w := range r.Verdict.Words(short(d.Metric)) {
		lines = append(lines, d.words.Word(w))
	}
	if !d.Metric.HigherIsBetter && (r.Word == stat.Improved || r.Word == stat.Regressed) {
		lines = append(lines, "Lower is better: "+short(d.Metric)+".")
	}
	return string(r.Word), lines, resultTones[r.Word]
}

// Calibration is what a configuration compared with itself says; "" of any other.
func (d *Report) Calibration() string {
	r := d.Result
	switch {
	case r.Name != AA || d.interrupted() || r.Design == experiment.DesignSingle:
		return ""
	case r.Word == stat.Improved || r.Word == stat.Regressed:
		return "The same configuration was compared with itself, and a difference was found. That happens by chance " +
			"in one of 20 experiments. Run it again. If the difference remains, something on this host favors one " +
			"position in the order, and no comparison on this host is reliable."
	}
	return fmt.Sprintf(
		"The same configuration was compared with itself: the standard deviation of a block is %s%%, and %d blocks "+
			"detect a change of ±%s%% with a probability of 80%%.", percent(r.SD), r.N, percent(r.MDE))
}

// ArmValues are what differs from the server's defaults.
func ArmValues(a *experiment.MeasuredConfiguration) string {
	var values []string
	for _, s := range a.Settings {
		name, isServer := strings.CutPrefix(s.Address, "pg:")
		if !isServer {
			name = s.Address
		}
		values = append(values, name+" = "+s.Value)
	}
	if len(values) == 0 {
		return "the server's defaults"
	}
	return strings.Join(values, ", ")
}

// alone is the figure of a configuration that was compared with nothing.
func (d *Report) alone() (lead, text string, t outline.Tone) {
	var logs, figures []float64
	for i := range d.Result.Blocks {
		b := &d.Result.Blocks[i]
		if len(b.Discarded) > 0 || b.Run("A") == nil {
			continue
		}
		if v := d.Metric.Of(b.Run("A")); v.Known() {
			figures = append(figures, float64(v))
			logs = append(logs, math.Log(float64(v)))
		}
	}
	what := figure(d.Metric, stat.Number(stat.Median(figures))) + " " + short(d.Metric)
	switch len(figures) {
	case 0:
		return "NOT MEASURED", fmt.Sprintf("no valid run (%s).",
				typeset.Count(d.Result.Discarded, "discarded", "discarded")),
			outline.ToneBad
	case 1:
		return "MEASURED", what + " in one run: the variation between runs is unknown.", outline.ToneInfo
	}
	e := stat.NewEstimate(logs)
	low, high := e.Interval(0.95)
	return "MEASURED", fmt.Sprintf("%s (median of %d runs, %s to %s; 95%% CI of the mean %s to %s).", what,
		len(figures),
		figure(d.Metric, stat.Number(slices.Min(figures))), figure(d.Metric, stat.Number(slices.Max(figures))),
		figure(d.Metric, stat.Number(math.Exp(low))), figure(d.Metric, stat.Number(math.Exp(high)))), outline.ToneInfo
}

// RunRows are the runs of one configuration, with their head.
func (d *Report) RunRows() [][]string {
	rows := [][]string{{"run", d.Metric.Title, "mean latency", "p95", "p99", "checkpoint after the run"}}
	for i := range d.Result.Blocks {
		b := &d.Result.Blocks[i]
		run := b.Run("A")
		if run == nil {
			rows = append(rows, []string{strconv.Itoa(b.Number), "discarded", "", "", "", ""})
			continue
		}
		row := []string{strconv.Itoa(b.Number), figure(d.Metric, d.Metric.Of(run)), millis(run.Latency.Mean),
			millis(run.Latency.P95), millis(run.Latency.P99), ""}
		if run.Checkpoint > 0 {
			row[5] = plainFigure(run.Checkpoint) + " s"
		}
		if len(b.Discarded) > 0 {
			row[1] = "discarded"
		}
		rows = append(rows, row)
	}
	return rows
}

// BlockRows are the blocks with their head. Before the end they tell no figure.
func (d *Report) BlockRows() [][]string {
	rows := [][]string{{"block", "order", "A, " + d.unit(), "B, " + d.unit(), "B vs. A"}}
	for i := range d.Result.Blocks {
		b := &d.Result.Blocks[i]
		row := []string{strconv.Itoa(b.Number), b.Order, "", "", ""}
		for k, label := range []string{"A", "B"} {
			if run := b.Run(label); run != nil {
				row[2+k] = figure(d.Metric, d.Metric.Of(run))
			}
		}
		switch {
		case len(b.Discarded) > 0:
			row[4] = "discarded"
		case d.interrupted():
			row[2], row[3] = "", "" // not shown before the end
			row[4] = "measured"
			if len(b.Runs) < 2 {
				row[4] = "started"
			}
		default:
			row[4] = change(b.LogRatio)
		}
		rows = append(rows, row)
	}
	return rows
}

// DiscardedBlock is a block that does not count.
type DiscardedBlock struct {
	Block int
	Why   string
}

// DiscardedTold gives the reasons, which were fixed before the first run, and how many
// there are.
func (d *Report) DiscardedTold() (list []DiscardedBlock, sum string) {
	for i := range d.Result.Blocks {
		if b := &d.Result.Blocks[i]; len(b.Discarded) > 0 {
			list = append(list, DiscardedBlock{b.Number, strings.Join(b.Discarded, "; ") + "."})
		}
	}
	switch {
	case len(d.Result.Blocks) == 0:
		return nil, "No blocks were measured."
	case len(list) == 0:
		return nil, "No blocks were discarded: other load stayed within the limits."
	}
	return list,
		fmt.Sprintf(
			"Discarded: %d of %d. The rules were fixed before the first run, and depend neither on the configuration "+
				"of a run nor on its result.", len(list), len(d.Result.Blocks))
}

const Exploratory = "these metrics do not affect the verdict; p values are corrected for multiple comparisons (Holm)"

// SecondaryRows are the other metrics with their head; nil where there are none
// that may be shown.
func (d *Report) SecondaryRows() [][]string {
	if len(d.Result.Secondary) == 0 || d.interrupted() {
		return nil
	}
	rows := [][]string{{"metric", "A", "B", "B vs. A", "95% CI", "p"}}
	for _, c := range d.Result.Secondary {
		m, ok := experiment.FindMetric(c.Metric)
		if !ok {
			continue
		}
		row := []string{m.Title, figure(m, c.A), figure(m, c.B), "", "", ""}
		if c.Effect.Known() {
			row[3] = signedPercent(c.Effect) + "%"
			row[4] = signedPercent(c.Low) + " to " + signedPercent(c.High)
			row[5] = chance(c.P)
		}
		rows = append(rows, row)
	}
	return rows
}

// Deferred is the work that runs left to the checkpoint after them.
func (d *Report) Deferred() string {
	var by [2][]float64
	for i := range d.Result.Blocks {
		for k, label := range []string{"A", "B"} {
			if run := d.Result.Blocks[i].Run(label); run != nil && len(d.Result.Blocks[i].Discarded) == 0 &&
				run.Checkpoint > 0 {
				by[k] = append(by[k], run.Checkpoint)
			}
		}
	}
	if len(by[0]) == 0 || len(by[1]) == 0 {
		return ""
	}
	return fmt.Sprintf("Deferred work: the checkpoint after a run took %s s with A and %s s with B (medians).",
		plainFigure(stat.Median(by[0])), plainFigure(stat.Median(by[1])))
}

// leastRun is how many seconds a run has to last: pgbench's manual asks for minutes.
const leastRun = 120

// Noted is what has to be known, but for what a named experiment says of itself.
func (d *Report) Noted() []string {
	unsteady, shortest := 0, math.Inf(1)
	for i := range d.Result.Blocks {
		for _, run := range d.Result.Blocks[i].Runs {
			shortest = min(shortest, run.Seconds)
			if !run.Steady {
				unsteady++
			}
		}
	}
	notes := slices.Clone(d.Result.Notes)
	if d.Result.Workload.Synthetic {
		notes = append(notes, "The load is synthetic: generated from statistics, not recorded from users.")
	}
	switch {
	case unsteady == 0:
	case d.Result.Spec.Warmup == 0:
		notes = append(notes, "Not stationary: there was no warm-up, so each run includes it.")
	default:
		notes = append(notes,
			fmt.Sprintf(
				"Not stationary: in %s throughput was not stable when the warm-up ended. A longer --warmup can help; "+
					"some loads never become stable.", typeset.Count(unsteady, "run", "runs")))
	}
	switch {
	case shortest >= leastRun:
	case d.Result.Spec.Numbered():
		notes = append(notes,
			fmt.Sprintf(
				"Short: one run took %s s; at least %d s is needed. Increase --transactions.", plainFigure(shortest),
				leastRun))
	case d.Result.Spec.Cycles > 0:
		notes = append(notes,
			fmt.Sprintf(
				"Short: the checkpoint cycles of one run took %s s; at least %d s is needed. Increase "+
					"--checkpoint-cycles, or set --duration.", plainFigure(shortest), leastRun))
	}
	if d.Course != nil {
		notes = slices.DeleteFunc(notes, func(n string) bool { return n == d.Course.Caution })
	}
	return notes
}
