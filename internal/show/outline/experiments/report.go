package experiments

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"

	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// Report is an experiment with its texts: what every form shows.
type Report struct {
	words  outline.Words
	Result *experiment.Result
	Metric experiment.Metric
	Course *experiment.Exercise // nil if not named
}

// ReportOf returns it.
func ReportOf(r *experiment.Result, w outline.Words) *Report {
	m, _ := experiment.FindMetric(r.Metric)
	return &Report{words: w, Result: r, Metric: m, Course: Course(r.Name)}
}

// Course returns the experiment of a name, nil if there is none.
func Course(name string) *experiment.Exercise {
	if e, ok := experiment.FindExercise(name); ok {
		return &e
	}
	return nil
}

// AA is the name of an experiment that compares a configuration with itself.
const AA = experiment.CompareSame

// interrupted reports whether the experiment has not come to its end.
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
func short(m experiment.Metric) say.Message {
	if m.Name == "tps" {
		return say.Text("tps")
	}
	return m.Title
}

var verdictWords = map[stat.Word]say.Message{
	stat.Improved:     say.M("IMPROVED"),
	stat.Regressed:    say.M("REGRESSED"),
	stat.Equivalent:   say.M("EQUIVALENT"),
	stat.Inconclusive: say.M("INCONCLUSIVE"),
	stat.Indicative:   say.M("INDICATIVE"),
	stat.Unsuitable:   say.M("UNSUITABLE"),
}

// VerdictWord is the word for a verdict.
func VerdictWord(w stat.Word) say.Message {
	if m, ok := verdictWords[w]; ok {
		return m
	}
	return say.Text(string(w)) // of an experiment that is not at its end
}

// Verdict is the word for it, and what there is to say of it.
func (d *Report) Verdict() (lead string, lines []string) {
	r, p := d.Result, d.words
	switch {
	case r.Design == experiment.DesignSingle:
		lead, text := d.alone()
		return lead, []string{text}
	case d.interrupted():
		return p.Say("INTERRUPTED"), []string{p.Many(d.complete(),
			"{n} block of {all} measured. No verdict yet: results that are seen before the end would bias it.",
			"{n} blocks of {all} measured. No verdict yet: results that are seen before the end would bias it.",
			"all", strconv.Itoa(r.Spec.Blocks))}
	}
	for _, w := range r.Verdict.Words(short(d.Metric)) {
		lines = append(lines, p.Word(w))
	}
	lines = append(lines, d.busy()...)
	if o, ok := r.Offer(); ok {
		lines = append(lines, d.offered(o))
	}
	if !d.Metric.HigherIsBetter && (r.Word == stat.Improved || r.Word == stat.Regressed) {
		lines = append(lines, p.Say("Lower is better: {metric}.", "metric", short(d.Metric)))
	}
	return p.Word(VerdictWord(r.Word)), lines
}

// busy says what else went on while a verdict was reached, where it was much, or not the same for both.
func (d *Report) busy() (lines []string) {
	p, taken := d.words, d.Result.Disturbed()
	share := func(x float64) say.Number { return say.Number(percent(stat.Number(100*x)) + "%") }
	if d.Result.Busy && !math.IsNaN(taken.Median) {
		lines = append(lines, p.Say("On a busy machine: other programs and the hypervisor took {share} of the CPU "+
			"time in the median run, and {most} at most. This widened the interval; it favors no configuration.",
			"share", share(taken.Median), "most", share(taken.Most)))
	}
	if more, less := "B", "A"; taken.Uneven() {
		if taken.Difference < 0 {
			more, less = less, more
		}
		lines = append(lines, p.Say("Runs of {more} lost {share} more of the CPU time to others than runs of {less}: "+
			"this may be part of the difference, unless {more} causes it. See the corrected throughput below.", "more",
			more, "less", less, "share", share(math.Abs(taken.Difference))))
	}
	return lines
}

// offered says what more blocks would tell.
func (d *Report) offered(o experiment.Offer) string {
	told := []any{"share", say.Number(percent(o.Finds) + "%"), "time", o.Time,
		"confidence", stat.Verdict{Level: o.Level}.Confidence()}
	if o.Time == 0 {
		return d.words.Many(o.Blocks, "{n} more block would detect ±{share}, judged at {confidence} because it is a "+
			"further look.", "{n} more blocks would detect ±{share}, judged at {confidence} because it is a further "+
			"look.",
			told...)
	}
	return d.words.Many(o.Blocks, "{n} more block, about {time}, would detect ±{share}, judged at {confidence} "+
		"because "+
		"it is a further look.", "{n} more blocks, about {time}, would detect ±{share}, judged at {confidence} "+
		"because "+
		"it is a further look.", told...)
}

