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
				return say.Usage("--no-perf is about --sample", "leave it out")
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
	d, err := diagnose.Slow(env.host(), args)
	if err != nil {
		return err
	}
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Slow(d), env.Style()) },
		json:     func(w io.Writer) error { return json.Slow(w, d) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Slow(d)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseSlowPage(d, v) },
	})
}
