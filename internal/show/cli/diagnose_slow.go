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
		Use:   "slow FILE [FILE] | --perf FILE | --sample [TARGET]",
		Short: "Explain why a query or the whole server is slow",
		Long: `Read a plan from EXPLAIN (ANALYZE, BUFFERS), and explain where its time went:
wrong row estimates, loops × time, rows removed by filters, reads, spills, JIT,
missing workers, triggers, planning, and contradictory numbers. With two plans,
a slow and a fast run of one query are compared: index, work_mem, cached blocks,
settings, and time per node. Nothing is changed.

Plans can be text, JSON, YAML or XML, from PostgreSQL 8.x–19: as shown by psql,
pgAdmin or DBeaver, logged by auto_explain, broken by a terminal or mail, or
copied from explain.depesz.com. With \timing, the time of the client counts,
too. Truncated plans are read as far as they go. One file can hold both runs,
and - reads stdin. The run that took longer is the slow one.

--perf FILE reads a profile: the output of perf report --stdio or perf script,
or folded stacks. It shows what the CPU time was spent on: spinlocks, page
faults, compaction, reclaim, and others.

--sample observes a running instance and its host while they are slow: wait
events, blocking sessions, run queue, CPU steal and throttling, pressure (PSI),
page faults, swap, compaction, page tables. If perf is installed and permitted,
the functions that take most CPU time are explained; perf records the first ten
seconds. Give the duration as --sample=2m or --sample 2m, from 1s to 1h.

` + liveTargetHelp,
		Example: `  pgfettle diagnose slow slow.txt
  pgfettle diagnose slow slow.txt fast.txt
  psql -XqAt -f explain.sql | pgfettle diagnose slow - fast.txt
  pgfettle diagnose slow both.txt --format json
  pgfettle diagnose slow slow.txt fast.txt --format markdown
  pgfettle diagnose slow --perf perf.txt
  pgfettle diagnose slow --sample
  pgfettle diagnose slow --sample=2m /var/lib/postgresql/17/main`,
		Args: atMost(2, "at most two files, or --sample and one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice("format", o.format, docForms...); err != nil {
				return err
			}
			if cmd.Flags().Changed("perf") {
				if len(args) > 0 || cmd.Flags().Changed("sample") || o.noPerf {
					return say.Usage(say.M("--perf cannot be used with other arguments"),
						say.M("Use only --perf FILE."))
				}
				return runSlowProfile(env, o)
			}
			if cmd.Flags().Changed("sample") {
				return runSlowSample(cmd, env, o, args)
			}
			if o.noPerf {
				return say.Usage(say.M("--no-perf requires --sample"), say.M("Add --sample, or omit --no-perf."))
			}
			return runSlow(cmd.Context(), env, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", docFormsHelp)
	f.DurationVar(&o.sample, "sample", sampleDefault, "`DURATION` sample the running server (default 30s)")
	f.Lookup("sample").NoOptDefVal = sampleDefault.String()
	f.StringVar(&o.perf, "perf", "", "`FILE` output of perf report --stdio or perf script, or folded stacks")
	f.BoolVar(&o.noPerf, "no-perf", false, "do not use perf")
	complete(cmd, "format", docForms...)
	return cmd
}

// sampleDefault is the default duration of --sample: a slow episode shows within
// seconds, and a checkpoint or a burst of clients within half a minute.
const sampleDefault = 30 * time.Second

func runSlow(_ context.Context, env *Env, o *slowOptions, args []string) error {
	d, err := diagnose.Slow(env.host(), args)
	if err != nil {
		return err
	}
	if r := d.Reading; r != nil {
		return env.writeForm(o.format, forms{
			text:     func(w io.Writer) error { return term.Write(w, reports.SlowPlan(r, env.words), env.Style()) },
			json:     func(w io.Writer) error { return json.SlowPlan(w, r.In(env.asked())) },
			markdown: func(w io.Writer) error { return markdown.Write(w, reports.SlowPlan(r, env.words)) },
			html:     func(v web.View) (web.Page, error) { return web.DiagnoseSlowPlanPage(r, v) },
		})
	}
	r := d.Report
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Slow(r, env.words), env.Style()) },
		json:     func(w io.Writer) error { return json.Slow(w, r.In(env.asked())) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Slow(r, env.words)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseSlowPage(r, v) },
	})
}

func runSlowProfile(env *Env, o *slowOptions) error {
	d, err := diagnose.Profile(env.host(), o.perf)
	if err != nil {
		return err
	}
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Profile(d, env.words), env.Style()) },
		json:     func(w io.Writer) error { return json.Profile(w, d.In(env.asked())) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Profile(d, env.words)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseSlowProfilePage(d, v) },
	})
}
