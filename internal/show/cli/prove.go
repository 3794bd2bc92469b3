package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/prove"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/spf13/cobra"
)

type proveOptions struct {
	trial      trialOptions
	a, b       string
	aa         bool
	experiment string
	blocks     int
	design     string
	margin     float64
	failOn     string
	report     string
	resume     string
	clean      bool
}

func newProve(env *Env) *cobra.Command {
	o := &proveOptions{}
	cmd := &cobra.Command{
		Use:   "prove [TARGET]",
		Short: "Compare two configurations under load on a scratch instance",
		Long: `Run two configurations of PostgreSQL under the same load, by turns, on a scratch
instance of this host, and say what the difference is: with a confidence interval,
or with the smallest difference that would have been found. No instance that is in
use is touched, and nothing is left behind but the documents.

` + experiment.ConfigurationSyntax + `

The unit is a block: two runs close in time, one of each arm, in balanced order. A
verdict needs 6 blocks. One metric decides and is declared before the first run.
Blocks that something else on the machine disturbed are void by gates that do not
see the arm; they are repeated and counted. What it will take is estimated first.

Verdicts: IMPROVED and REGRESSED (the 95 % interval excludes none), EQUIVALENT
(within ±--margin), INCONCLUSIVE (neither; it says what would have been found).
Whatever the verdict, the exit code is 0, unless --fail-on says otherwise.

--experiment runs an exercise of a course as a proper experiment: ` + strings.Join(experiment.ExerciseNames(), ", ") + `.
--aa compares a configuration with itself, which tells how small a difference can
be found on this machine. --report shows a finished experiment again, --resume goes
on with one that was interrupted, --clean removes what a killed one left behind, and
the data that --keep-data left.

--workload from-statements makes the load from pg_stat_statements of TARGET, with
parameters out of its statistics, and takes a copy of that database (pg_dump): it is
asked for first, only read, and removed at the end. sysbench:NAME is one of
sysbench's own loads, where it is installed.

TARGET is the instance that «current» means, or from-statements: a data directory
or a conninfo.`,
		Example: `  pgfettle prove --a default --b plan --workload oltp-rw
  pgfettle prove --a current --b current+pg:work_mem=64MB --workload olap /srv/pg/17
  pgfettle prove --a default --b old.conf --workload select-only --scale 1.5x --clients 100
  pgfettle prove --aa --a plan --workload tpcb
  pgfettle prove --b plan --workload from-statements 'host=db1 dbname=shop'
  pgfettle prove --experiment fsync-off
  pgfettle prove --report ./exp1 --format json
  pgfettle prove --report ./exp1 --format html > exp1.html`,
		Args: atMost(1, "one TARGET at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.trial.target = strings.Join(args, "")
			o.trial.said = cmd.Flags().Changed
			return runProve(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	// the letters too: the library completes no long name of one letter else
	f.StringVarP(&o.a, "a", "a", "default", "the first configuration, `CONF`")
	f.StringVarP(&o.b, "b", "b", "", "the second configuration, `CONF`")
	f.BoolVar(&o.aa, "aa", false, "compare the configuration of --a with itself")
	f.StringVar(&o.experiment, "experiment", "", "run the experiment `NAME`: "+strings.Join(experiment.ExerciseNames(), ", "))
	f.IntVar(&o.blocks, "blocks", 8, "blocks, `N`; 6 or more for a verdict")
	f.StringVar(&o.design, "design", "", "restart (a start for each run) or slices (both servers up, by turns); default: chosen and told")
	f.Float64Var(&o.margin, "margin", stat.Margin, "differences within ±`PERCENT` are held to be none")
	f.StringVar(&o.failOn, "fail-on", "", "exit with 3 on this verdict: regressed")
	f.StringVar(&o.report, "report", "", "show the experiment in the folder `DIR` again")
	f.StringVar(&o.resume, "resume", "", "go on with the experiment in the folder `DIR`")
	f.BoolVar(&o.clean, "clean", false, "remove what a killed experiment left behind and data that were kept, and put kernel values back")
	o.trial.flags(cmd, env)
	for _, name := range []string{"a", "b"} {
		confWords(cmd, name)
	}
	complete(cmd, "experiment", experiment.ExerciseNames()...)
	complete(cmd, "design", experiment.DesignRestart, experiment.DesignSlices)
	complete(cmd, "fail-on", "regressed")
	return cmd
}

// confWords completes a configuration: its words, and files.
func confWords(cmd *cobra.Command, flag string) {
	f := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"default", "current", "plan", "plan:oltp", "plan:web", "plan:dw", "plan:mixed", "plan:1c"}, cobra.ShellCompDirectiveDefault
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err)
	}
}

