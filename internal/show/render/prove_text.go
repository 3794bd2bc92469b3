package render

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
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
	m, _ := result.MetricOf(r.Metric)
	d := &resultPage{page: p, r: r, m: m, e: named(r.Name)}
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
	switch {
	case r.Design == result.Single:
		d.alone()
	case d.interrupted():
		d.para("INTERRUPTED: ", yellow, fmt.Sprintf("%s of %d were measured. There is no verdict yet: blocks that were looked at before the end would bias it.", count(d.complete(), "block", "blocks"), r.Spec.Blocks))
	default:
		words := r.Verdict.Words(short(d.m))
		lead := string(r.Word) + ": "
		for i, w := range words {
			text := w.In(d.st.Words)
			if i == 0 {
				d.para(lead, verdictTones[r.Word], text)
				continue
			}
			d.para(strings.Repeat(" ", runes(lead)), plain, text)
		}
		if !d.m.HigherIsBetter && (r.Word == stat.Improved || r.Word == stat.Regressed) {
			d.para(strings.Repeat(" ", runes(lead)), plain, "Of "+short(d.m)+" less is better.")
		}
		d.calibration()
	}
	d.gap()
	if r.Design == result.Single {
		d.arm("", &r.A)
		return
	}
	d.arm("A  ", &r.A)
	d.arm("B  ", &r.B)
}

// calibration is what a configuration compared with itself says.
func (d *resultPage) calibration() {
	r := d.r
	if r.Name != AA {
		return
	}
	text := fmt.Sprintf("The same configuration was compared with itself: a block here deviates by %s %%, and %d blocks would find a change of ±%s %% four times out of five.", percent(r.SD), r.N, percent(r.MDE))
	if r.Word == stat.Improved || r.Word == stat.Regressed {
		text = "The same configuration was compared with itself, and a difference was found: one time in twenty that is chance. Run it again; if it stays, something on this machine favours one place in the order, and no comparison made here can be believed."
	}
	d.gap()
	d.para("", plain, text)
}

// arm names a configuration and its values.
func (d *resultPage) arm(lead string, a *result.Arm) {
	d.line(lead, d.tint(strong, clean(a.Name)))
	var values []string
	for _, s := range a.Settings {
		name, isServer := strings.CutPrefix(s.Address, "pg:")
		if !isServer {
			name = s.Address
		}
		values = append(values, name+" = "+s.Value)
	}
	if len(values) == 0 {
		values = []string{"the server's defaults"}
	}
	d.para("   ", faint, strings.Join(values, ", "))
}

// alone is the figure of a configuration that was compared with nothing.
func (d *resultPage) alone() {
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
		d.para("NOT MEASURED: ", red, fmt.Sprintf("no run counts (%s).", count(d.r.Void, "void", "void")))
		return
	case 1:
		d.para("MEASURED: ", cyan, what+" in one run: how far another would be from it is not known.")
		return
	}
	e := stat.Of(logs)
	low, high := e.Interval(0.95)
	d.para("MEASURED: ", cyan, fmt.Sprintf("%s (median of %d runs, %s to %s; 95 %% CI of the mean %s…%s).", what, len(figures),
		figure(d.m, stat.Number(slices.Min(figures))), figure(d.m, stat.Number(slices.Max(figures))), figure(d.m, stat.Number(math.Exp(low))), figure(d.m, stat.Number(math.Exp(high)))))
}

// single lists the runs of one configuration.
func (d *resultPage) single() {
	d.gap()
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
	d.memoryTable(rows)
	d.voids()
}

// blocks lists what was measured, one line a block.
func (d *resultPage) blocks() {
	d.gap()
	d.line(d.tint(strong, "Blocks"), d.tint(faint, ", in the order in which they were run"))
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
	d.memoryTable(rows)
	d.voids()
}

// voids gives the reasons, which were fixed before the first run.
func (d *resultPage) voids() {
	n := 0
	for i := range d.r.Blocks {
		b := &d.r.Blocks[i]
		if len(b.Void) == 0 {
			continue
		}
		n++
		d.para(fmt.Sprintf("  block %d is void: ", b.Number), faint, strings.Join(b.Void, "; ")+".")
	}
	switch {
	case len(d.r.Blocks) == 0:
		d.para("  ", plain, "None was measured.")
	case n == 0:
		d.para("  ", faint, "None is void: nothing else disturbed the machine by more than the gates allow.")
	default:
		d.para("  ", faint, fmt.Sprintf("Void: %d of %d. The gates were fixed before the first run, and see neither the arm of a run nor its figure.", n, len(d.r.Blocks)))
	}
}

