package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/proving"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

type proveOptions struct {
	shared experimentOptions
	prove  proving.ProveOptions
	failOn string
	report string
	resume string
	clean  bool
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

The unit is a block: two runs close in time, one of each configuration, in balanced order. A
verdict needs 6 blocks. One metric decides and is declared before the first run.
Blocks that something else on the machine disturbed are discarded by gates that do not
see the configuration; they are repeated and counted. What it will take is estimated first.

Verdicts: IMPROVED and REGRESSED (the 95 % interval excludes none), EQUIVALENT
(within ±--margin), INCONCLUSIVE (neither; it says what would have been found).
Whatever the verdict, the exit code is 0, unless --fail-on says otherwise.

--experiment runs an exercise of a course as a proper ` +
			`experiment: ` + strings.Join(experiment.ExerciseNames(), ", ") + `.
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
			o.shared.Target = strings.Join(args, "")
			o.shared.Said = cmd.Flags().Changed
			return runProve(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	// the letters too: the library completes no long name of one letter else
	f.StringVarP(&o.prove.A, "a", "a", "default", "the first configuration, `CONF`")
	f.StringVarP(&o.prove.B, "b", "b", "", "the second configuration, `CONF`")
	f.BoolVar(&o.prove.Same, "aa", false, "compare the configuration of --a with itself")
	f.StringVar(&o.prove.Exercise, "experiment", "", "run the experiment `NAME`: "+
		strings.Join(experiment.ExerciseNames(), ", "))
	f.IntVar(&o.prove.Blocks, "blocks", 8, "blocks, `N`; 6 or more for a verdict")
	f.StringVar(&o.prove.Design, "design", "",
		"restart (a start for each run) or slices (both servers up, by turns); default: chosen and told")
	f.Float64Var(&o.prove.Margin, "margin", stat.Margin, "differences within ±`PERCENT` are held to be none")
	f.StringVar(&o.failOn, "fail-on", "", "exit with 3 on this verdict: regressed")
	f.StringVar(&o.report, "report", "", "show the experiment in the folder `DIR` again")
	f.StringVar(&o.resume, "resume", "", "go on with the experiment in the folder `DIR`")
	f.BoolVar(&o.clean, "clean", false,
		"remove what a killed experiment left behind and data that were kept, and put kernel values back")
	o.shared.flags(cmd, env)
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
		return []string{"default", "current", "plan", "plan:oltp", "plan:web", "plan:dw", "plan:mixed", "plan:1c"},
			cobra.ShellCompDirectiveDefault
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
	if err := choice("format", o.shared.format, docForms...); err != nil {
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
		return o.shared.sweep(ctx, env)
	case o.resume != "":
		return o.goOn(ctx, env)
	}
	o.shared.complete(env)
	o.prove.Options = o.shared.Options
	ready, err := proving.Prove(ctx, env.host(), &o.prove)
	if err != nil {
		return err
	}
	r, err := o.shared.carryOut(ctx, env, ready)
	if err != nil {
		return err
	}
	return o.show(env, r)
}

// alone refuses what makes no sense beside one of the flags that stand alone.
func (o *proveOptions) alone() error {
	var modes []string
	for _, m := range []string{"report", "resume", "clean"} {
		if o.shared.Said(m) {
			modes = append(modes, m)
		}
	}
	if len(modes) == 0 {
		return nil
	}
	for _, other := range []string{"report", "resume", "clean", "a", "b", "aa", "experiment", "workload", "script",
		"blocks", "design", "clients", "scale", "duration", "seed", "metric", "margin"} {
		if other != modes[0] && o.shared.Said(other) {
			return say.Usage(fmt.Sprintf("--%s and --%s do not go together", modes[0], other), "leave one of them out")
		}
	}
	if (modes[0] == "report" && o.report == "") || (modes[0] == "resume" && o.resume == "") {
		return say.Usage("--"+modes[0]+" names no folder", "name the folder of the experiment")
	}
	return nil
}

// readResult reads the document of an experiment: its folder, or the file itself.
func readResult(name string) (*experiment.Result, error) {
	st, err := os.Stat(name)
	if err == nil && st.IsDir() {
		name = filepath.Join(name, experiment.ResultFile)
		st, err = os.Stat(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, say.Usage(fmt.Sprintf("there is no experiment in %q", name),
			"name the folder that 'pgfettle prove' told, or its "+experiment.ResultFile)
	case errors.Is(err, fs.ErrPermission):
		return nil, &say.Problem{Message: fmt.Sprintf("%q: permission denied", name),
			Hint: "run pgfettle as who ran the experiment", Code: exitNoAccess}
	case err != nil:
		return nil, fmt.Errorf("experiment: %w", err)
	case !st.Mode().IsRegular():
		return nil, say.Usage(fmt.Sprintf("%q is no regular file", name), "name the folder of an experiment")
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
		return nil, &say.Problem{Message: fmt.Sprintf("experiment %q: %v", name, err),
			Hint: "it is not a document of 'pgfettle prove' or 'bench', or was made by a newer pgfettle",
			Code: exitError}
	}
	return r, nil
}

// maxResult is above what result.Decode takes: so that it can say that a
// document is too large.
const maxResult = 32 << 20

// show writes a result, and ends with 3 where --fail-on asks for it.
func (o *proveOptions) show(env *Env, r *experiment.Result) error {
	if err := o.shared.write(env, r); err != nil {
		return err
	}
	if o.failOn == "regressed" && r.Word == stat.Regressed && r.Ended != "" {
		return errFindings
	}
	return nil
}

// goOn resumes.
func (o *proveOptions) goOn(ctx context.Context, env *Env) error {
	if _, err := readResult(o.resume); err != nil {
		return err
	}
	o.shared.complete(env)
	tell, done := o.shared.progress(env)
	r, err := o.shared.Resume(ctx, o.resume, tell)
	done()
	if err != nil {
		return o.shared.stopped(ctx, env, o.resume, true, err)
	}
	return o.show(env, r)
}
