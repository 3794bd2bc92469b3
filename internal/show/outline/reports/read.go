package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/paste"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// shownPasted is how many facts of a part are shown; --format json has all.
const shownPasted = 24

// kindNames are how kinds are called where that is not their command.
var kindNames = map[paste.Kind]string{paste.Meminfo: "/proc/meminfo", paste.CPUInfo: "/proc/cpuinfo",
	paste.VmstatSums: "vmstat -s",
	paste.Swaps:      "/proc/swaps", paste.Numactl: "numactl --hardware", paste.Mounts: "/proc/mounts",
	paste.Fstab:     "/etc/fstab",
	paste.OSRelease: "operating system", paste.SysctlConf: "sysctl.d file",
	paste.SysctlSet: "sysctl -w", paste.THP: "transparent huge pages",
	paste.Cmdline: "kernel command line", paste.Tuned: "TuneD profile", paste.Unit: "systemd unit file",
	paste.SystemctlStatus: "systemctl status", paste.Cgroup: "cgroup", paste.Ulimit: "ulimit -a",
	paste.Limits:        "/proc/PID/limits",
	paste.ProcessStatus: "/proc/PID/status", paste.Smaps: "/proc/PID/smaps", paste.ShowAll: "SHOW ALL",
	paste.Show:    "SHOW",
	paste.Version: "server version", paste.PostgresConf: "postgresql.conf", paste.PgHBA: "pg_hba.conf",
	paste.Explain:   "EXPLAIN",
	paste.KernelLog: "kernel log", paste.ServerLog: "PostgreSQL log", paste.Journal: "journal",
	paste.Answer:    "one value",
	paste.Mountinfo: "/proc/self/mountinfo", paste.DockerStats: "docker stats", paste.KubectlTop: "kubectl top",
	paste.KubernetesNode: "kubectl describe node", paste.Container: "kubectl describe pod",
	paste.PamLimits: "limits.conf", paste.Grub: "/etc/default/grub", paste.Pressure: "/proc/pressure",
	paste.HugePool: "/sys/kernel/mm/hugepages", paste.ProcVmstat: "/proc/vmstat", paste.Mdstat: "/proc/mdstat",
	paste.Lvm: "LVM", paste.PatroniList: "patronictl list", paste.Engine: "docker info",
	paste.Inspect: "docker inspect", paste.Pods: "kubectl get pods", paste.Guest: "Proxmox guest",
	paste.Listen: "ss", paste.Stated: "what its author says", paste.Containers: "docker ps"}

// PartName is how a kind of part is called.
func PartName(k paste.Kind) string {
	if n := kindNames[k]; n != "" {
		return n
	}
	return string(k)
}

// Read is what was recognized in pastes, and what was not.
func Read(r *paste.Read) outline.Outline {
	var o outline.Outline
	several := len(r.Files) > 1
	for i := range r.Parts {
		readPart(&o, r, i, several)
	}
	if len(r.Conflicts) > 0 {
		o.Part("Contradictions")
		for _, c := range r.Conflicts {
			o.Add(outline.List{Kind: outline.Warnings, Items: []outline.Item{{Text: outline.Join(conflict(r, &c))}}})
		}
	}
	if len(r.Unrecognized) > 0 {
		o.Part("Not recognized")
		list := outline.List{Kind: outline.Gaps}
		for _, s := range r.Unrecognized {
			list.Items = append(list.Items, outline.Item{Text: outline.Join(where(s.File, s.First, s.Last, several),
				", ",
				typeset.Count(s.Lines, "line", "lines"), ": ",
				outline.Code(typeset.Shorten(typeset.Line(s.Text), 100)))})
		}
		o.Add(list)
	}
	o.Add(outline.Summary{Lines: readSummary(r)})
	return o
}

