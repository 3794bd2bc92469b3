package cli

import (
	"context"
	"io"
	"time"

	"github.com/pgfettle/pgfettle/internal/app/diagnose"
	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

type slowOptions struct {
	format string
	sample time.Duration
	noPerf bool
	perf   string
}

func newDiagnoseSlow(env *Env) *cobra.Command {
	o := &slowOptions{}
	cmd := &cobra.Command{
		Use:   "slow FILE [FILE] | --perf FILE | --sample [DURATION] [TARGET]",
		Short: "Say why a query is slow now and was not before, or why everything is slow",
		Long: `Read a plan as EXPLAIN (ANALYZE, BUFFERS) wrote it, and say what took its time:
estimates against rows, loops × time, filters that throw rows away, reads, spills, JIT,
workers that were missing, triggers, planning, and figures that contradict each other.
Or compare two runs of one query, a slow and a fast one: what the fast one had, an index,
another work_mem, blocks in memory, other settings, and where the time went node by node.

Plans are text, JSON, YAML or XML, of any version from 8.x to 19, as psql, pgAdmin or
DBeaver showed them, auto_explain logged them, a terminal or a mail broke them, or
explain.depesz.com shows them; with \timing what the client waited counts too. Parts of
plans are read as far as they go. One file may hold both runs, and - is stdin. Which one
is slow is told by the times.

With --perf FILE the output of perf report --stdio, of perf script, or folded stacks are
read, and what the time is: spinlocks, page faults, compaction, reclaim, and others.

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
		Example: `  pgfettle diagnose slow slow.txt
  pgfettle diagnose slow slow.txt fast.txt
  psql -XqAt -c 'EXPLAIN (ANALYZE, BUFFERS) SELECT …' | pgfettle diagnose slow - fast.txt
  pgfettle diagnose slow both.txt --format json
  pgfettle diagnose slow slow.txt fast.txt --format markdown
  pgfettle diagnose slow --perf perf.txt
  pgfettle diagnose slow --sample
  pgfettle diagnose slow --sample=2m /var/lib/postgresql/17/main`,
		Args: atMost(2, "two files at most, or --sample and one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice("format", o.format, docForms...); err != nil {
				return err
			}
			if cmd.Flags().Changed("perf") {
				if len(args) > 0 || cmd.Flags().Changed("sample") || o.noPerf {
					return say.Usage("--perf reads one file and nothing else", "leave the other arguments out")
				}
				return runSlowProfile(env, o)
			}
			if cmd.Flags().Changed("sample") {
				return runSlowSample(cmd.Context(), env, o, args)
			}
			if o.noPerf {
				return say.Usage("--no-perf is about --sample", "leave it out")
			}
			return runSlow(cmd.Context(), env, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", docFormsHelp)
	f.DurationVar(&o.sample, "sample", sampleDefault, "watch a live instance for `DURATION`, such as 30s or 2m")
	f.Lookup("sample").NoOptDefVal = sampleDefault.String()
	f.StringVar(&o.perf, "perf", "", "read a profile of perf: `FILE` of perf report --stdio or perf script, or folded")
	f.BoolVar(&o.noPerf, "no-perf", false, "with --sample, leave perf out")
	complete(cmd, "format", docForms...)
	return cmd
}

// sampleDefault is how long is watched where nobody says: a slow episode shows
// itself in seconds, and a checkpoint or a burst of clients within half a minute.
const sampleDefault = 30 * time.Second

func runSlow(_ context.Context, env *Env, o *slowOptions, args []string) error {
	d, err := diagnose.Slow(env.host(), args)
	if err != nil {
		return err
	}
	if r := d.Reading; r != nil {
		return env.writeForm(o.format, forms{
			text:     func(w io.Writer) error { return term.Write(w, reports.SlowPlan(r), env.Style()) },
			json:     func(w io.Writer) error { return json.SlowPlan(w, r) },
			markdown: func(w io.Writer) error { return markdown.Write(w, reports.SlowPlan(r)) },
			html:     func(v web.View) (web.Page, error) { return web.DiagnoseSlowPlanPage(r, v) },
		})
	}
	r := d.Report
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Slow(r), env.Style()) },
		json:     func(w io.Writer) error { return json.Slow(w, r) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Slow(r)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseSlowPage(r, v) },
	})
}

func runSlowProfile(env *Env, o *slowOptions) error {
	d, err := diagnose.Profile(env.host(), o.perf)
	if err != nil {
		return err
	}
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Profile(d), env.Style()) },
		json:     func(w io.Writer) error { return json.Profile(w, d) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Profile(d)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseSlowProfilePage(d, v) },
	})
}
