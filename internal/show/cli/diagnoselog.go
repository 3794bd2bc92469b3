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
		Short: "Say what a server's log shows, worst first",
		Long: `Read a server's log and say what it shows, worst first: damaged data, crashes and how
long they lasted, memory that was refused with the largest contexts of its dump, full
disks, WAL that could not be archived or was removed too early, connections that were
refused, checkpoints that max_wal_size forced and the value that would not have,
temporary files by size and statement and the work_mem that would have held them, waits
for locks, autovacuum, faults of the configuration. Then what it could not tell, and
which setting would make it.

FILE is a log of any of the server's formats: plain lines with any log_line_prefix
(found from the lines themselves where --prefix does not give it), csvlog, jsonlog,
each also packed by gzip; - reads one from stdin. Files may be given in any order.
A data directory or a conninfo on this host reads the logs of that server; an
evidence file of 'pgfettle read' that log which was pasted. With FILEs an evidence file
or a TARGET gives the settings of the server only.

Statements are shown without their literals; --redact leaves them out and replaces
names. One pass with little memory: a log of gigabytes takes seconds.`,
		Example: `  pgfettle diagnose log /var/log/postgresql/postgresql-17-main.log*
  pgfettle diagnose log /srv/pg/17
  pgfettle diagnose log --prefix '%t [%p] %u@%d ' old.log
  pgfettle diagnose log db1.evidence db1.csv
  pgfettle read -o case.evidence ticket.txt && pgfettle diagnose log case.evidence
  pgfettle diagnose log --redact --format markdown /srv/pg/17 > ticket.md
  journalctl -u postgresql@17-main -o cat | pgfettle diagnose log -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed("prefix")
			return runDiagnoseLog(cmd.Context(), env, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", docFormsHelp)
	f.StringVar(&o.prefix, "prefix", "",
		"the log_line_prefix of plain lines, `PREFIX` as SHOW log_line_prefix tells it (default: of the server, "+
			"else found)")
	f.IntVar(&o.days, "days", 7, "of a server's own logs read those that were written to in the last `N` days")
	f.BoolVar(&o.redact, "redact", false,
		"leave statements out, and replace the names of users, databases, hosts and relations")
	complete(cmd, "format", docForms...)
	return cmd
}

func runDiagnoseLog(ctx context.Context, env *Env, o *diagnoseLogOptions, args []string) error {
	if err := choice("format", o.format, docForms...); err != nil {
		return err
	}
	if o.days < 1 || o.days > 3660 {
		return say.Usage(fmt.Sprintf("--days: %d is out of range", o.days), "write a number from 1 to 3660")
	}
	r, err := diagnose.Log(ctx, env.host(), diagnose.LogRequest{Args: args, Prefix: o.prefix, Given: o.given,
		Days: o.days, Redact: o.redact})
	if err != nil {
		return err
	}
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Log(r), env.Style()) },
		json:     func(w io.Writer) error { return json.Log(w, r) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Log(r)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseLogPage(r, v) },
	})
}
