package render

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/result"
	"github.com/pgfettle/pgfettle/internal/judge/stat"
)

// ResultJSON writes the document of an experiment. A figure that is not known is
// null; no list is.
func ResultJSON(w io.Writer, r *result.Result) error {
	d := *r
	d.A.Settings = append([]result.Setting{}, d.A.Settings...)
	d.B.Settings = append([]result.Setting{}, d.B.Settings...)
	d.Blocks = append([]result.Block{}, d.Blocks...)
	for i := range d.Blocks {
		d.Blocks[i].Runs = append([]result.Run{}, d.Blocks[i].Runs...)
	}
	return writeJSON(w, &d)
}

// ResultText writes it for a person: the verdict first, then the picture of the
// blocks, then all the figures, and how to repeat it.
func ResultText(w io.Writer, r *result.Result, st Style) error {
	p := newPage(st)
	d := newResultPage(p, r)
	d.head()
	d.notes()
	if r.Design == result.Single {
		d.single()
	} else {
		d.picture()
		d.blocks()
		d.secondary()
	}
	d.surroundings()
	d.repeat()
	_, err := io.WriteString(w, p.b.String())
	return err
}

// resultPage is a page about one experiment.
type resultPage struct {
	*page
	r *result.Result
	m result.Metric
	e *experiment.Experiment
}

func newResultPage(p *page, r *result.Result) *resultPage {
	m, _ := result.MetricOf(r.Metric)
	return &resultPage{page: p, r: r, m: m, e: named(r.Name)}
}

// named returns the experiment of a name, nil for one that nobody named.
func named(name string) *experiment.Experiment {
	if e, ok := experiment.Find(name); ok {
		return &e
	}
	return nil
}

// AA is the name of an experiment that compares a configuration with itself.
const AA = "aa"

// interrupted says whether the experiment has not come to its end.
func (d *resultPage) interrupted() bool { return d.r.Ended == "" }

// complete counts the blocks that came to their end.
func (d *resultPage) complete() int {
	n := 0
	for i := range d.r.Blocks {
		if len(d.r.Blocks[i].Runs) == 2 || len(d.r.Blocks[i].Void) > 0 {
			n++
		}
	}
	return n
}

// short names a metric within a sentence.
func short(m result.Metric) string {
	if m.Name == "tps" {
		return "tps"
	}
	return m.Title
}

var verdictTones = map[stat.Word]tone{
	stat.Improved: green, stat.Regressed: red, stat.Equivalent: cyan, stat.Inconclusive: yellow, stat.Indicative: yellow, stat.Unsuitable: red,
}

// head is the verdict, and what was compared.
func (d *resultPage) head() {
	r := d.r
	if d.e != nil {
		d.line(d.tint(strong, clean(d.e.Title)))
		d.para("", plain, d.e.Question)
		d.gap()
	}
	lead, lines, t := d.verdict()
	for i, l := range lines {
		if i == 0 {
			d.para(lead+": ", t, l)
			continue
		}
		d.para(strings.Repeat(" ", runes(lead)+2), plain, l)
	}
	if text := d.calibration(); text != "" {
		d.gap()
		d.para("", plain, text)
	}
	d.gap()
	if r.Design == result.Single {
		d.arm("", &r.A)
		return
	}
	d.arm("A  ", &r.A)
	d.arm("B  ", &r.B)
}

// verdict is the word for it, and what there is to say of it.
func (d *resultPage) verdict() (lead string, lines []string, t tone) {
	r := d.r
	switch {
	case r.Design == result.Single:
		lead, text, t := d.alone()
		return lead, []string{text}, t
	case d.interrupted():
		return "INTERRUPTED", []string{fmt.Sprintf("%s of %d were measured. There is no verdict yet: blocks that were looked at before the end would bias it.", count(d.complete(), "block", "blocks"), r.Spec.Blocks)}, yellow
	}
	for _, w := range r.Verdict.Words(short(d.m)) {
		lines = append(lines, w.In(d.st.Words))
	}
	if !d.m.HigherIsBetter && (r.Word == stat.Improved || r.Word == stat.Regressed) {
		lines = append(lines, "Of "+short(d.m)+" less is better.")
	}
	return string(r.Word), lines, verdictTones[r.Word]
}

// calibration is what a configuration compared with itself says; "" of any other.
func (d *resultPage) calibration() string {
	r := d.r
	switch {
	case r.Name != AA || d.interrupted() || r.Design == result.Single:
		return ""
	case r.Word == stat.Improved || r.Word == stat.Regressed:
		return "The same configuration was compared with itself, and a difference was found: one time in twenty that is chance. Run it again; if it stays, something on this machine favours one place in the order, and no comparison made here can be believed."
	}
	return fmt.Sprintf("The same configuration was compared with itself: a block here deviates by %s %%, and %d blocks would find a change of ±%s %% four times out of five.", percent(r.SD), r.N, percent(r.MDE))
}

