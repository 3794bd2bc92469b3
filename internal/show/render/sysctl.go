package render

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// The folders that systemd and procps read at boot, and our files in them. 60
// comes after what a distribution ships (10 to 50) and before 99, the usual
// number of what an administrator means to have the last word.
const (
	sysctlPlace   = "/etc/sysctl.d/60-pgfettle.conf"
	tmpfilesPlace = "/etc/tmpfiles.d/60-pgfettle.conf"
)

// thpFolder is where the kernel has the switches of transparent huge pages.
const thpFolder = "/sys/kernel/mm/transparent_hugepage/"

// Sysctl writes the kernel's changes as a file of sysctl.d. What is no sysctl
// (transparent huge pages, block devices, boot, units) stands in comments, with
// the way to set it.
func Sysctl(w io.Writer, d Plan, s *snapshot.Snapshot) error {
	var b strings.Builder
	list := withPrefix(d, "sysctl")
	comment(&b, "#", "pgfettle: "+count(len(list), "kernel parameter", "kernel parameters")+", snapshot "+clean(shortHash(d.Snapshot)), commentWidth)
	assumedNotes(&b, "#", d)
	if len(list) > 0 {
		comment(&b, "#", "Its place: "+sysctlPlace+". In force after 'sysctl --system' or at the next boot.", commentWidth)
	}
	for _, c := range list {
		b.WriteByte('\n')
		comment(&b, "#", "was "+shown(c.From)+"; "+c.Reason, commentWidth)
		for _, note := range laterFiles(s, c.Address.Name()) {
			comment(&b, "#", "BEWARE: "+note, commentWidth)
		}
		fmt.Fprintf(&b, "%s = %s\n", clean(c.Address.Name()), raw(c))
	}
	var others []plan.Change
	for _, c := range d.Changes {
		if c.Layer != knob.Instance && c.Address.Prefix() != "sysctl" {
			others = append(others, c)
		}
	}
	if len(others) > 0 {
		b.WriteByte('\n')
		comment(&b, "#", "No sysctl, but part of the plan:", commentWidth)
	}
	for _, c := range others {
		b.WriteString("#   " + how(c) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// raw is the value as the kernel's file takes it: To is spelled for people and
// may have a unit.
func raw(c plan.Change) string { return clean(c.ToBase) }

// how tells in one line how a change of the host that is no sysctl is made.
func how(c plan.Change) string {
	to := raw(c)
	name := clean(c.Address.Name())
	switch c.Address.Prefix() {
	case "thp":
		return tmpfilesLine(c) + "   (in " + tmpfilesPlace + ")"
	case "unit":
		return name + "=" + to + "   (in a drop-in of the server's systemd unit, section [Service])"
	case "block":
		if q, ok := queueOf(c); ok {
			return q.line() + "   (in " + udevPlace + ")"
		}
	case "mount":
		if m, ok := mountOf(c); ok {
			return m.options + "   (the options of " + m.point + " in " + fstabPlace + "; then " + m.remount() + ")"
		}
	case "boot":
		return name + "=" + to + "   (on the kernel's command line)"
	}
	return clean(string(c.Address)) + ": " + to
}

// tmpfilesLine writes a file of /sys at boot: it is what systemd has for
// kernel switches that are no sysctl.
func tmpfilesLine(c plan.Change) string {
	return "w " + thpFolder + clean(c.Address.Name()) + " - - - - " + raw(c)
}

func withPrefix(d Plan, prefix string) []plan.Change {
	var out []plan.Change
	for _, c := range d.Changes {
		if c.Address.Prefix() == prefix {
			out = append(out, c)
		}
	}
	return out
}

// laterFiles tells which present files would win over ours: sysctl files are
// read in the order of their base names, and the last assignment stays.
func laterFiles(s *snapshot.Snapshot, name string) []string {
	sets, ok := s.Host.SysctlConf.Get()
	if !ok {
		return nil
	}
	var out []string
	for _, set := range sets {
		later := path.Base(set.File) > path.Base(sysctlPlace) || set.File == "/etc/sysctl.conf"
		if set.Name == name && set.Read && later {
			out = append(out, fmt.Sprintf("%s, line %d, sets it too, is read later and wins; take it out there.", clean(set.File), set.Line))
		}
	}
	return out
}
