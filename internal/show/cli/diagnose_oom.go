package cli

import (
	"context"
	"io"

	"github.com/pgfettle/pgfettle/internal/app/diagnose"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

func newDiagnoseOOM(env *Env) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "oom [FILE… | TARGET]",
		Short: "Say whom the OOM killer killed, why, and what would have prevented it",
		Long: `Read the kernel's log and, beside it, the server's, and tell of each kill: when, in
what memory was short, who asked, who was killed and what he was in the instance, the
statement, what held the memory, the largest processes, the cause with its evidence,
what would have prevented it, and what became of the server.

A FILE is a log of the kernel as dmesg, dmesg -T, journalctl (short forms, json) or
syslog write it, from kernels 3.10 to 6.18; a log of a PostgreSQL server (stderr, csvlog,
jsonlog); or both mixed; plain or .gz; whole or cut, and - is stdin. All files given
are read as one story, so give the kernel's and the server's together. An evidence
file among them ('pgfettle snapshot') lets the plan for that host say what would have
prevented it; without one the numbers of the report do. It has the kernel's reports
in it where they could be read, so it may also be the only FILE.

Without FILE, this host: the kernel's log from the journal, else from dmesg, which needs
root or the group adm, and the end of the logs of its servers, or of the server that
TARGET (a data directory or a conninfo) names. The kernel's ring buffer forgets what is
old, and inside of a container there is no kernel's log: read it on the host.`,
		Example: `  pgfettle diagnose oom
  pgfettle diagnose oom /var/log/kern.log /var/log/postgresql/postgresql-15-main.log
  ssh db1 journalctl -k -o short-iso | pgfettle diagnose oom -
  pgfettle diagnose oom kern.log db1.evidence --format json
  pgfettle diagnose oom kern.log postgresql.log --format markdown > incident.md`,
		RunE: func(cmd *cobra.Command, args []string) error { return runDiagnoseOOM(cmd.Context(), env, format, args) },
	}
	cmd.Flags().StringVar(&format, "format", "text", docFormsHelp)
	complete(cmd, "format", docForms...)
	return cmd
}

func runDiagnoseOOM(ctx context.Context, env *Env, format string, args []string) error {
	if err := choice("format", format, docForms...); err != nil {
		return err
	}
	d, err := diagnose.OOM(ctx, env.host(), args)
	if err != nil {
		return err
	}
	return env.writeForm(format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.OOM(d), env.Style()) },
		json:     func(w io.Writer) error { return json.OOM(w, d) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.OOM(d)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseOOMPage(d, v) },
	})
}