func runProve(ctx context.Context, env *Env, o *proveOptions) error {
	if o.failOn != "" {
		if err := choice("fail-on", o.failOn, "regressed"); err != nil {
			return err
		}
	}
	if err := choice("format", o.trial.format, docForms...); err != nil {
		return err
	}
	if err := o.alone(); err != nil {
		return err
	}
	switch {
	case o.report != "":
		r, err := readResult(o.report)
		if err != nil {
			return err
		}
		return o.show(env, r)
	case o.clean:
		return o.trial.sweep(ctx, env)
	case o.resume != "":
		return o.goOn(ctx, env)
	}
	if err := o.named(ctx, env); err != nil {
		return err
	}
	return o.compare(ctx, env)
}

// alone refuses what makes no sense beside one of the flags that stand alone.
func (o *proveOptions) alone() error {
	var modes []string
	for _, m := range []string{"report", "resume", "clean"} {
		if o.trial.said(m) {
			modes = append(modes, m)
		}
	}
	if len(modes) == 0 {
		return nil
	}
	for _, other := range []string{"report", "resume", "clean", "a", "b", "aa", "experiment", "workload", "script", "blocks", "design", "clients", "scale", "duration", "seed", "metric", "margin"} {
		if other != modes[0] && o.trial.said(other) {
			return usage(fmt.Sprintf("--%s and --%s do not go together", modes[0], other), "leave one of them out")
		}
	}
	if (modes[0] == "report" && o.report == "") || (modes[0] == "resume" && o.resume == "") {
		return usage("--"+modes[0]+" names no folder", "name the folder of the experiment")
	}
	return nil
}

// readResult reads the document of an experiment: its folder, or the file itself.
func readResult(name string) (*experiment.Result, error) {
	st, err := os.Stat(name)
	if err == nil && st.IsDir() {
		name = filepath.Join(name, prove.ResultFile)
		st, err = os.Stat(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage(fmt.Sprintf("there is no experiment in %q", name), "name the folder that 'pgfettle prove' told, or its "+prove.ResultFile)
	case errors.Is(err, fs.ErrPermission):
		return nil, &say.Problem{Message: fmt.Sprintf("%q: permission denied", name), Hint: "run pgfettle as who ran the experiment", Code: exitNoAccess}
	case err != nil:
		return nil, fmt.Errorf("experiment: %w", err)
	case !st.Mode().IsRegular():
		return nil, usage(fmt.Sprintf("%q is no regular file", name), "name the folder of an experiment")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxResult+1))
	if err != nil {
		return nil, fmt.Errorf("experiment %q: %w", name, err)
	}
	r, err := experiment.DecodeResult(b)
	if err != nil {
		return nil, &say.Problem{Message: fmt.Sprintf("experiment %q: %v", name, err), Hint: "it is not a document of 'pgfettle prove' or 'bench', or was made by a newer pgfettle", Code: exitError}
	}
	return r, nil
}

// maxResult is above what result.Decode takes: so that it can say that a
// document is too large.
const maxResult = 32 << 20

// show writes a result, and ends with 3 where --fail-on asks for it.
func (o *proveOptions) show(env *Env, r *experiment.Result) error {
	if err := o.trial.write(env, r); err != nil {
		return err
	}
	if o.failOn == "regressed" && r.Word == stat.Regressed && r.Ended != "" {
		return errFindings
	}
	return nil
}

// named fills in what a named experiment says, where nothing else was said.
func (o *proveOptions) named(ctx context.Context, env *Env) error {
	if o.experiment == "" {
		return nil
	}
	e, ok := experiment.FindExercise(o.experiment)
	if !ok {
		return usage(fmt.Sprintf("--experiment: %q is not known", o.experiment), say.DidYouMean(o.experiment, experiment.ExerciseNames(), "the experiments are "+strings.Join(experiment.ExerciseNames(), ", ")))
	}
	for _, flag := range []string{"a", "b", "aa", "workload", "script", "metric"} {
		if o.trial.said(flag) {
			return usage(fmt.Sprintf("--experiment %s says itself what --%s would", e.Name, flag), "leave one of them out")
		}
	}
	if e.Kernel && !o.trial.kernel {
		return &say.Problem{Message: fmt.Sprintf("--experiment %s takes a pool of huge pages from this host's memory and gives it back", e.Name), Hint: "add --kernel where this machine may be touched", Code: exitRefused}
	}
	memory, err := memoryOf(env)
	if err != nil {
		return err
	}
	o.a, o.b = e.Configurations(memory)
	o.trial.workload, o.trial.metric = e.Workload, e.Metric
	if !o.trial.said("clients") && e.Clients > 0 {
		o.trial.clients = e.Clients
	}
	if !o.trial.said("scale") {
		o.trial.scale = fmt.Sprint(e.Scale)
		if e.Times > 0 {
			o.trial.scale = fmt.Sprintf("%gx", e.Times)
		}
	}
	if !o.trial.said("protocol") && e.Protocol != "" {
		o.trial.protocol = e.Protocol
	}
	if !o.trial.said("design") {
		o.design = e.Design
	}
	return ctx.Err()
}

