package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/pgfettle/pgfettle/internal/app/diagnose"
	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

type diagnoseLogOptions struct {
	format string
	prefix string
	given  bool // --prefix
	days   int
	redact bool
}

func newDiagnoseLog(env *Env) *cobra.Command {
	o := &diagnoseLogOptions{}
	cmd := &cobra.Command{
		Use:   "log [FILE…|TARGET]",
		Short: "Summarize a server log, worst first",
		Long: `Summarize the log of a server, worst first: data corruption, crashes and their
duration, out-of-memory errors with the largest memory contexts, full disks, WAL
that could not be archived or was removed too early, and refused connections.
Checkpoints forced by max_wal_size come with the value that avoids them,
temporary files with the work_mem that avoids them. Lock waits, autovacuum and
configuration errors follow, and then what the log does not contain and which
setting would log it. Nothing is changed.

FILE is a server log: plain lines with any log_line_prefix (detected, or given
with --prefix), csvlog or jsonlog, also compressed with gzip; - reads stdin.
Files can be given in any order.

For a data directory or a conninfo on this host, the logs of that server are
read; for an evidence file of pgfettle read, the pasted log. Together with FILE,
they provide only the settings of the server.

Literals in statements are not shown; --redact also omits statements and
replaces names. A log is read in one pass with little memory: gigabytes take
seconds.`,
		Example: `  pgfettle diagnose log /var/log/postgresql/postgresql-17-main.log*
  pgfettle diagnose log /srv/pg/17
  pgfettle diagnose log --prefix '%t [%p] %u@%d ' old.log
  pgfettle diagnose log db1.evidence db1.csv
  pgfettle diagnose log case.evidence
  pgfettle diagnose log --redact --format markdown /srv/pg/17 > ticket.md
  journalctl -u postgresql@17-main -o cat | pgfettle diagnose log -`,
		Args: filesOrTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed("prefix")
			return runDiagnoseLog(cmd.Context(), env, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", docFormsHelp)
	f.StringVar(&o.prefix, "prefix", "",
		"`PREFIX` log_line_prefix of the file (default that of the server, or detected)")
	f.IntVar(&o.days, "days", 7, "`N` read server logs of the last N days")
	f.BoolVar(&o.redact, "redact", false,
		"omit statements; replace names of users, databases, hosts, relations")
	complete(cmd, "format", docForms...)
	return cmd
}

func runDiagnoseLog(ctx context.Context, env *Env, o *diagnoseLogOptions, args []string) error {
	if err := choice("format", o.format, docForms...); err != nil {
		return err
	}
	if o.days < 1 || o.days > 3660 {
		return say.Usage(say.M("value out of range for --days: {days}", "days", fmt.Sprint(o.days)),
			say.M("Use a number from 1 to 3660."))
	}
	r, err := diagnose.Log(ctx, env.host(), diagnose.LogRequest{Args: args, Prefix: o.prefix, Given: o.given,
		Days: o.days, Redact: o.redact})
	if err != nil {
		return err
	}
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Log(r, env.words), env.Style()) },
		json:     func(w io.Writer) error { return json.Log(w, r.In(env.asked())) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Log(r, env.words)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseLogPage(r, v) },
	})
}
