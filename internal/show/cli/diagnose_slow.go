package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
	"github.com/spf13/cobra"
)

type slowOptions struct {
	format string
	sample time.Duration
	noPerf bool
}

func newDiagnoseSlow(env *Env) *cobra.Command {
	o := &slowOptions{}
	cmd := &cobra.Command{
		Use:   "slow FILE [FILE] | --sample [DURATION] [TARGET]",
		Short: "Say why a query is slow now and was not before, or why everything is slow",
		Long: `Compare two runs of one query, a slow and a fast one, as EXPLAIN (ANALYZE, BUFFERS)
wrote them: text or JSON, of any version from 9.x to 18, as psql or pgAdmin showed it
or auto_explain logged it; with \timing what the client waited counts too. One file may
hold both, and - is stdin. Which one is slow is told by the times. Shown are whether the
plan, the rows and the buffers are the same, where the time went node by node, and
what follows: the plan, the disks, memory for sorts, locks, or none of these: then
CPU, memory or internal locks were slow, and what to look at next.

With --sample a live instance and its host are watched for a while, while it is slow:
wait events and who blocks whom, run queue, stolen and throttled time, pressure (PSI),
page faults, swap, compaction, page tables, and where perf is installed and allowed,
the functions that take the time, with their meaning. The time is given as
--sample=2m or --sample 2m, from 1s to 1h; perf records the first ten seconds of it.
Nothing is changed.

TARGET is one of
  nothing            this host and the instance that runs on it; with PGHOST,
                     PGPORT or PGSERVICE set, the server that they name
  a data directory   its instance, and this host
  a conninfo         'host=db1 dbname=postgres' or postgresql://…; from another
                     host it gives no host facts`,
		Example: `  pgfettle diagnose slow slow.txt fast.txt
  psql -XqAt -c 'EXPLAIN (ANALYZE, BUFFERS) SELECT …' | pgfettle diagnose slow - fast.txt
  pgfettle diagnose slow both.txt --format json
  pgfettle diagnose slow slow.txt fast.txt --format markdown
  pgfettle diagnose slow --sample
  pgfettle diagnose slow --sample=2m /var/lib/postgresql/17/main`,
		Args: atMost(2, "two files at most, or --sample and one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice("format", o.format, docForms...); err != nil {
				return err
			}
			if cmd.Flags().Changed("sample") {
				return runSlowSample(cmd.Context(), env, o, args)
			}
			if o.noPerf {
				return usage("--no-perf is about --sample", "leave it out")
			}
			return runSlow(cmd.Context(), env, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", docFormsHelp)
	f.DurationVar(&o.sample, "sample", sampleDefault, "watch a live instance for `DURATION`, such as 30s or 2m")
	f.Lookup("sample").NoOptDefVal = sampleDefault.String()
	f.BoolVar(&o.noPerf, "no-perf", false, "with --sample, leave perf out")
	complete(cmd, "format", docForms...)
	return cmd
}

// sampleDefault is how long is watched where nobody says: a slow episode shows
// itself in seconds, and a checkpoint or a burst of clients within half a minute.
const sampleDefault = 30 * time.Second

func runSlow(_ context.Context, env *Env, o *slowOptions, args []string) error {
	const hint = "give the output of EXPLAIN (ANALYZE, BUFFERS) of a slow and of a fast run, or --sample to watch a live instance"
	if len(args) == 0 {
		return usage("two runs of one query are compared, and no file is named", hint)
	}
	if len(args) == 2 && args[0] == "-" && args[1] == "-" {
		return usage("stdin cannot be both runs", "name one file, or give both plans on stdin and - once")
	}
	var names []string
	var plans []*queryplan.Plan
	for _, name := range args {
		found, err := readPlans(env, name)
		if err != nil {
			return err
		}
		label := filepath.Base(name)
		if name == "-" {
			label = "stdin"
		}
		if len(args) == 2 && len(found) > 1 {
			return usage(fmt.Sprintf("%s: %d plans are in it", label, len(found)), "with two files each holds one plan: cut out the one that is meant")
		}
		for i, p := range found {
			l := label
			if len(found) > 1 {
				l = fmt.Sprintf("%s, plan %d", label, i+1)
			}
			names, plans = append(names, l), append(plans, p)
		}
	}
	switch {
	case len(plans) == 1:
		return usage(fmt.Sprintf("%s: one plan is in it, and two are compared", names[0]), hint)
	case len(plans) > 2:
		return usage(fmt.Sprintf("%s: %d plans are in it, and two are compared", filepath.Base(args[0]), len(plans)), "cut out the slow and the fast run of one query")
	}
	if names[0] == names[1] && len(args) == 2 { // the same name in two folders
		names[0], names[1] = args[0], args[1]
	}
	d := slow.Compare(names[0], plans[0], names[1], plans[1])
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Slow(d), env.Style()) },
		json:     func(w io.Writer) error { return json.Slow(w, d) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Slow(d)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseSlowPage(d, v) },
	})
}

// readPlans reads the plans of a file, never more of it than a plan may be.
func readPlans(env *Env, name string) ([]*queryplan.Plan, error) {
	var r io.Reader = env.Stdin
	label := "stdin"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			switch {
			case errors.Is(err, fs.ErrPermission):
				return nil, &say.Problem{Message: fmt.Sprintf("%q: permission denied", name), Hint: "run pgfettle as somebody who may read it", Code: exitNoAccess}
			case errors.Is(err, fs.ErrNotExist):
				return nil, usage(fmt.Sprintf("no such file: %q", name), "name a file with the output of EXPLAIN (ANALYZE, BUFFERS)")
			}
			return nil, fmt.Errorf("plan %q: %w", name, err)
		}
		defer f.Close()
		if st, err := f.Stat(); err == nil && st.IsDir() {
			return nil, usage(fmt.Sprintf("%q is a folder", name), "name a file with the output of EXPLAIN (ANALYZE, BUFFERS); to watch an instance, --sample")
		}
		r, label = f, fmt.Sprintf("%q", name)
	}
	b, err := io.ReadAll(io.LimitReader(r, queryplan.MaxText+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	plans, err := queryplan.Parse(b)
	if err != nil {
		return nil, &say.Problem{Message: label + ": " + err.Error(), Hint: "paste the whole output of EXPLAIN (ANALYZE, BUFFERS), text or JSON", Code: exitError}
	}
	return plans, nil
}