// Calibration is what a configuration compared with itself says; "" of any other.
func (d *Report) Calibration() string {
	r, p := d.Result, d.words
	switch {
	case r.Name != AA || d.interrupted() || r.Design == experiment.DesignSingle:
		return ""
	case r.Word == stat.Improved || r.Word == stat.Regressed:
		return p.Say("The same configuration was compared with itself, and a difference was found. That happens by " +
			"chance in one of 20 experiments. Run it again. If the difference remains, something on this host favors " +
			"one position in the order, and no comparison on this host is reliable.")
	}
	return p.Say("The same configuration was compared with itself: the standard deviation of a block is {sd}, and "+
		"{n} blocks detect a change of ±{mde} with a probability of 80%.", "sd", say.Number(percent(r.SD)+"%"),
		"n", r.N, "mde", say.Number(percent(r.MDE)+"%"))
}

// settingsOf are what differs from the server's defaults.
func (d *Report) settingsOf(a *experiment.MeasuredConfiguration) string {
	var values []string
	for _, s := range a.Settings {
		name, isServer := strings.CutPrefix(s.Address, "pg:")
		if !isServer {
			name = s.Address
		}
		values = append(values, name+" = "+s.Value)
	}
	if len(values) == 0 {
		if a.Database != "" {
			return d.words.Say("as the server is configured")
		}
		return d.words.Say("the server's defaults")
	}
	return strings.Join(values, ", ")
}

// alone is the figure of a configuration that was compared with nothing.
func (d *Report) alone() (lead, text string) {
	p := d.words
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
	number := func(x float64) say.Number { return figure(d.Metric, stat.Number(x)) }
	what := []any{"figure", number(stat.Median(figures)), "metric", short(d.Metric)}
	switch len(figures) {
	case 0:
		return p.Say("NOT MEASURED"), p.Say("no valid run ({n} discarded).", "n", d.Result.Discarded)
	case 1:
		return p.Say("MEASURED"), p.Say("{figure} {metric} in one run: the variation between runs is unknown.", what...)
	}
	e := stat.NewEstimate(logs)
	low, high := e.Interval(0.95)
	return p.Say("MEASURED"), p.Say("{figure} {metric} (median of {n} runs, {least} to {most}; 95% CI of the mean "+
		"{low} "+
		"to {high}).", append(what, "n", strconv.Itoa(len(figures)), "least", number(slices.Min(figures)),
		"most", number(slices.Max(figures)), "low", number(math.Exp(low)), "high", number(math.Exp(high)))...)
}

// RunRows are the runs of one configuration, with their head.
func (d *Report) RunRows() [][]string {
	p := d.words
	rows := [][]string{{p.Say("run"), p.Word(d.Metric.Title), p.Say("mean latency"), p.Say("p95"), p.Say("p99"),
		p.Say("checkpoint after the run")}}
	millis := func(n stat.Number) string {
		if !n.Known() {
			return ""
		}
		return p.Number(plainFigure(float64(n)) + " ms")
	}
	for i := range d.Result.Blocks {
		b := &d.Result.Blocks[i]
		run := b.Run("A")
		if run == nil {
			rows = append(rows, []string{strconv.Itoa(b.Number), p.Say("discarded"), "", "", "", ""})
			continue
		}
		row := []string{strconv.Itoa(b.Number), p.Value(figure(d.Metric, d.Metric.Of(run))), millis(run.Latency.Mean),
			millis(run.Latency.P95), millis(run.Latency.P99), ""}
		if run.Checkpoint > 0 {
			row[5] = p.Value(seconds(run.Checkpoint))
		}
		if len(b.Discarded) > 0 {
			row[0] = p.Say("{n}, discarded", "n", strconv.Itoa(b.Number))
		}
		rows = append(rows, row)
	}
	return rows
}

// BlockRows are the blocks with their head. Before the end they contain no figure.
func (d *Report) BlockRows() [][]string {
	p := d.words
	rows := [][]string{{p.Say("block"), p.Say("order"), p.Say("A, {unit}", "unit", d.unit()),
		p.Say("B, {unit}", "unit", d.unit()), p.Say("B vs. A")}}
	for i := range d.Result.Blocks {
		b := &d.Result.Blocks[i]
		row := []string{strconv.Itoa(b.Number), b.Order, "", "", ""}
		for k, label := range []string{"A", "B"} {
			if run := b.Run(label); run != nil {
				row[2+k] = p.Value(figure(d.Metric, d.Metric.Of(run)))
			}
		}
		switch {
		case len(b.Discarded) > 0:
			row[4] = p.Say("discarded")
		case d.interrupted():
			row[2], row[3] = "", "" // not shown before the end
			row[4] = p.Say("measured")
			if len(b.Runs) < 2 {
				row[4] = p.Say("started{nothing}", "nothing", "") // not the time, which English calls so too
			}
		default:
			row[4] = p.Number(change(b.LogRatio))
		}
		rows = append(rows, row)
	}
	return rows
}

