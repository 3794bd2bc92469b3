package proving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/configure"
	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// ProveOptions are what a person says of a comparison of two configurations.
type ProveOptions struct {
	Options
	A, B   string // configurations, as experiment.ConfigurationSyntax has them
	Same   bool   // compare A with itself
	MajorB int    // of the server of B; 0: that of A
	BinB   string // folder of its programs; "": looked for
	// DatabaseB is the conninfo of an existing database that B runs on; "": that of A
	DatabaseB string
	Exercise  string // the name of an exercise, which says the rest; "": none
	Blocks    int
	// evaluated after each of stat.Looks; Blocks are the most
	Sequential bool
	Design     string // "": chosen
	Margin     float64
}

// fillIn fills in what a named experiment says, if nothing else was said.
func (o *ProveOptions) fillIn(ctx context.Context, h *app.Host) error {
	if o.Exercise == "" {
		return nil
	}
	e, ok := experiment.FindExercise(o.Exercise)
	if !ok {
		return say.Usage(say.M("invalid value for --experiment: {exercise}", "exercise", say.Quoted(o.Exercise)),
			say.DidYouMean(o.Exercise, experiment.ExerciseNames(), say.M("Use one of: {exerciseNames}.",
				"exerciseNames", say.Names(experiment.ExerciseNames(), 0))))
	}
	for _, flag := range []string{"a", "b", "aa", "workload", "script", "metric"} {
		if o.Said(flag) {
			return say.Usage(say.M("--experiment {name} and --{flag} cannot be used together", "name", e.Name, "flag",
				flag),
				say.M("Use only one of them."))
		}
	}
	if e.Kernel && !o.Kernel {
		return &say.Problem{Message: say.M("--experiment {name} temporarily reserves huge pages on this host", "name",
			e.Name),
			Hint: say.M("If this is acceptable on this host, add --kernel."), Code: say.CodeRefused}
	}
	memory, err := hostMemory(h)
	if err != nil {
		return err
	}
	o.A, o.B = e.Configurations(memory)
	o.Workload, o.Metric = e.Workload, e.Metric
	if !o.Said("clients") && e.Clients > 0 {
		o.Clients = e.Clients
	}
	if !o.Said("scale") {
		o.Scale = fmt.Sprint(e.Scale)
		if e.Times > 0 {
			o.Scale = fmt.Sprintf("%gx", e.Times)
		}
	}
	if !o.Said("protocol") && e.Protocol != "" {
		o.Protocol = e.Protocol
	}
	if !o.Said("design") {
		o.Design = e.Design
	}
	if !o.Said("restore") {
		o.Restore = e.Restore
	}
	if !o.Said("duration") {
		o.Duration = time.Duration(e.Duration * float64(time.Second))
	}
	if !o.Said("warmup") {
		o.Warmup = time.Duration(e.Warmup * float64(time.Second))
	}
	return ctx.Err()
}

