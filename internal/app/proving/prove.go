package proving

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/experiment/configure"
	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// ProveOptions are what a person says of a comparison of two configurations.
type ProveOptions struct {
	Options
	A, B     string // configurations, as experiment.ConfigurationSyntax has them
	Same     bool   // compare A with itself
	Exercise string // the name of an exercise, which says the rest; "": none
	Blocks   int
	Design   string // "": chosen
	Margin   float64
}

// fillIn fills in what a named experiment says, where nothing else was said.
func (o *ProveOptions) fillIn(ctx context.Context, h *app.Host) error {
	if o.Exercise == "" {
		return nil
	}
	e, ok := experiment.FindExercise(o.Exercise)
	if !ok {
		return say.Usage(fmt.Sprintf("--experiment: %q is not known", o.Exercise),
			say.DidYouMean(o.Exercise, experiment.ExerciseNames(), "the experiments are "+
				strings.Join(experiment.ExerciseNames(), ", ")))
	}
	for _, flag := range []string{"a", "b", "aa", "workload", "script", "metric"} {
		if o.Said(flag) {
			return say.Usage(fmt.Sprintf("--experiment %s says itself what --%s would", e.Name, flag),
				"leave one of them out")
		}
	}
	if e.Kernel && !o.Kernel {
		return &say.Problem{Message: fmt.Sprintf(
			"--experiment %s takes a pool of huge pages from this host's memory and gives it back", e.Name),
			Hint: "add --kernel where this machine may be touched", Code: say.CodeRefused}
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
	return ctx.Err()
}

// Prove gets a comparison ready: both configurations are made and tried, the design is
// chosen, and what it takes is estimated. Nothing is measured.
func Prove(ctx context.Context, h *app.Host, o *ProveOptions) (*Prepared, error) {
	if err := o.fillIn(ctx, h); err != nil {
		return nil, err
	}
	switch {
	case o.Same && o.Said("b"):
		return nil, say.Usage("--aa compares --a with itself", "leave --b out")
	case o.Same:
		o.B = o.A
	case o.B == "":
		return nil, say.Usage("what to compare is not said",
			"name two configurations with --a and --b, or an --experiment; 'pgfettle prove --help' says how")
	}
	switch {
	case o.Blocks < 2 || o.Blocks > mostBlocks:
		return nil, say.Usage(fmt.Sprintf("--blocks: %d is out of range", o.Blocks),
			fmt.Sprintf("write a whole number from 2 to %d; a verdict needs %d", mostBlocks, stat.FewestBlocks))
	case !(o.Margin > 0 && o.Margin <= 50): // beyond it a half would be the same as the whole
		return nil, say.Usage(fmt.Sprintf("--margin: %g is out of range", o.Margin),
			"write a percentage above 0 and at most 50, such as 2")
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
	e.Spec.Blocks, e.Spec.Margin = o.Blocks, o.Margin
	e.Name = o.Exercise
	if o.Same {
		e.Name = experiment.CompareSame
	}
	trial, err := o.open(ctx, h, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = trial.Close() }()
	maker := o.maker(h, trial, e.Spec.Clients)
	if e.A, err = maker.Make(ctx, "--a", o.A); err != nil {
		return nil, err
	}
	if e.B, err = maker.Make(ctx, "--b", o.B); err != nil {
		return nil, err
	}
	d := experiment.Differences(&e.A, &e.B, e.Binaries.Version.Major())
	if len(d) == 0 && !o.Same {
		hint := "say --aa to compare a configuration with itself, or name another one"
		if len(e.A.Omitted)+len(e.B.Omitted) > 0 {
			hint = "what a scratch instance cannot hold is left out of both, and nothing else differs; " + hint
		}
		return nil, &say.Problem{Message: "both configurations are the same", Hint: hint, Code: say.CodeUsage}
	}
	why, err := o.decide(e, w, d)
	if err != nil {
		return nil, err
	}
	if x, ok := experiment.FindExercise(o.Exercise); ok {
		e.Notes = append(e.Notes, x.Caution)
	} else {
		cautions := append(e.A.Cautions(), e.B.Cautions()...)
		slices.Sort(cautions)
		e.Notes = append(e.Notes, slices.Compact(cautions)...)
	}
	if err := trial.Close(); err != nil { // it takes nothing while runs are measured
		return nil, err
	}
	return o.prepare(ctx, h, e, Prepared{Title: w.Title, Differences: d, Why: why})
}

// mostBlocks is what the document takes.
const mostBlocks = 500

// decide chooses the design, and the metric with it, where nobody did, and says why.
func (o *ProveOptions) decide(e *engine.Order, w *workload.Workload, d []experiment.Difference) (string, error) {
	off := experiment.CheckpointSettings(d)
	deferred := w.Writes && len(off) > 0
	shared := len(e.A.Kernel)+len(e.B.Kernel) > 0 || e.A.HugePages+e.B.HugePages > 0
	why := ""
	switch {
	case o.Design != "":
		switch e.Design = o.Design; {
		case e.Design == experiment.DesignSlices && o.Cycles > 0:
			return "", say.Usage("--checkpoint-cycles wants runs of their own length, and slices are short",
				"leave --design slices out")
		case e.Design == experiment.DesignSlices && o.fixed():
			return "", say.Usage("a fixed number of transactions takes its own time, and slices have a fixed one",
				"leave --design slices out")
		}
	case o.Cycles > 0:
		e.Design, why = experiment.DesignRestart,
			"Restarts, because a run of whole checkpoint cycles begins right after a checkpoint and ends with one."
	case o.fixed():
		e.Design, why = experiment.DesignRestart,
			"Restarts, because a run of a fixed number of transactions takes its own time."
	case shared:
		e.Design, why = experiment.DesignRestart,
			"Restarts, because what differs is the host's, and both servers would have it."
	case deferred:
		e.Design, why = experiment.DesignRestart, "Restarts, because "+strings.Join(off, ", ")+
			" moves work to checkpoints or away from them, which both servers at once would do to each other."
	case e.A.Buffers(e.Binaries.Version.Major())+e.B.Buffers(e.Binaries.Version.Major()) > unit.Bytes(e.Host.Memory)/4:
		// the page cache wants the rest, twice, as each server has its own copy of the data
		e.Design, why = experiment.DesignRestart,
			"Restarts, because the shared buffers of both servers at once would leave each less of the page cache "+
				"than it has alone."
	case e.Spec.Cache != "warm":
		e.Design, why = experiment.DesignRestart, "Restarts, because the cache is to be "+e.Spec.Cache+
			" before each run."
	default:
		e.Design, why = experiment.DesignSlices,
			"Slices, because nothing here needs a restart: they find smaller differences in less time."
	}
	if deferred && o.Cycles == 0 && !o.Said("metric") && o.Exercise == "" {
		e.Metric = "tps_with_checkpoint"
		why += " The checkpoint after a run is charged to it (amortised, so approximate): work that is only put off " +
			"is no gain."
	}
	o.durations(e, deferred)
	if w.Uneven && !e.Spec.Numbered() {
		e.Notes = append(e.Notes, "The transactions of "+w.Name+
			" differ by orders of magnitude, and runs of a time by what they happened to draw. --transactions 100 "+
			"--duration 0 gives both configurations the same ones, and finds much smaller differences.")
	}
	e.Notes = append(e.Notes, o.checkpoints(e, deferred, off)...)
	return strings.TrimSpace(why), nil
}

// leastAmortised is the time over which the checkpoint after a run can be charged
// to it, in seconds; in a shorter one it is most of the figure.
const leastAmortised = 180

// checkpoints says what has to be known of a figure for which checkpoints count.
func (o *ProveOptions) checkpoints(e *engine.Order, deferred bool, off []string) []string {
	var notes []string
	s := e.Spec
	switch {
	case s.Cycles > 0:
	case e.Metric == "tps_with_checkpoint":
		notes = append(notes,
			"Amortised, so approximate: to the time of each run that of one checkpoint after it is added. "+
				"--checkpoint-cycles 2 measures whole cycles instead, and takes longer.")
		if !s.Numbered() && s.Duration < leastAmortised {
			notes = append(notes,
				fmt.Sprintf(
					"Runs of %g s are too short for that: below %d s the checkpoint after a run weighs more than it "+
						"does in operation.", s.Duration, leastAmortised))
		}
	case deferred && s.Numbered():
		notes = append(notes, strings.Join(off, ", ")+
			" moves work to checkpoints or away from them, and what a run puts off is not charged to its time. "+
			"--metric tps_with_checkpoint --duration 0 charges it.")
	case deferred && o.Exercise == "":
		if whole := 2 * max(configure.CheckpointTimeout(&e.A),
			configure.CheckpointTimeout(&e.B)); s.Duration < whole.Seconds() {
			notes = append(notes,
				fmt.Sprintf(
					"%s moves work to checkpoints or away from them, and a run of %g s may hold less than two of "+
						"their cycles (%s by time): what it puts off is not charged. --checkpoint-cycles 2 makes "+
						"runs long enough.",
					strings.Join(off, ", "), s.Duration, experiment.Span(whole)))
		}
	}
	return notes
}