// secondary is everything else that was measured.
func (d *resultPage) secondary() {
	if len(d.r.Secondary) == 0 || d.interrupted() {
		return
	}
	d.gap()
	d.line(d.tint(strong, "Exploratory"), d.tint(faint, ": none of these decides; p is adjusted for their number (Holm)"))
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
	d.memoryTable(rows)
	d.deferred()
}

// deferred is the work that runs left to the checkpoint after them.
func (d *resultPage) deferred() {
	var by [2][]float64
	for i := range d.r.Blocks {
		for k, arm := range []string{"A", "B"} {
			if run := d.r.Blocks[i].Run(arm); run != nil && len(d.r.Blocks[i].Void) == 0 && run.Checkpoint > 0 {
				by[k] = append(by[k], run.Checkpoint)
			}
		}
	}
	if len(by[0]) > 0 && len(by[1]) > 0 {
		d.para("  ", faint, fmt.Sprintf("Work put off: the checkpoint after a run took %s s under A and %s s under B (medians).", plainFigure(stat.Median(by[0])), plainFigure(stat.Median(by[1]))))
	}
}

// leastRun is how many seconds a run has to last: pgbench's manual asks for minutes.
const leastRun = 120

// notes are what has to be known to read it.
func (d *resultPage) notes() {
	unsteady, shortest := 0, math.Inf(1)
	for i := range d.r.Blocks {
		for _, run := range d.r.Blocks[i].Runs {
			if !run.Steady {
				unsteady++
			}
			shortest = min(shortest, run.Seconds)
		}
	}
	notes := slices.Clone(d.r.Notes)
	if d.r.Workload.Synthetic {
		notes = append(notes, "The load is synthetic: made from statistics, not from what users really sent.")
	}
	if d.r.Spec.Cycles > 0 && shortest < leastRun {
		notes = append(notes, fmt.Sprintf("Short: the cycles of one run came to an end after %s s, and a figure wants %d s and more. Ask for more --checkpoint-cycles, or for a --duration.", plainFigure(shortest), leastRun))
	}
	if unsteady > 0 {
		notes = append(notes, fmt.Sprintf("Not stationary: in %s the rate had not become flat when the warm-up ended. A longer --warmup may help; some loads never settle.", count(unsteady, "run", "runs")))
	}
	if d.e != nil {
		d.gap()
		d.para("The course says: ", plain, d.e.Told)
		d.para("To be expected: ", plain, d.e.Expect)
		d.para("Caution: ", yellow, d.e.Caution)
		notes = slices.DeleteFunc(notes, func(n string) bool { return n == d.e.Caution })
	}
	if len(notes) == 0 {
		return
	}
	d.gap()
	for _, n := range notes {
		d.para("• ", plain, n)
	}
}

// surroundings are where it was measured, and what else went on.
func (d *resultPage) surroundings() {
	r := d.r
	d.gap()
	d.line(d.tint(strong, "Measured on"))
	host := clean(r.Host.Line)
	if host != "" {
		host += ", "
	}
	d.para("  ", plain, fmt.Sprintf("%s%s, %s of memory, Linux %s", host, count(r.Host.CPUs, "CPU", "CPUs"), unit.Bytes(r.Host.Memory), clean(r.Host.Kernel)))
	d.para("  ", plain, fmt.Sprintf("PostgreSQL %s, %s", clean(r.Host.Server), orUnknown(r.Host.Pgbench, "pgbench of unknown version")))
	load := fmt.Sprintf("%s at scale %d", clean(r.Workload.Name), r.Workload.Scale)
	if r.Workload.Synthetic {
		load = clean(r.Workload.Name)
	}
	if r.Workload.Bytes > 0 {
		load += fmt.Sprintf(" (%s before the first run)", unit.Bytes(r.Workload.Bytes))
	}
	d.para("  ", plain, load+"; "+specWords(r))
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
	if len(said) > 0 {
		d.para("  ", faint, "over all runs: "+strings.Join(said, ", "))
	}
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