// Prove gets a comparison ready: both configurations are made and tried, the design is
// chosen, and what it takes is estimated. Nothing is measured.
func Prove(ctx context.Context, h *app.Host, o *ProveOptions) (*Prepared, error) {
	if err := o.ofExisting(); err != nil {
		return nil, err
	}
	if err := o.fillIn(ctx, h); err != nil {
		return nil, err
	}
	switch {
	case o.Same && o.Said("b"):
		return nil, say.Usage(say.M("--aa and --b cannot be used together"), say.M("Omit --b: --aa compares --a with "+
			"itself."))
	case o.second() && (o.Same || o.Exercise != "" || o.Workload == workload.FromStatements || o.KeepData):
		return nil, say.Usage(say.M("--b-pg and --b-bin compare two servers, and cannot be used with --aa, "+
			"--experiment, --keep-data or the load from-statements"), say.M("Use only one of them."))
	case (o.second() || o.DatabaseB != "") && o.B == "":
		o.B = o.A // the same on both servers
	case o.Same:
		o.B = o.A
	case o.B == "":
		return nil, say.Usage(say.M("missing flag --b"),
			say.M("Name two configurations with --a and --b, or use --experiment. For details: pgfettle prove --help"))
	}
	switch {
	case o.Blocks < 2 || o.Blocks > MostBlocks:
		return nil, say.Usage(say.M("value out of range for --blocks: {blocks}", "blocks", fmt.Sprint(o.Blocks)),
			say.M("Use a whole number from 2 to {mostBlocks}; a verdict requires {fewestBlocks}.", "mostBlocks",
				fmt.Sprint(MostBlocks), "fewestBlocks", fmt.Sprint(stat.FewestBlocks)))
	case o.Sequential && o.Said("blocks") && o.Blocks > stat.Looks[len(stat.Looks)-1]:
		return nil, say.Usage(say.M("value out of range for --blocks: {blocks}", "blocks", o.Blocks),
			say.M("With --sequential, use at most {n} blocks.", "n", stat.Looks[len(stat.Looks)-1]))
	case !(o.Margin > 0 && o.Margin <= 50): // beyond it a half would be the same as the whole
		return nil, say.Usage(say.M("value out of range for --margin: {margin}", "margin", fmt.Sprintf("%g", o.Margin)),
			say.M("Use a percentage above 0 and at most 50, such as 2."))
	}
	if o.Design != "" {
		if err := oneOf("design", o.Design, experiment.DesignRestart, experiment.DesignSlices); err != nil {
			return nil, err
		}
	}
	e, w, err := o.order(ctx, h)
	if err != nil {
		return nil, err
	}
	e.Spec.Blocks, e.Spec.Margin, e.Spec.Sequential = o.Blocks, o.Margin, o.Sequential
	if o.Sequential && !o.Said("blocks") {
		e.Spec.Blocks = stat.Looks[len(stat.Looks)-1]
	}
	e.Name = o.Exercise
	if o.Same {
		e.Name = experiment.CompareSame
	}
	if o.existing() {
		return o.byTurns(ctx, h, e, w)
	}
	trial, err := o.open(ctx, h, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = trial.Close() }()
	if e.A, err = o.maker(h, trial, e.Spec.Clients).Make(ctx, "--a", o.A); err != nil {
		return nil, err
	}
	ofB := trial
	if o.second() {
		if ofB, err = o.openSecond(ctx, h, e); err != nil {
			return nil, err
		}
		defer func() { _ = ofB.Close() }()
	}
	if e.B, err = o.maker(h, ofB, e.Spec.Clients).Make(ctx, "--b", o.B); err != nil {
		return nil, err
	}
	d := experiment.Differences(&e.A, &e.B, e.Binaries.Version.Major())
	if o.second() {
		d = append([]experiment.Difference{{Address: "PostgreSQL", A: e.Binaries.Version.String(),
			B: e.Second.Version.String()}}, d...)
	}
	if len(d) == 0 && !o.Same {
		hint := say.M("Name another configuration, or use --aa to compare one with itself.")
		if len(e.A.Omitted)+len(e.B.Omitted) > 0 {
			hint = say.All(" ", say.M("They differ only in settings that a scratch instance cannot use."), hint)
		}
		return nil, &say.Problem{Message: say.M("both configurations are identical"), Hint: hint, Code: say.CodeUsage}
	}
	why, err := o.decide(e, w, d)
	if err != nil {
		return nil, err
	}
	if x, ok := experiment.FindExercise(o.Exercise); ok {
		e.Notes = append(e.Notes, x.Caution)
	} else {
		cautions := append(e.A.Cautions(), e.B.Cautions()...)
		slices.SortFunc(cautions, func(a, b say.Message) int { return strings.Compare(a.Text, b.Text) })
		e.Notes = append(e.Notes, slices.CompactFunc(cautions, say.Message.Equal)...)
	}
	if err := errors.Join(trial.Close(), ofB.Close()); err != nil { // they take nothing while runs are measured
		return nil, err
	}
	return o.prepare(ctx, h, e, Prepared{Title: w.Title, Differences: d, Why: why})
}