// Reasons are reasons why a block does not count, which a document has in English.
func Reasons(list []string) say.Message {
	out := make([]say.Message, len(list))
	for i, why := range list {
		out[i] = gapwords.Of(why)
	}
	return say.All("; ", out...)
}

// DiscardedTold gives the blocks that do not count with the reasons, which were fixed before the first run, and how
// many there are.
func (d *Report) DiscardedTold() (list []string, sum string) {
	p := d.words
	for i := range d.Result.Blocks {
		if b := &d.Result.Blocks[i]; len(b.Discarded) > 0 {
			list = append(list, p.Say("Block {n} discarded: {reasons}.", "n", strconv.Itoa(b.Number),
				"reasons", Reasons(b.Discarded)))
		}
	}
	switch {
	case len(d.Result.Blocks) == 0:
		return nil, p.Say("No blocks were measured.")
	case len(list) == 0:
		return nil, p.Say("No blocks were discarded.")
	}
	return list, p.Say("Discarded: {n} of {all}. The rules were fixed before the first run, and depend neither on the "+
		"configuration of a run nor on its result.", "n", strconv.Itoa(len(list)),
		"all", strconv.Itoa(len(d.Result.Blocks)))
}

// SecondaryRows are the other metrics with their head; nil if there are none that may be shown.
func (d *Report) SecondaryRows() [][]string {
	if len(d.Result.Secondary) == 0 || d.interrupted() {
		return nil
	}
	p := d.words
	rows := [][]string{{p.Say("metric"), "A", "B", p.Say("B vs. A"), p.Say("95% CI"), "p"}}
	for _, c := range d.Result.Secondary {
		m, ok := experiment.FindMetric(c.Metric)
		if !ok {
			continue
		}
		row := []string{p.Word(m.Title), p.Value(figure(m, c.A)), p.Value(figure(m, c.B)), "", "", ""}
		if c.Effect.Known() {
			row[3] = p.Number(signedPercent(c.Effect) + "%")
			row[4] = p.Word(fromTo(signedPercent(c.Low), signedPercent(c.High)))
			row[5] = chance(p, c.P)
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
	return d.words.Say("Deferred work: the checkpoint after a run took {a} with A and {b} with B (medians).",
		"a", seconds(stat.Median(by[0])), "b", seconds(stat.Median(by[1])))
}

// leastRun is how many seconds a run has to last: pgbench's manual asks for minutes.
const leastRun = 120

// Noted is what has to be known, except for what a named experiment says of itself.
func (d *Report) Noted() []string {
	p := d.words
	unsteady, shortest := 0, math.Inf(1)
	for i := range d.Result.Blocks {
		for _, run := range d.Result.Blocks[i].Runs {
			shortest = min(shortest, run.Seconds)
			if !run.Steady {
				unsteady++
			}
		}
	}
	var notes []string
	for _, n := range d.Result.Notes {
		if d.Course == nil || n != d.Course.Caution.English() {
			notes = append(notes, p.Word(gapwords.Of(n)))
		}
	}
	if d.Result.Workload.Synthetic {
		notes = append(notes, p.Say("The load is synthetic: generated from statistics, not recorded from users."))
	}
	switch {
	case unsteady == 0:
	case d.Result.Spec.Warmup == 0:
		notes = append(notes, p.Say("Not stationary: there was no warm-up, so each run includes it."))
	default:
		notes = append(notes, p.Many(unsteady,
			"Not stationary: in {n} run throughput was not stable when the warm-up ended. A longer --warmup can help; "+
				"some loads never become stable.",
			"Not stationary: in {n} runs throughput was not stable when the warm-up ended. A longer --warmup can "+
				"help; "+
				"some loads never become stable."))
	}
	times := []any{"time", seconds(shortest), "least", seconds(leastRun)}
	switch {
	case shortest >= leastRun:
	case d.Result.Spec.Numbered():
		notes = append(notes, p.Say("Short: one run took {time}; at least {least} is needed. Increase --transactions.",
			times...))
	case d.Result.Spec.Cycles > 0:
		notes = append(notes, p.Say("Short: the checkpoint cycles of one run took {time}; at least {least} is needed. "+
			"Increase --checkpoint-cycles, or set --duration.", times...))
	}
	return notes
}
