package export

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// The directories that systemd and procps read at boot, and our files in them. 60 comes after what a distribution ships
// (10 to 50) and before 99, the usual number of what an administrator means to have the last word.
const (
	sysctlPlace   = "/etc/sysctl.d/60-pgfettle.conf"
	tmpfilesPlace = "/etc/tmpfiles.d/60-pgfettle.conf"
)

// thpFolder is where the kernel has the switches of transparent huge pages.
const thpFolder = "/sys/kernel/mm/transparent_hugepage/"

var sysctlForm = Form{
	Name: "sysctl", What: "a file of sysctl.d",
	Label: "sysctl.d", Suffix: ".conf", Write: whole(Sysctl),
}

// Sysctl writes the kernel's changes as a file of sysctl.d. What is no sysctl (transparent huge pages, block devices,
// boot, units) is in comments, with the way to set it.
func Sysctl(w io.Writer, p document.Plan, s *snapshot.Snapshot) error {
	return sysctlOf(w, carry(p, s, inPieces), s)
}

func sysctlOf(w io.Writer, d carried, s *snapshot.Snapshot) error {
	var b strings.Builder
	list := withPrefix(d, "sysctl")
	later := afterServers(d)
	comment(&b, "#", "pgfettle: "+typeset.Count(len(list), "kernel parameter", "kernel parameters")+", snapshot "+
		typeset.Clean(shortHash(d.Snapshot)), commentWidth)
	assumedNotes(&b, "#", d)
	if len(list) > 0 {
		comment(&b, "#", "Its place: "+sysctlPlace+". In force after 'sysctl --system' or at the next boot.",
			commentWidth)
	}
	if n := len(later); n > 0 {
		names := make([]string, 0, n)
		for _, c := range list {
			if later[c.Address] {
				names = append(names, typeset.Clean(c.Address.Name()))
			}
		}
		comment(&b, "#",
			"In this order: 1. the lines above «after the restart»; 2. the settings of the server (--format conf or "+
				"alter-system) and its restart, after which its shared memory is as planned; "+
				"3. the lines below: "+strings.Join(names, ", ")+
				". Earlier they may take away memory or huge pages that the server as it runs now still needs.",
			commentWidth)
	}
	d.leftOut(&b, "#", hostsChange)
	parted := false
	for _, c := range list {
		if later[c.Address] && !parted {
			parted = true
			b.WriteString("\n# ---- after the restart ----\n")
		}
		b.WriteByte('\n')
		comment(&b, "#", changeComment(c), commentWidth)
		for _, note := range laterFiles(s, c.Address.Name()) {
			comment(&b, "#", "BEWARE: "+note, commentWidth)
		}
		fmt.Fprintf(&b, "%s = %s\n", typeset.Clean(c.Address.Name()), raw(c))
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
		b.WriteString("#   " + how(c) + risky(c) + "\n")
	}
	d.spacePart(&b, "#", "")
	_, err := io.WriteString(w, b.String())
	return err
}

const adminReserve = knob.Address("sysctl:vm.admin_reserve_kbytes")

// afterServers are the kernel's parameters that come after the restart of a server in the plan: a pool that shrinks,
// and strict overcommit, whose limit was computed for shared memory in huge pages.
func afterServers(d carried) map[knob.Address]bool {
	out := map[knob.Address]bool{}
	restart := false
	for _, c := range d.Changes {
		switch {
		case c.Layer == knob.Instance:
			restart = restart || c.Effect >= knob.Restart
		case restart && c.Address.Prefix() == "sysctl":
			out[c.Address] = true
		}
	}
	if len(out) == 1 && out[adminReserve] {
		return nil // without strict overcommit it holds nothing back
	}
	return out
}

// raw is the value as the kernel's file takes it: To is spelled for people and
// may have a unit.
func raw(c plan.Change) string { return typeset.Clean(c.ToBase) }

// how describes in one line how to make a change of the host that is not a sysctl.
func how(c plan.Change) string {
	to := raw(c)
	name := typeset.Clean(c.Address.Name())
	switch c.Address.Prefix() {
	case "thp":
		return tmpfilesLine(c) + "   (in " + tmpfilesPlace + ")"
	case "unit":
		return strings.Join(assignments(c), " and ") +
			"   (in a drop-in of the server's systemd unit, section [Service])"
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
	return typeset.Clean(string(c.Address)) + ": " + to
}

// assignments are the lines that a change makes in the drop-in of a unit.
func assignments(c plan.Change) (out []string) {
	for _, a := range host.Assignments(c.Address.Name(), c.ToBase) {
		out = append(out, typeset.Clean(a[0])+"="+typeset.Clean(a[1]))
	}
	return out
}

// tmpfilesLine writes a file of /sys at boot: it is what systemd has for
// kernel switches that are no sysctl.
func tmpfilesLine(c plan.Change) string {
	return "w " + thpFolder + typeset.Clean(c.Address.Name()) + " - - - - " + raw(c)
}

func withPrefix(d carried, prefix string) []plan.Change {
	var out []plan.Change
	for _, c := range d.Changes {
		if c.Address.Prefix() == prefix {
			out = append(out, c)
		}
	}
	return out
}

// laterFiles returns which present files would override ours: sysctl files are read in the order of their base names,
// and the last assignment wins.
func laterFiles(s *snapshot.Snapshot, name string) []string {
	sets, ok := s.Host.SysctlConf.Get()
	if !ok {
		return nil
	}
	var out []string
	for _, set := range sets {
		later := path.Base(set.File) > path.Base(sysctlPlace) || set.File == "/etc/sysctl.conf"
		if set.Name == name && set.Read && later {
			out = append(out, fmt.Sprintf("%s, line %d, sets it too, is read later and wins; take it out there.",
				typeset.Clean(set.File), set.Line))
		}
	}
	return out
}