func (o *proveOptions) compare(ctx context.Context, env *Env) error {
	switch {
	case o.aa && o.trial.said("b"):
		return usage("--aa compares --a with itself", "leave --b out")
	case o.aa:
		o.b = o.a
	case o.b == "":
		return usage("what to compare is not said", "name two configurations with --a and --b, or an --experiment; 'pgfettle prove --help' says how")
	}
	switch {
	case o.blocks < 2 || o.blocks > mostBlocks:
		return usage(fmt.Sprintf("--blocks: %d is out of range", o.blocks), fmt.Sprintf("write a whole number from 2 to %d; a verdict needs %d", mostBlocks, stat.FewestBlocks))
	case !(o.margin > 0 && o.margin <= 50): // beyond it a half would be the same as the whole
		return usage(fmt.Sprintf("--margin: %g is out of range", o.margin), "write a percentage above 0 and at most 50, such as 2")
	}
	if o.design != "" {
		if err := choice("design", o.design, experiment.DesignRestart, experiment.DesignSlices); err != nil {
			return err
		}
	}
	e, w, err := o.trial.order(ctx, env)
	if err != nil {
		return err
	}
	e.Spec.Blocks, e.Spec.Margin = o.blocks, o.margin
	e.Name = o.experiment
	if o.aa {
		e.Name = experiments.AA
	}
	lab, err := o.trial.open(ctx, env, e)
	if err != nil {
		return err
	}
	defer func() { _ = lab.Close() }()
	maker := o.trial.maker(env, lab, e.Spec.Clients)
	if e.A, err = maker.Make(ctx, "--a", o.a); err != nil {
		return err
	}
	if e.B, err = maker.Make(ctx, "--b", o.b); err != nil {
		return err
	}
	d := experiment.Differences(&e.A, &e.B, e.Binaries.Version.Major())
	if len(d) == 0 && !o.aa {
		hint := "say --aa to compare a configuration with itself, or name another one"
		if len(e.A.Omitted)+len(e.B.Omitted) > 0 {
			hint = "what a scratch instance cannot hold is left out of both, and nothing else differs; " + hint
		}
		return &say.Problem{Message: "both configurations are the same", Hint: hint, Code: exitUsage}
	}
	why, err := o.decide(e, w, d)
	if err != nil {
		return err
	}
	if x, ok := experiment.FindExercise(o.experiment); ok {
		e.Notes = append(e.Notes, x.Caution)
	} else {
		cautions := append(e.A.Cautions(), e.B.Cautions()...)
		slices.Sort(cautions)
		e.Notes = append(e.Notes, slices.Compact(cautions)...)
	}
	if err := lab.Close(); err != nil { // it takes nothing while runs are measured
		return err
	}
	r, err := o.trial.carryOut(ctx, env, document.Design{Experiment: e, Title: w.Title, Differences: d, Why: why})
	if err != nil || r == nil {
		return err
	}
	return o.show(env, r)
}

// mostBlocks is what the document takes.
const mostBlocks = 500

