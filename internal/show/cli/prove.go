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
	more   int
	clean  bool
}

func newProve(env *Env) *cobra.Command {
	o := &proveOptions{}
	cmd := &cobra.Command{
		Use:   "prove [TARGET]",
		Short: "Compare two configurations under load (A/B test)",
		Long: `Run two configurations of PostgreSQL under the same load, in turns, on a scratch
instance of this host. The report states the difference with a confidence
interval, or the smallest difference that could have been detected. Instances in
use are not touched, and only the results remain.

` + experiment.ConfigurationSyntax + `

A block is a pair of runs close in time, one per configuration, in random
order. A verdict requires at least 6 blocks. One metric decides and is declared
before the first run. Other activity on the host widens the interval. A block
whose runs it disturbed very differently is discarded, by rules that do not see
the configuration, and repeated. The time and disk space required are estimated
first.

Verdicts: IMPROVED or REGRESSED (the 95% confidence interval excludes zero),
EQUIVALENT (within ±--margin), INCONCLUSIVE (none of these; the detectable
difference is reported). The exit status is 0 for every verdict, or with
--fail-on regressed, 3 for REGRESSED.

--experiment runs a predefined experiment, in about 10 minutes on two CPUs
(huge-pages: 20), and in up to 20 on a busy host. --aa compares a configuration
with itself, which shows how small a difference this host can detect. --report
shows a finished experiment again. --resume continues an interrupted one, and
with --more N adds blocks to an INCONCLUSIVE one. --clean removes leftovers of
killed experiments and the data of --keep-data.

--b-pg and --b-bin run B on another server than A: another major version, or
another build. Without --b both have the configuration of A.

--database runs both on an existing database of this host: one that you keep for
measurements, with its data, or an empty one, which is loaded and stays loaded.
Its server is neither restarted nor configured: A and B differ in what a session
can set, or with --b-database in the server.

--workload from-statements makes the load from pg_stat_statements of TARGET,
with parameters from its statistics, and copies that database with pg_dump. The
server is only read. The copy is removed at the end. sysbench:NAME is a load of
sysbench, if installed.

TARGET is the instance that "current" means, or that of from-statements: a data
directory or a conninfo.`,
		Example: `  pgfettle prove --a default --b plan --workload oltp-rw
  pgfettle prove --a current --b current+pg:work_mem=64MB -w olap /srv/pg/17
  pgfettle prove --b old.conf --workload select-only --scale 1.5x --clients 100
  pgfettle prove --aa --a plan --workload tpcb
  pgfettle prove --a default --pg 15 --b-pg 18 --workload oltp-rw
  pgfettle prove --b pg:work_mem=64MB -f reports.sql \
      --database 'host=/run/postgresql dbname=scratch'
  pgfettle prove --b plan --workload from-statements 'host=db1 dbname=shop'
  pgfettle prove --experiment fsync-off
  pgfettle prove --report ./exp1 --format json
  pgfettle prove --report ./exp1 --format html > exp1.html`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.shared.Target = strings.Join(args, "")
			o.shared.Said = cmd.Flags().Changed
			return runProve(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	// the letters too: the library completes no long name of one letter else
	f.StringVarP(&o.prove.A, "a", "a", "default", "`CONF` baseline configuration")
	f.StringVarP(&o.prove.B, "b", "b", "", "`CONF` candidate configuration")
	f.IntVar(&o.prove.MajorB, "b-pg", 0, "`N` major version that B runs on (default that of A)")
	f.StringVar(&o.prove.BinB, "b-bin", "", "`DIR` directory of the server programs that B runs on")
	f.StringVar(&o.prove.DatabaseB, "b-database", "",
		"`CONNINFO` existing database that B runs on, such as one of another server (default that of --database)")
	f.BoolVar(&o.prove.Same, "aa", false, "A/A test: compare the baseline with itself")
	f.StringVar(&o.prove.Exercise, "experiment", "", "`NAME` run a predefined experiment: "+
		strings.Join(experiment.ExerciseNames(), ", "))
	f.IntVar(&o.prove.Blocks, "blocks", 8, "`N` number of A/B pairs; at least 6 for a verdict")
	f.BoolVar(&o.prove.Sequential, "sequential", false,
		"evaluate after 8, 12, 16 and 24 blocks, at a corrected level; stop at a verdict")
	f.StringVar(&o.prove.Design, "design", "",
		"`DESIGN` restart (server restart per run) or slices (both servers up) (default chosen and reported)")
	f.Float64Var(&o.prove.Margin, "margin", stat.Margin, "`PERCENT` equivalence margin")
	f.StringVar(&o.failOn, "fail-on", "", "`VERDICT` exit with status 3 on this verdict: regressed")
	f.StringVar(&o.report, "report", "", "`DIR` show the experiment in DIR again")
	f.StringVar(&o.resume, "resume", "", "`DIR` resume the interrupted experiment in DIR")
	f.IntVar(&o.more, "more", 0, "`N` with --resume: add N blocks to an experiment that did not decide")
	f.BoolVar(&o.clean, "clean", false,
		"remove leftovers of killed experiments and kept data; restore kernel parameters")
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

// alone refuses other flags with one of the flags that are used alone.
func (o *proveOptions) alone() error {
	var modes []string
	for _, m := range []string{"report", "resume", "clean"} {
		if o.shared.Said(m) {
			modes = append(modes, m)
		}
	}
	switch {
	case !o.shared.Said("more"):
	case !o.shared.Said("resume"):
		return say.Usage(say.M("--more requires --resume"), say.M("Name the directory of the experiment with "+
			"--resume."))
	case o.more < 1 || o.more > proving.MostBlocks:
		return say.Usage(say.M("value out of range for --more: {blocks}", "blocks", o.more),
			say.M("Use a whole number from 1 to {mostBlocks}.", "mostBlocks", proving.MostBlocks))
	}
	if len(modes) == 0 {
		return nil
	}
	for _, other := range []string{"report", "resume", "clean", "a", "b", "b-pg", "b-bin", "aa", "experiment",
		"database", "b-database", "workload", "script",
		"blocks", "sequential", "design", "clients", "scale", "duration", "seed", "metric", "margin"} {
		if other != modes[0] && o.shared.Said(other) {
			return say.Usage(say.M("--{modes} and --{other} cannot be used together", "modes", modes[0], "other",
				other),
				say.M("Use only one of them."))
		}
	}
	if (modes[0] == "report" && o.report == "") || (modes[0] == "resume" && o.resume == "") {
		return say.Usage(say.M("missing value for --{modes}", "modes", modes[0]), say.M("Name the directory of the "+
			"experiment."))
	}
	return nil
}

// readResult reads the document of an experiment: its directory, or the file itself.
func readResult(name string) (*experiment.Result, error) {
	st, err := os.Stat(name)
	if err == nil && st.IsDir() {
		name = filepath.Join(name, experiment.ResultFile)
		st, err = os.Stat(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, say.Usage(say.M("no experiment found in {name}", "name", say.Quoted(name)),
			say.M("Name the directory that pgfettle prove reported, or its result.json."))
	case errors.Is(err, fs.ErrPermission):
		return nil, &say.Problem{Message: say.M("could not open {name}: permission denied", "name", say.Quoted(name)),
			Hint: say.M("Run pgfettle as the user who ran the experiment."), Code: exitNoAccess}
	case err != nil:
		return nil, fmt.Errorf("experiment: %w", err)
	case !st.Mode().IsRegular():
		return nil, say.Usage(say.M("{name} is not a regular file", "name", say.Quoted(name)),
			say.M("Name the directory of an experiment."))
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
		return nil, &say.Problem{Message: say.M("experiment {name}: {error}", "name", say.Quoted(name), "error", err),
			Hint: say.M("Name a result of pgfettle prove or pgfettle bench, of this version or an older one."),
			Code: exitError}
	}
	return r, nil
}

// maxResult is more than experiment.DecodeResult accepts, so that it can report that a
// document is too large.
const maxResult = 32 << 20

// show writes a result, and ends with 3 if --fail-on asks for it.
func (o *proveOptions) show(env *Env, r *experiment.Result) error {
	if err := o.shared.write(env, r); err != nil {
		return err
	}
	if o.failOn == "regressed" && r.Word == stat.Regressed && r.Ended != "" {
		return errFindings
	}
	return nil
}

// goOn resumes an interrupted experiment.
func (o *proveOptions) goOn(ctx context.Context, env *Env) error {
	if _, err := readResult(o.resume); err != nil {
		return err
	}
	o.shared.complete(env)
	tell, done := o.shared.progress(env)
	r, err := o.shared.Resume(ctx, o.resume, o.more, tell)
	done()
	if err != nil {
		return o.shared.stopped(ctx, env, o.resume, true, err)
	}
	return o.show(env, r)
}
