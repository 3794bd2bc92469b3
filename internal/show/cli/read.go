package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

type readOptions struct {
	files  []string
	out    string
	force  bool
	redact bool
	host   string
	format string
}

func newRead(env *Env) *cobra.Command {
	o := &readOptions{}
	cmd := &cobra.Command{
		Use:   "read [FILE…|-]",
		Short: "Read what was pasted of a host, and make evidence of it",
		Long: `Say which parts of a text are what, and which facts they hold: a ticket, a mail, a
thread, several files, with the outputs of commands between prose. Nothing is run, and
nothing of this host is read.

Recognized are /proc/meminfo, free, vmstat, top, ps, lscpu, /proc/cpuinfo, numactl -H,
lsblk, df, mount, findmnt, fstab, iostat, uname, sysctl -a and files of sysctl.d, tuned
profiles, ulimit -a, /proc/PID/limits, status and smaps, files of cgroups, systemctl
status and unit files, SHOW ALL, pg_settings (as a table, CSV or JSON), single SHOWs,
postgresql.conf, pg_hba.conf, pg_controldata, pg_test_fsync, pg_test_timing, fio,
pgbench, sysbench, EXPLAIN, and logs of the kernel, of systemd and of servers. They are
found behind prompts and quotation marks, in fences, and in several languages.

Lines that were not recognized are listed, the first of each stretch in full. Numbers that
were printed rounded, as by free -m or df -h, are called so. Two parts that contradict
each other are told, and one of them is used; --host chooses among several hosts.

With -o FILE the used parts become an evidence file. check, plan, report and diagnose take
it like any other; what was not pasted is unknown to them. --redact replaces the names in
it, as snapshot --redact does.`,
		Example: `  pgfettle read ticket.txt
  pgfettle read -o case.evidence meminfo.txt show-all.txt mail.txt && pgfettle check case.evidence
  pgfettle read --format json - < ticket.txt
  pgfettle read --redact -o case.evidence ticket.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.files = args
			return runRead(env, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write the evidence to `FILE`, readable by its owner alone")
	f.BoolVar(&o.force, "force", false, "replace FILE")
	f.BoolVar(&o.redact, "redact", false, "replace the names in the evidence by pseudonyms")
	f.StringVar(&o.host, "host", "", "use the parts of the host `NAME` (default: the one with the most parts)")
	f.StringVar(&o.format, "format", "text", docFormsHelp)
	complete(cmd, "format", docForms...)
	return cmd
}

func runRead(env *Env, o *readOptions) error {
	if err := choice("format", o.format, docForms...); err != nil {
		return err
	}
	switch {
	case o.force && o.out == "":
		return say.Usage("--force says what -o may do", "add -o FILE")
	case o.redact && o.out == "":
		return say.Usage("--redact is for the evidence", "add -o FILE")
	}
	if _, err := os.Lstat(o.out); o.out != "" && err == nil && !o.force {
		return exists(o.out)
	}
	p, err := env.host().ReadPastes(o.files, o.host)
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := writePasted(env, o, p); err != nil {
			return err
		}
	}
	r := p.Read
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Read(r), env.Style()) },
		json:     func(w io.Writer) error { return json.Read(w, r) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Read(r)) },
		html:     func(v web.View) (web.Page, error) { return web.ReadPage(r, v) },
	})
}

func writePasted(env *Env, o *readOptions, p *app.Pasted) error {
	a := p.Evidence
	if o.redact {
		a = a.Redact()
	}
	var b bytes.Buffer
	if err := writeTo(&b, "evidence", a); err != nil {
		return err
	}
	// 0600: the names in it are nobody else's business.
	if err := writeFile(o.out, b.Bytes(), 0o600, o.force); err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "pgfettle: evidence of %d parts written to %s\n", p.Read.UsedParts(), o.out)
	return nil
}