// ofExisting refuses what an experiment on existing databases cannot have.
func (o *ProveOptions) ofExisting() error {
	if !o.existing() {
		if o.DatabaseB != "" {
			return say.Usage(say.M("--b-database requires --database"), say.M("Name the database of A with "+
				"--database."))
		}
		return nil
	}
	if err := o.notWith("pg", "bin", "b-pg", "b-bin", "kernel", "keep-data", "restore", "design", "checkpoint-cycles",
		"experiment"); err != nil {
		return err
	}
	if o.DatabaseB != "" && o.Same {
		return say.Usage(say.M("--aa and --b-database cannot be used together"), say.M("Omit --aa: two databases are "+
			"compared."))
	}
	if !o.Said("a") {
		o.A = string(experiment.BaseCurrent)
	}
	return nil
}

// byTurns gets a comparison on existing databases ready.
func (o *ProveOptions) byTurns(ctx context.Context, h *app.Host, e *engine.Order, w *workload.Workload) (*Prepared,
	error) {
	err := o.onDatabases(ctx, h, e, w, o.DatabaseB)
	if err != nil {
		return nil, err
	}
	if e.A, err = onSession(ctx, "--a", o.A, e.On); err != nil {
		return nil, err
	}
	if e.B, err = onSession(ctx, "--b", o.B, e.OnB); err != nil {
		return nil, err
	}
	level(&e.A, &e.B, e.On, e.OnB)
	d := experiment.Differences(&e.A, &e.B, e.On.Version.Major())
	if !e.On.Same(e.OnB) {
		d = append([]experiment.Difference{{Address: "PostgreSQL", A: e.Server, B: e.ServerB}}, d...)
	}
	if len(d) == 0 && !o.Same {
		return nil, &say.Problem{Message: say.M("both configurations are identical"), Hint: say.M("Name another " +
			"configuration, or use --aa to compare one with itself."), Code: say.CodeUsage}
	}
	e.Design = experiment.DesignTurns
	o.durations(e, false)
	return o.prepare(ctx, h, e, Prepared{Title: w.Title, Differences: d, Why: say.M("Design turns: the server of an " +
		"existing database is not restarted; what differs is set by each session.")})
}

// second says that B runs on another server than A.
func (o *ProveOptions) second() bool { return o.MajorB != 0 || o.BinB != "" }

// openSecond finds the programs of the server of B and gets ready to try its configuration on them.
func (o *ProveOptions) openSecond(ctx context.Context, h *app.Host, e *engine.Order) (*configure.Trial, error) {
	if o.MajorB != 0 && !slices.Contains(params.Majors(), o.MajorB) {
		return nil, say.Usage(say.M("invalid value for --b-pg: {major}", "major", fmt.Sprint(o.MajorB)),
			say.M("Use a major version from {first} to {last}.", "first", fmt.Sprint(params.Majors()[0]),
				"last", fmt.Sprint(slices.Max(params.Majors()))))
	}
	trial, err := o.steps().Open(ctx, h.Target, configure.Choice{Major: o.MajorB, Bin: o.BinB, Tool: h.Tool(),
		Scratch: e.Scratch, Measured: h.MeasuredDirs()})
	if err != nil {
		return nil, err
	}
	if trial.Server == e.Binaries {
		return nil, errors.Join(say.Usage(say.M("A and B run on the same server, {server}", "server", trial.Server),
			say.M("Name another one with --b-pg or --b-bin, or omit both.")), trial.Close())
	}
	e.Second, e.ServerB = trial.Server, trial.Server.String()
	return trial, nil
}

// MostBlocks is what the document takes.
const MostBlocks = 500