// arm names a configuration and its values.
func (d *resultPage) arm(lead string, a *result.Arm) {
	d.line(lead, d.tint(strong, clean(a.Name)))
	d.para("   ", faint, armValues(a))
}

// armValues are what differs from the server's defaults.
func armValues(a *result.Arm) string {
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
func (d *resultPage) alone() (lead, text string, t tone) {
	var logs, figures []float64
	for i := range d.r.Blocks {
		b := &d.r.Blocks[i]
		if len(b.Void) > 0 || b.Run("A") == nil {
			continue
		}
		if v := d.m.Of(b.Run("A")); v.Known() {
			figures = append(figures, float64(v))
			logs = append(logs, math.Log(float64(v)))
		}
	}
	what := figure(d.m, stat.Number(stat.Median(figures))) + " " + short(d.m)
	switch len(figures) {
	case 0:
		return "NOT MEASURED", fmt.Sprintf("no run counts (%s).", count(d.r.Void, "void", "void")), red
	case 1:
		return "MEASURED", what + " in one run: how far another would be from it is not known.", cyan
	}
	e := stat.Of(logs)
	low, high := e.Interval(0.95)
	return "MEASURED", fmt.Sprintf("%s (median of %d runs, %s to %s; 95 %% CI of the mean %s…%s).", what, len(figures),
		figure(d.m, stat.Number(slices.Min(figures))), figure(d.m, stat.Number(slices.Max(figures))), figure(d.m, stat.Number(math.Exp(low))), figure(d.m, stat.Number(math.Exp(high)))), cyan
}

// single lists the runs of one configuration.
func (d *resultPage) single() {
	d.gap()
	d.memoryTable(d.runRows())
	d.voids()
}

// runRows are the runs of one configuration, with their head.
func (d *resultPage) runRows() [][]string {
	rows := [][]string{{"run", d.m.Title, "mean latency", "p95", "p99", "checkpoint after it"}}
	for i := range d.r.Blocks {
		b := &d.r.Blocks[i]
		run := b.Run("A")
		if run == nil {
			rows = append(rows, []string{strconv.Itoa(b.Number), "void", "", "", "", ""})
			continue
		}
		row := []string{strconv.Itoa(b.Number), figure(d.m, d.m.Of(run)), millis(run.Latency.Mean), millis(run.Latency.P95), millis(run.Latency.P99), ""}
		if run.Checkpoint > 0 {
			row[5] = plainFigure(run.Checkpoint) + " s"
		}
		if len(b.Void) > 0 {
			row[1] = "void"
		}
		rows = append(rows, row)
	}
	return rows
}

// blocks lists what was measured, one line a block.
func (d *resultPage) blocks() {
	d.gap()
	d.line(d.tint(strong, "Blocks"), d.tint(faint, ", in the order in which they were run"))
	d.memoryTable(d.blockRows())
	d.voids()
}

// blockRows are the blocks with their head. Before the end they tell no figure.
func (d *resultPage) blockRows() [][]string {
	rows := [][]string{{"block", "order", "A, " + d.unit(), "B, " + d.unit(), "B against A"}}
	for i := range d.r.Blocks {
		b := &d.r.Blocks[i]
		row := []string{strconv.Itoa(b.Number), b.Order, "", "", ""}
		for k, arm := range []string{"A", "B"} {
			if run := b.Run(arm); run != nil {
				row[2+k] = figure(d.m, d.m.Of(run))
			}
		}
		switch {
		case len(b.Void) > 0:
			row[4] = "void"
		case d.interrupted():
			row[2], row[3] = "", "" // not shown before the end
			row[4] = "measured"
			if len(b.Runs) < 2 {
				row[4] = "begun"
			}
		default:
			row[4] = change(b.LogRatio)
		}
		rows = append(rows, row)
	}
	return rows
}

func (d *resultPage) voids() {
	list, sum := d.voidTold()
	for _, v := range list {
		d.para("  block "+strconv.Itoa(v.block)+" is void: ", faint, v.why)
	}
	t := faint
	if len(d.r.Blocks) == 0 {
		t = plain
	}
	d.para("  ", t, sum)
}

// void is a block that does not count.
type void struct {
	block int
	why   string
}

// voidTold gives the reasons, which were fixed before the first run, and how many
// there are.
func (d *resultPage) voidTold() (list []void, sum string) {
	for i := range d.r.Blocks {
		if b := &d.r.Blocks[i]; len(b.Void) > 0 {
			list = append(list, void{b.Number, strings.Join(b.Void, "; ") + "."})
		}
	}
	switch {
	case len(d.r.Blocks) == 0:
		return nil, "None was measured."
	case len(list) == 0:
		return nil, "None is void: nothing else disturbed the machine by more than the gates allow."
	}
	return list, fmt.Sprintf("Void: %d of %d. The gates were fixed before the first run, and see neither the arm of a run nor its figure.", len(list), len(d.r.Blocks))
}

// secondary is everything else that was measured.
func (d *resultPage) secondary() {
	rows := d.secondaryRows()
	if rows == nil {
		return
	}
	d.gap()
	d.line(d.tint(strong, "Exploratory"), d.tint(faint, ": "+exploratory))
	d.memoryTable(rows)
	if text := d.deferred(); text != "" {
		d.para("  ", faint, text)
	}
}

const exploratory = "none of these decides; p is adjusted for their number (Holm)"

// secondaryRows are the other metrics with their head; nil where there are none
// that may be shown.
func (d *resultPage) secondaryRows() [][]string {
	if len(d.r.Secondary) == 0 || d.interrupted() {
		return nil
	}
	rows := [][]string{{"metric", "A", "B", "B against A", "95 % CI", "p"}}
	for _, c := range d.r.Secondary {
		m, ok := result.MetricOf(c.Metric)
		if !ok {
			continue
		}
		row := []string{m.Title, figure(m, c.A), figure(m, c.B), "", "", ""}
		if c.Effect.Known() {
			row[3] = signedPercent(c.Effect) + " %"
			row[4] = signedPercent(c.Low) + "…" + signedPercent(c.High)
			row[5] = chance(c.P)
		}
		rows = append(rows, row)
	}
	return rows
}

// deferred is the work that runs left to the checkpoint after them.
func (d *resultPage) deferred() string {
	var by [2][]float64
	for i := range d.r.Blocks {
		for k, arm := range []string{"A", "B"} {
			if run := d.r.Blocks[i].Run(arm); run != nil && len(d.r.Blocks[i].Void) == 0 && run.Checkpoint > 0 {
				by[k] = append(by[k], run.Checkpoint)
			}
		}
	}
	if len(by[0]) == 0 || len(by[1]) == 0 {
		return ""
	}
	return fmt.Sprintf("Work put off: the checkpoint after a run took %s s under A and %s s under B (medians).", plainFigure(stat.Median(by[0])), plainFigure(stat.Median(by[1])))
}

// notes are what has to be known to read it.
func (d *resultPage) notes() {
	if d.e != nil {
		d.gap()
		d.para("The course says: ", plain, d.e.Told)
		d.para("To be expected: ", plain, d.e.Expect)
		d.para("Caution: ", yellow, d.e.Caution)
	}
	notes := d.noted()
	if len(notes) == 0 {
		return
	}
	d.gap()
	for _, n := range notes {
		d.para("• ", plain, n)
	}
}

// leastRun is how many seconds a run has to last: pgbench's manual asks for minutes.
const leastRun = 120

// noted is what has to be known, but for what a named experiment says of itself.
func (d *resultPage) noted() []string {
	unsteady, shortest := 0, math.Inf(1)
	for i := range d.r.Blocks {
		for _, run := range d.r.Blocks[i].Runs {
			shortest = min(shortest, run.Seconds)
			if !run.Steady {
				unsteady++
			}
		}
	}
	notes := slices.Clone(d.r.Notes)
	if d.r.Workload.Synthetic {
		notes = append(notes, "The load is synthetic: made from statistics, not from what users really sent.")
	}
	switch {
	case unsteady == 0:
	case d.r.Spec.Warmup == 0:
		notes = append(notes, "Not stationary: there was no warm-up, so that each run holds its own.")
	default:
		notes = append(notes, fmt.Sprintf("Not stationary: in %s the rate had not become flat when the warm-up ended. A longer --warmup may help; some loads never settle.", count(unsteady, "run", "runs")))
	}
	switch {
	case shortest >= leastRun:
	case d.r.Spec.Numbered():
		notes = append(notes, fmt.Sprintf("Short: one run came to its end after %s s, and a figure wants %d s and more. Ask for more --transactions.", plainFigure(shortest), leastRun))
	case d.r.Spec.Cycles > 0:
		notes = append(notes, fmt.Sprintf("Short: the cycles of one run came to an end after %s s, and a figure wants %d s and more. Ask for more --checkpoint-cycles, or for a --duration.", plainFigure(shortest), leastRun))
	}
	if d.e != nil {
		notes = slices.DeleteFunc(notes, func(n string) bool { return n == d.e.Caution })
	}
	return notes
}