func readSummary(r *paste.Read) []outline.Para {
	files := typeset.Line(r.Files[0].Name)
	if len(r.Files) > 1 {
		files = typeset.Count(len(r.Files), "file", "files")
	}
	text := fmt.Sprintf("%s: %s recognized in %s; %s not recognized.", files,
		typeset.Count(len(r.Parts), "part", "parts"), typeset.Count(r.Lines.Recognized, "line", "lines"),
		typeset.Count(r.Lines.Unrecognized, "line", "lines"))
	tone := outline.ToneGood
	if len(r.Parts) == 0 {
		tone = outline.ToneMind
	}
	out := []outline.Para{{Text: outline.Join(text), Tone: tone}}
	if len(r.Hosts) > 1 {
		out = append(out, outline.Para{Text: outline.Join("Hosts: ", typeset.Line(strings.Join(r.Hosts, ", ")),
			". The parts of ", typeset.Line(r.Host), " are used; --host chooses another."), Tone: outline.ToneMind})
	}
	return out
}

func where(file string, first, last int, several bool) string {
	text := "line " + strconv.Itoa(first)
	if last > first {
		text = fmt.Sprintf("lines %d–%d", first, last)
	}
	if several {
		return typeset.Line(file) + ", " + text
	}
	return text
}

func readPart(o *outline.Outline, r *paste.Read, i int, several bool) {
	p := &r.Parts[i]
	head := fmt.Sprintf("%d. %s (%s)", i+1, PartName(p.Kind), where(p.File, p.First, p.Last, several))
	o.Part(head)
	var about []string
	if p.Host != "" {
		about = append(about, "host "+typeset.Line(p.Host))
	}
	if p.Command != "" {
		about = append(about, "command "+typeset.Shorten(typeset.Line(strings.ReplaceAll(p.Command, "\n", " ")), 80))
	}
	if p.Sure == paste.Likely {
		about = append(about, "recognized by the form of its lines alone")
	}
	if !p.Used {
		about = append(about, "not used: "+p.Unused)
	}
	if len(about) > 0 {
		o.Toned(outline.ToneNote, sentence(strings.Join(about, "; ")))
	}
	fields := outline.Fields{}
	shown := p.Facts[:min(len(p.Facts), shownPasted)]
	for _, f := range shown {
		name := f.Name
		if f.Of != "" {
			name += " " + f.Of
		}
		fields.List = append(fields.List, outline.FieldOf(typeset.Line(name), PastedText(f)))
	}
	if len(fields.List) > 0 {
		o.Add(fields)
	}
	if n := len(p.Facts) - len(shown); n > 0 {
		o.Toned(outline.ToneNote, "… and "+typeset.Count(n, "fact", "facts")+"; --format json has them.")
	}
	for _, n := range p.Notes {
		o.Toned(outline.ToneMind, sentence(n))
	}
}

func sentence(s string) string {
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// PastedText is the value of a fact for a person.
func PastedText(f paste.Fact) string {
	text := pastedValue(f.Value, f.Unit)
	if f.Rounded && f.Step > 0 && f.Unit == "bytes" {
		text += " (printed rounded, to " + unit.Bytes(int64(f.Step)).String() + ")"
	} else if f.Rounded {
		text += " (printed rounded)"
	}
	return text
}

func pastedValue(v any, u string) string {
	switch n := v.(type) {
	case string:
		if n == "" {
			return `""`
		}
		return typeset.Shorten(typeset.Line(n), 200)
	case int64:
		if u == "bytes" {
			return unit.Bytes(n).String()
		}
		if u == "bytes/s" {
			return unit.Bytes(n).String() + " per second"
		}
		return withUnit(typeset.Digits(int(n)), u)
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1e15 && u == "s" {
			return withUnit(typeset.Digits(int(n)), u)
		}
		return withUnit(strconv.FormatFloat(n, 'g', 6, 64), u)
	}
	return fmt.Sprint(v)
}

func withUnit(s, u string) string {
	switch u {
	case "":
		return s
	case "percent":
		return s + "%"
	}
	return s + " " + u
}

func conflict(r *paste.Read, c *paste.Conflict) string {
	name := c.Fact
	if c.Of != "" {
		name += " " + c.Of
	}
	text := fmt.Sprintf("%s is %s in part %d and %s in part %d: %s.", typeset.Line(name),
		pastedValue(c.Values[0], c.Unit),
		c.Parts[0]+1, pastedValue(c.Values[1], c.Unit), c.Parts[1]+1, c.Why)
	if c.Kept >= 0 {
		text += fmt.Sprintf(" Part %d is used.", c.Kept+1)
	}
	return text
}
