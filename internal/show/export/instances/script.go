package instances

import (
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// Script writes a script for a POSIX shell, to be run as root. Run again, it leaves a cluster that is there alone.
func Script(w io.Writer, p *creation.Plan) error {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n" + head(p) + "# Run as root. It stops at the first step that fails. A cluster that is " +
		"there is left alone.\n")
	list, others := sysctls(p)
	b.WriteString(otherwise(others) + "set -eu\numask 022\n\n")
	if at, w, ok := swapOf(p); ok { // before a commit limit that counts it
		line := shell.Quote(newcluster.SwapLine(at))
		b.WriteString("if [ ! -e " + shell.Quote(at) + " ]; then\n\t(" + swapScript(at, w) + ")\nfi\ngrep -qxF " +
			line + " /etc/fstab || printf '%s\\n' " + line + " >>/etc/fstab\n\n")
	}
	if len(list) > 0 {
		lines := ""
		for _, c := range list {
			lines += c.Address.Name() + " = " + c.To + "\n"
		}
		here(&b, sysctlFile, lines)
		b.WriteString("sysctl -q -p " + sysctlFile + "\n\n")
	}
	q := shell.Quote
	b.WriteString("if [ -e " + q(p.Data+"/PG_VERSION") + " ]; then\n\techo 'the cluster exists' >&2\n\texit 0\nfi\n")
	owner := p.Owner.Name + ":" + p.Owner.Group
	folder := func(dir string) {
		b.WriteString("mkdir -p " + q(path.Dir(dir)) + "\ninstall -d -m 0700 -o " + q(p.Owner.Name) + " -g " +
			q(p.Owner.Group) + " " + q(dir) + "\n")
	}
	if p.WAL != "" {
		folder(p.WAL)
	}
	if p.Standby != nil {
		for _, dir := range p.Spec.Standby.Spaces() {
			folder(dir)
		}
		folder(p.Data)
		b.WriteString(copyScript(p))
	}
	switch {
	case p.MadeBy == newcluster.Debian:
		b.WriteString(createCluster(p, false) + "\n")
	case p.Standby == nil:
		folder(p.Data)
		argv := []string{p.Programs + "/initdb", "-D", p.Data}
		if p.WAL != "" {
			argv = append(argv, "--waldir="+p.WAL)
		}
		b.WriteString("runuser -u " + q(p.Owner.Name) + " --")
		for _, a := range append(argv, p.Spec.InitDB...) {
			b.WriteString(" " + q(a))
		}
		b.WriteString("\nprintf '%s\\n' \"include_dir = 'conf.d'\" >>" + q(p.Config+"/postgresql.conf") + "\n")
		here(&b, p.Config+"/pg_hba.conf", p.Spec.HBA)
	}
	at, text := conf(p)
	b.WriteString("mkdir -p " + q(path.Dir(at)) + "\n")
	here(&b, at, text)
	b.WriteString("chown -R " + q(owner) + " " + q(path.Dir(at)) + " " + q(p.Config+"/pg_hba.conf") + "\n")
	if p.MadeBy == newcluster.Debian && p.Spec.HBA != "" && p.Standby == nil {
		b.WriteString("cat >>" + q(p.Config+"/pg_hba.conf") + " <<'" + mark + "'\n" + p.Spec.HBA + mark + "\n")
	}
	b.WriteString(started(p))
	_, err := io.WriteString(w, b.String())
	return err
}

// mark ends a text in a script; no line of a configuration is it.
const mark = "END_OF_PGFETTLE"

// here writes a file in a script.
func here(b *strings.Builder, at, text string) {
	b.WriteString("cat >" + shell.Quote(at) + " <<'" + mark + "'\n" + text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteString("\n")
	}
	b.WriteString(mark + "\n")
}

// started are the lines that start the server.
func started(p *creation.Plan) string {
	var b strings.Builder
	if at, text, ok := file(p); ok {
		b.WriteString("mkdir -p " + shell.Quote(path.Dir(at)) + "\n")
		here(&b, at, text)
		b.WriteString("systemctl daemon-reload\n")
	}
	switch {
	case p.Start == creation.Disabled:
	case p.Service != "" && p.Start == creation.Auto:
		b.WriteString("systemctl enable --now " + shell.Quote(p.Service) + "\n")
	case p.Service != "":
		b.WriteString("systemctl start " + shell.Quote(p.Service) + "\n")
	case p.MadeBy == newcluster.Debian:
		b.WriteString("pg_ctlcluster " + strconv.Itoa(p.Version) + " " + shell.Quote(p.Name) + " start\n")
	default:
		b.WriteString("runuser -u " + shell.Quote(p.Owner.Name) + " -- " + shell.Quote(p.Programs+"/pg_ctl") + " -D " +
			shell.Quote(p.Data) + " -w -l " + shell.Quote(p.Data+"/startup.log") + " start\n")
	}
	return b.String()
}
