package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"

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
		Short: "Read pasted command output of a host as evidence",
		Long: `Recognize pasted command output in text files, such as a ticket, a mail or a
thread with outputs between prose, and list the facts in it. Nothing is
executed, and facts of this host are not read.

Recognized: /proc/meminfo, free, vmstat, top, ps, lscpu, /proc/cpuinfo, numactl
-H, lsblk, df, mount, findmnt, fstab, iostat, uname, sysctl -a and sysctl.d
files, tuned profiles, ulimit -a, /proc/PID/limits, status and smaps, cgroup
files, systemctl status and unit files, SHOW ALL, pg_settings (table, CSV or
JSON), single SHOWs, postgresql.conf, pg_hba.conf, pg_controldata,
pg_test_fsync, pg_test_timing, fio, pgbench, sysbench, EXPLAIN, and logs of
kernel, systemd and servers. They are found after prompts and quotation marks,
in code fences, and in several languages.

Lines that are not recognized are listed, the first of each block in full.
Rounded numbers, as printed by free -m or df -h, are marked as rounded. If two
parts contradict each other, this is reported and one is used. --host selects
one of several hosts.

-o FILE writes the recognized parts as an evidence file for check, plan, report
and diagnose; facts that were not pasted are unknown. With -o -, evidence is
written to stdout and the report to stderr. --redact replaces names, as with
pgfettle snapshot --redact.`,
		Example: `  pgfettle read ticket.txt
  pgfettle read -o case.evidence meminfo.txt show-all.txt mail.txt
  pgfettle read -o - ticket.txt | pgfettle check -
  pgfettle read --format json - < ticket.txt
  pgfettle read --redact -o case.evidence ticket.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.files = args
			return runRead(env, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "`FILE` write evidence to FILE (mode 0600), or to stdout with -")
	f.BoolVar(&o.force, "force", false, "overwrite an existing file")
	f.BoolVar(&o.redact, "redact", false, "replace names in the evidence with pseudonyms")
	f.StringVar(&o.host, "host", "", "`NAME` use the parts of this host (default the one with most parts)")
	f.StringVar(&o.format, "format", "text", docFormsHelp)
	complete(cmd, "format", docForms...)
	return cmd
}

func runRead(env *Env, o *readOptions) error {
	if err := choice("format", o.format, docForms...); err != nil {
		return err
	}
	switch {
	case o.force && (o.out == "" || o.out == "-"):
		return say.Usage(say.M("--force requires -o FILE"), say.M("Add -o FILE, or omit --force."))
	case o.redact && o.out == "":
		return say.Usage(say.M("--redact requires -o FILE"), say.M("Add -o FILE, or omit --redact."))
	}
	if _, err := os.Lstat(o.out); o.out != "" && o.out != "-" && err == nil && !o.force {
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
	if o.out == "-" { // stdout is for the evidence
		talk := *env
		talk.Stdout = env.Stderr
		env = &talk
	}
	r := p.Read
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Read(r, env.words), env.Style()) },
		json:     func(w io.Writer) error { return json.Read(w, r.In(env.asked())) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Read(r, env.words)) },
		html:     func(v web.View) (web.Page, error) { return web.ReadPage(r, v) },
	})
}

func writePasted(env *Env, o *readOptions, p *app.Pasted) error {
	a := p.Evidence
	if o.redact {
		a = a.Redact()
	}
	if o.out == "-" {
		return writeTo(env.Stdout, "evidence", a)
	}
	var b bytes.Buffer
	if err := writeTo(&b, "evidence", a); err != nil {
		return err
	}
	// 0600: names in it can be confidential.
	if err := writeFile(o.out, b.Bytes(), 0o600, o.force); err != nil {
		return err
	}
	fmt.Fprintln(env.Stderr, "pgfettle: "+env.say("evidence from {n} parts written to {file}",
		"n", strconv.Itoa(p.Read.UsedParts()), "file", o.out))
	return nil
}