// decide chooses the design, and the metric with it, where nobody did, and says why.
func (o *proveOptions) decide(e *prove.Experiment, w prove.Workload, d []experiment.Difference) (string, error) {
	off := experiment.CheckpointSettings(d)
	deferred := w.Writes && len(off) > 0
	shared := len(e.A.Kernel)+len(e.B.Kernel) > 0 || e.A.HugePages+e.B.HugePages > 0
	why := ""
	switch {
	case o.design != "":
		switch e.Design = o.design; {
		case e.Design == experiment.DesignSlices && o.trial.cycles > 0:
			return "", usage("--checkpoint-cycles wants runs of their own length, and slices are short", "leave --design slices out")
		case e.Design == experiment.DesignSlices && o.trial.fixed():
			return "", usage("a fixed number of transactions takes its own time, and slices have a fixed one", "leave --design slices out")
		}
	case o.trial.cycles > 0:
		e.Design, why = experiment.DesignRestart, "Restarts, because a run of whole checkpoint cycles begins right after a checkpoint and ends with one."
	case o.trial.fixed():
		e.Design, why = experiment.DesignRestart, "Restarts, because a run of a fixed number of transactions takes its own time."
	case shared:
		e.Design, why = experiment.DesignRestart, "Restarts, because what differs is the host's, and both servers would have it."
	case deferred:
		e.Design, why = experiment.DesignRestart, "Restarts, because "+strings.Join(off, ", ")+" moves work to checkpoints or away from them, which both servers at once would do to each other."
	case e.A.Buffers(e.Binaries.Version.Major())+e.B.Buffers(e.Binaries.Version.Major()) > unit.Bytes(e.Host.Memory)/4:
		// the page cache wants the rest, twice, as each server has its own copy of the data
		e.Design, why = experiment.DesignRestart, "Restarts, because the shared buffers of both servers at once would leave each less of the page cache than it has alone."
	case e.Spec.Cache != "warm":
		e.Design, why = experiment.DesignRestart, "Restarts, because the cache is to be "+e.Spec.Cache+" before each run."
	default:
		e.Design, why = experiment.DesignSlices, "Slices, because nothing here needs a restart: they find smaller differences in less time."
	}
	if deferred && o.trial.cycles == 0 && !o.trial.said("metric") && o.experiment == "" {
		e.Metric = "tps_with_checkpoint"
		why += " The checkpoint after a run is charged to it (amortised, so approximate): work that is only put off is no gain."
	}
	o.trial.durations(e, deferred)
	if w.Uneven && !e.Spec.Numbered() {
		e.Notes = append(e.Notes, "The transactions of "+w.Name+" differ by orders of magnitude, and runs of a time by what they happened to draw. --transactions 100 --duration 0 gives both arms the same ones, and finds much smaller differences.")
	}
	e.Notes = append(e.Notes, o.checkpoints(e, deferred, off)...)
	return strings.TrimSpace(why), nil
}

// leastAmortised is the time over which the checkpoint after a run can be charged
// to it, in seconds; in a shorter one it is most of the figure.
const leastAmortised = 180

// checkpoints says what has to be known of a figure for which checkpoints count.
func (o *proveOptions) checkpoints(e *prove.Experiment, deferred bool, off []string) []string {
	var notes []string
	s := e.Spec
	switch {
	case s.Cycles > 0:
	case e.Metric == "tps_with_checkpoint":
		notes = append(notes, "Amortised, so approximate: to the time of each run that of one checkpoint after it is added. --checkpoint-cycles 2 measures whole cycles instead, and takes longer.")
		if !s.Numbered() && s.Duration < leastAmortised {
			notes = append(notes, fmt.Sprintf("Runs of %g s are too short for that: below %d s the checkpoint after a run weighs more than it does in operation.", s.Duration, leastAmortised))
		}
	case deferred && s.Numbered():
		notes = append(notes, strings.Join(off, ", ")+" moves work to checkpoints or away from them, and what a run puts off is not charged to its time. --metric tps_with_checkpoint --duration 0 charges it.")
	case deferred && o.experiment == "":
		if whole := 2 * max(prove.CheckpointTimeout(&e.A), prove.CheckpointTimeout(&e.B)); s.Duration < whole.Seconds() {
			notes = append(notes, fmt.Sprintf("%s moves work to checkpoints or away from them, and a run of %g s may hold less than two of their cycles (%s by time): what it puts off is not charged. --checkpoint-cycles 2 makes runs long enough.",
				strings.Join(off, ", "), s.Duration, experiments.Span(whole)))
		}
	}
	return notes
}

// goOn resumes.
func (o *proveOptions) goOn(ctx context.Context, env *Env) error {
	if _, err := readResult(o.resume); err != nil {
		return err
	}
	runner, err := env.runner()
	if err != nil {
		return err
	}
	tell, done := o.trial.progress(env)
	r, err := runner.Resume(ctx, o.resume, prove.Again{TouchKernel: o.trial.kernel, KeepData: o.trial.keepData, Told: tell})
	done()
	if err != nil {
		return o.trial.stopped(ctx, env, o.resume, true, err)
	}
	return o.show(env, r)
}