// decide chooses the design, and the metric with it, if not specified, and says why.
func (o *ProveOptions) decide(e *engine.Order, w *workload.Workload, d []experiment.Difference) (say.Message,
	error) {
	off := experiment.CheckpointSettings(d)
	deferred := w.Writes && len(off) > 0
	shared := len(e.A.Kernel)+len(e.B.Kernel) > 0 || e.A.HugePages+e.B.HugePages > 0
	var why say.Message
	switch {
	case o.Design != "":
		switch e.Design = o.Design; {
		case e.Design == experiment.DesignSlices && o.Cycles > 0:
			return why, say.Usage(say.M("--checkpoint-cycles cannot be used with --design slices"),
				say.M("Omit --design: runs must last whole checkpoint cycles."))
		case e.Design == experiment.DesignSlices && o.fixed():
			return why, say.Usage(say.M("--design slices cannot be used with a fixed number of transactions"),
				say.M("Omit --design: the duration of such runs varies."))
		}
	case o.Cycles > 0:
		e.Design, why = experiment.DesignRestart,
			say.M("Design restart: each run lasts whole checkpoint cycles.")
	case o.fixed():
		e.Design, why = experiment.DesignRestart,
			say.M("Design restart: the duration of a fixed number of transactions varies.")
	case shared:
		e.Design, why = experiment.DesignRestart,
			say.M("Design restart: the configurations differ in settings of the host, which both servers would share.")
	case deferred:
		e.Design, why = experiment.DesignRestart, say.M("Design restart: {names} shifts work to or from checkpoints, "+
			"so two servers at once would affect each other.", "names", say.Names(off, 0))
	case e.A.Buffers(e.Binaries.Version.Major())+e.B.Buffers(e.Binaries.Version.Major()) > unit.Bytes(e.Host.Memory)/4:
		// the page cache wants the rest, twice, as each server has its own copy of the data
		e.Design, why = experiment.DesignRestart,
			say.M("Design restart: with both servers up, their shared buffers would leave less page cache for each.")
	case e.Spec.Cache != "warm":
		e.Design, why = experiment.DesignRestart, say.M("Design restart: the cache must be {cache} before each run.",
			"cache", e.Spec.Cache)
	default:
		e.Design, why = experiment.DesignSlices,
			say.M("Design slices: no restart is required, and slices detect smaller differences in less time.")
	}
	if deferred && o.Cycles == 0 && !o.Said("metric") && o.Exercise == "" {
		e.Metric = "tps_with_checkpoint"
		why = say.All(" ", why, say.M("The checkpoint after each run counts as part of the run (approximate), because "+
			"deferred work is no gain."))
	}
	o.durations(e, deferred)
	if w.Uneven && !e.Spec.Numbered() {
		e.Notes = append(e.Notes, say.M("Durations of {name} transactions differ by orders of magnitude, so timed "+
			"runs "+
			"vary with the random choice of transactions. To run the same ones with both configurations and detect "+
			"much smaller differences, use --transactions 100 --duration 0", "name", w.Name))
	}
	e.Notes = append(e.Notes, o.checkpoints(e, deferred, off)...)
	return why, nil
}

// leastAmortised is the time over which the checkpoint after a run can be charged
// to it, in seconds; in a shorter one it is most of the figure.
const leastAmortised = 180

// checkpoints says what has to be known of a figure for which checkpoints count.
func (o *ProveOptions) checkpoints(e *engine.Order, deferred bool, off []string) []say.Message {
	var notes []say.Message
	s := e.Spec
	switch {
	case s.Cycles > 0:
	case e.Metric == "tps_with_checkpoint":
		notes = append(notes,
			say.M("Approximate: the time of one checkpoint after each run is added to the time of the run. To measure "+
				"whole checkpoint cycles instead, which takes longer, use --checkpoint-cycles 2"))
		if !s.Numbered() && s.Duration < leastAmortised {
			notes = append(notes, say.M("Runs of {size} are too short for this: below {limit}, the checkpoint after "+
				"a run "+
				"weighs more than in production.", "size", seconds(s.Duration), "limit", seconds(leastAmortised)))
		}
	case deferred && s.Numbered():
		notes = append(notes, say.M("{names} shifts work to or from checkpoints, and deferred work is not part of a "+
			"run. "+
			"To include it, use --metric tps_with_checkpoint --duration 0", "names", say.Names(off, 0)))
	case deferred && o.Exercise == "":
		if whole := 2 * max(configure.CheckpointTimeout(&e.A),
			configure.CheckpointTimeout(&e.B)); s.Duration < whole.Seconds() {
			notes = append(notes, say.M("{names} shifts work to or from checkpoints, and a run of {size} may contain "+
				"less "+
				"than two timed checkpoint cycles ({span}), so deferred work is not part of a run. For runs that are "+
				"long enough, use --checkpoint-cycles 2", "names", say.Names(off, 0), "size", seconds(s.Duration),
				"span", experiment.Span(whole)))
		}
	}
	return notes
}

func seconds(n float64) say.Number { return say.Number(fmt.Sprintf("%g s", n)) }
