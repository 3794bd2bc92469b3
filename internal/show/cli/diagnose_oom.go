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
		Short: "Explain OOM kills and how to prevent them",
		Long: `Read the kernel log and server logs, and report each OOM kill: time, host or
cgroup that was out of memory, the process that asked for memory, the victim and
its role in the instance, its statement, memory use, largest processes, cause
with evidence, prevention, and effect on the server. Nothing is changed.

Without FILE, the logs of this host are read: the kernel log from the journal or
dmesg (requires root or the group adm), and the end of the server logs. TARGET
(a data directory or a conninfo) selects one server. The ring buffer of the
kernel is finite, so old kills can be missing. Containers have no kernel log:
run the command on the host.

FILE is a kernel log (dmesg, dmesg -T, journalctl in short forms or json,
syslog; kernels 3.10–6.18), a PostgreSQL log (stderr, csvlog, jsonlog), or both
mixed. It can be truncated or compressed with gzip; - reads stdin. All files are
read as one story, so give kernel and server logs together.

An evidence file (pgfettle snapshot) among them adds the plan for that host to
the prevention; without it, only numbers of the OOM report are used. Evidence
contains the kernel's OOM reports if they were readable, so it can be the only
FILE.`,
		Example: `  pgfettle diagnose oom
  pgfettle diagnose oom /var/log/kern.log /var/log/postgresql/postgresql.log
  ssh db1 journalctl -k -o short-iso | pgfettle diagnose oom -
  pgfettle diagnose oom kern.log db1.evidence --format json
  pgfettle diagnose oom kern.log postgresql.log --format markdown > incident.md`,
		Args: filesOrTarget,
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
		text:     func(w io.Writer) error { return term.Write(w, reports.OOM(d, env.words), env.Style()) },
		json:     func(w io.Writer) error { return json.OOM(w, d.In(env.asked())) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.OOM(d, env.words)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseOOMPage(d, v) },
	})
}
