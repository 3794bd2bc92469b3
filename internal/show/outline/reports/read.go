package reports

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/paste"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// shownPasted is how many facts of a part are shown; --format json has all.
const shownPasted = 24

// kindNames are the names of commands, files and views, where they are not the kind itself.
var kindNames = map[part.Kind]string{part.Meminfo: "/proc/meminfo", part.CPUInfo: "/proc/cpuinfo",
	part.VmstatSums: "vmstat -s",
	part.Swaps:      "/proc/swaps", part.Numactl: "numactl, numastat", part.Mounts: "/proc/mounts",
	part.Fstab: "/etc/fstab", part.SystemctlStatus: "systemctl status",
	part.Cgroup: "cgroup", part.Ulimit: "ulimit -a", part.Limits: "/proc/PID/limits",
	part.ProcessStatus: "/proc/PID/status", part.Smaps: "/proc/PID/smaps", part.ShowAll: "SHOW ALL",
	part.Show: "SHOW", part.PostgresConf: "postgresql.conf", part.PgHBA: "pg_hba.conf", part.Explain: "EXPLAIN",
	part.Mountinfo: "/proc/self/mountinfo", part.DockerStats: "docker stats", part.KubectlTop: "kubectl top",
	part.KubernetesNode: "kubectl describe node", part.Container: "kubectl describe pod",
	part.PamLimits: "limits.conf", part.Grub: "/etc/default/grub", part.Pressure: "/proc/pressure",
	part.HugePool: "/sys/kernel/mm/hugepages", part.ProcVmstat: "/proc/vmstat", part.Mdstat: "/proc/mdstat",
	part.Lvm: "LVM", part.PatroniList: "patronictl list", part.Engine: "docker info",
	part.Inspect: "docker inspect", part.Pods: "kubectl get pods", part.Listen: "ss",
	part.Containers: "docker ps", part.AlterSystem: "ALTER SYSTEM"}

// kindWords are the names of kinds that no single command or file has.
var kindWords = map[part.Kind]say.Message{
	part.OSRelease:  say.M("operating system"),
	part.SysctlConf: say.M("sysctl.d file"),
	part.SysctlSet:  say.M("kernel parameters that a command sets"),
	part.PatroniLog: say.M("Patroni log"),
	part.Fdisk:      say.M("partitions"),
	part.THP:        say.M("transparent huge pages (THP)"),
	part.Cmdline:    say.M("kernel command line"),
	part.Tuned:      say.M("TuneD profile"),
	part.Unit:       say.M("systemd unit file"),
	part.Version:    say.M("server version"),
	part.KernelLog:  say.M("kernel log"),
	part.ServerLog:  say.M("PostgreSQL log"),
	part.Journal:    say.M("systemd journal"),
	part.Answer:     say.M("single value"),
	part.Guest:      say.M("Proxmox guest"),
	part.Packages:   say.M("installed packages"),
	part.Stated:     say.M("description in prose"),
}

// partName is how a kind of part is called.
func partName(k part.Kind) say.Message {
	if m, ok := kindWords[k]; ok {
		return m
	}
	if n := kindNames[k]; n != "" {
		return say.Text(n)
	}
	return say.Text(string(k))
}

// titleOf is how a part is called, more exactly than its kind: mpstat prints tables that sar prints too.
func titleOf(t *paste.Part) say.Message {
	if t.Kind == part.PgSettings && t.Sure == part.Likely { // of a page, perhaps
		return say.M("settings in a table")
	}
	if t.Kind == part.Sar && strings.Contains(t.Command, "mpstat") {
		return say.Text("mpstat")
	}
	return partName(t.Kind)
}

// readWords are the words of what was recognized.
type readWords struct{ outline.Words }

// Read is what was recognized in pastes, and what was not.
func Read(r *paste.Read, c *say.Catalogue) outline.Outline {
	var o outline.Outline
	p := readWords{outline.WordsIn(c)}
	several := len(r.Files) > 1
	for i := range r.Parts {
		p.part(&o, r, i, several)
	}
	if len(r.Conflicts) > 0 {
		o.Part(p.Say("Contradictions"))
		for _, c := range r.Conflicts {
			text := p.Word(conflict(r, &c))
			o.Add(outline.List{Kind: outline.Warnings, Items: []outline.Item{{Text: outline.Join(text)}}})
		}
	}
	if len(r.Unrecognized) > 0 {
		o.Part(p.Say("Not recognized"))
		list := outline.List{Kind: outline.Gaps}
		for _, s := range r.Unrecognized {
			lead := p.Word(say.All(", ", place(s.File, s.First, s.Last, several),
				say.N(s.Lines, "{n} line", "{n} lines"))) + p.Colon()
			list.Items = append(list.Items, outline.Item{Text: outline.Join(lead,
				outline.Code(typeset.Shorten(typeset.Line(s.Text), 100)))})
		}
		o.Add(list)
	}
	o.Add(outline.Summary{Lines: p.summary(r)})
	return o
}

func (p readWords) summary(r *paste.Read) []outline.Para {
	files := any(typeset.Line(r.Files[0].Name))
	if len(r.Files) > 1 {
		files = say.N(len(r.Files), "{n} file", "{n} files")
	}
	text := p.Say("{files}: {parts} recognized ({lines}); not recognized: {others}", "files", files,
		"parts", say.N(len(r.Parts), "{n} part", "{n} parts"),
		"lines", say.N(r.Lines.Recognized, "{n} line", "{n} lines"),
		"others", say.N(r.Lines.Unrecognized, "{n} line", "{n} lines"))
	tone := outline.ToneGood
	if len(r.Parts) == 0 {
		tone = outline.ToneMind
	}
	out := []outline.Para{{Text: outline.Join(text), Tone: tone}}
	if len(r.Hosts) > 1 {
		text := p.Say("Hosts: {hosts}. The parts of {host} are used; --host selects another.", "hosts",
			typeset.Line(strings.Join(r.Hosts, ", ")), "host", typeset.Line(r.Host))
		out = append(out, outline.Para{Text: outline.Join(text), Tone: outline.ToneMind})
	}
	return out
}

// place is where lines are.
func place(file string, first, last int, several bool) say.Message {
	lines := say.M("line {line}", "line", strconv.Itoa(first))
	if last > first {
		lines = say.M("lines {first}–{last}", "first", strconv.Itoa(first), "last", strconv.Itoa(last))
	}
	if several {
		return say.M("{file}, {lines}", "file", typeset.Line(file), "lines", lines)
	}
	return lines
}

func (p readWords) part(o *outline.Outline, r *paste.Read, i int, several bool) {
	t := &r.Parts[i]
	o.Part(p.Say("{n}. {part} ({place})", "n", strconv.Itoa(i+1), "part", titleOf(t), "place",
		place(t.File, t.First, t.Last, several)))
	if about := aboutPart(t); !about.IsZero() {
		o.Toned(outline.ToneNote, typeset.Sentence(p.Word(about)))
	}
	fields := outline.Fields{}
	shown := telling(t)
	shown = shown[:min(len(shown), shownPasted)]
	for _, f := range shown {
		name := f.Name
		if f.Of != "" {
			name += " " + f.Of
		}
		fields.List = append(fields.List, outline.FieldOf(typeset.Line(name), p.Value(pastedText(f))))
	}
	if len(fields.List) > 0 {
		o.Add(fields)
	}
	if n := len(t.Facts) - len(shown); n > 0 {
		o.Toned(outline.ToneNote, p.Many(n, "… and {n} more fact; --format json shows it.",
			"… and {n} more facts; --format json shows them."))
	}
	for _, n := range t.Notes {
		o.Toned(outline.ToneMind, typeset.Sentence(gapwords.In(p.Catalog(), n)))
	}
}

// telling are the facts of a part without those that nobody looks for among many: loop devices, what holds no data,
// and each CPU beside all of them.
func telling(t *paste.Part) []part.Fact {
	out := slices.DeleteFunc(slices.Clone(t.Facts), func(f part.Fact) bool {
		switch t.Kind {
		case part.Lsblk:
			n, loop := strings.CutPrefix(f.Of, "loop")
			return loop && allDigits(n)
		case part.Df:
			return part.Pseudo(f.Of)
		case part.Sar:
			return strings.HasPrefix(f.Name, "cpu.") && allDigits(f.Of)
		}
		return false
	})
	ofAll := func(f part.Fact) bool { return strings.HasPrefix(f.Name, "cpu.") && f.Of == "" }
	if len(out) == 0 || t.Kind == part.Sar && !slices.ContainsFunc(out, ofAll) {
		return t.Facts
	}
	return out
}

// allDigits says whether a text is a number in digits alone.
func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// numbered says whether the number of a fact is a name: it is shown as a command takes it.
func numbered(f part.Fact) bool {
	switch f.Name {
	case "process.parent", "process.postmaster", "control.version", "control.catalog", "control.timeline",
		"control.oldest_xid", "cluster.port":
		return true
	case "setting":
		return f.Of == "port"
	}
	return strings.HasSuffix(f.Name, "_pid")
}

// aboutPart is whose a part is, how it was recognized, and why it is not used: clauses.
func aboutPart(t *paste.Part) say.Message {
	var list []say.Message
	if t.Host != "" {
		list = append(list, say.M("host {host}", "host", typeset.Line(t.Host)))
	}
	if t.Command != "" {
		command := typeset.Shorten(typeset.Line(strings.ReplaceAll(t.Command, "\n", " ")), 80)
		list = append(list, say.M("command {command}", "command", command))
	}
	if t.Sure == part.Likely {
		list = append(list, say.M("recognized only by the form of its lines"))
	}
	if !t.Used {
		list = append(list, say.M("not used: {reason}", "reason", gapwords.Arg(t.Unused)))
	}
	return say.All("; ", list...)
}

// upTime is how long a host has been up, as exact as uptime prints it.
func upTime(secs float64) any {
	minutes := int64(secs / 60)
	if hours := minutes / 60; hours >= 48 && hours%24 > 0 {
		return say.M("{days} days {hours} h", "days", hours/24, "hours", hours%24)
	}
	if minutes >= 48*60 || minutes%60 == 0 || minutes < 60 {
		return say.Span(secs)
	}
	return say.M("{hours} h {minutes} min", "hours", minutes/60, "minutes", minutes%60)
}

// pastedText is the value of a fact for a person.
func pastedText(f part.Fact) any {
	value := pastedValue(f.Value, f.Unit)
	if n, ok := f.Value.(int64); ok && numbered(f) {
		return strconv.FormatInt(n, 10)
	}
	if n, ok := f.Value.(float64); ok && f.Name == "uptime" {
		return upTime(n)
	}
	switch {
	case f.Rounded && f.Step > 0 && f.Unit == "bytes":
		return say.M("{value} (rounded in the input, to {step})", "value", value, "step", unit.Bytes(int64(f.Step)))
	case f.Rounded:
		return say.M("{value} (rounded in the input)", "value", value)
	}
	return value
}

func pastedValue(v any, u string) any {
	switch n := v.(type) {
	case string:
		if n == "" {
			return `""`
		}
		return typeset.Shorten(typeset.Line(n), 200)
	case int64:
		switch u {
		case "bytes":
			return unit.Bytes(n)
		case "bytes/s":
			return say.M("{size} per second", "size", unit.Bytes(n))
		}
		return withUnit(typeset.Digits(int(n)), u)
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1e15 && u == "s" {
			return withUnit(typeset.Digits(int(n)), u)
		}
		if u == "s" && math.Abs(n) < 1 {
			return withUnit(strconv.FormatFloat(n*1e3, 'g', 6, 64), "ms")
		}
		return withUnit(strconv.FormatFloat(n, 'g', 6, 64), u)
	}
	return fmt.Sprint(v)
}

func withUnit(s, u string) any {
	switch u {
	case "":
		return say.Number(s)
	case "percent":
		return say.Number(s + "%")
	case "per second":
		return say.M("{n} per second", "n", say.Number(s))
	}
	return say.Number(s + " " + u)
}

func conflict(r *paste.Read, c *paste.Conflict) say.Message {
	name := c.Fact
	if c.Of != "" {
		name += " " + c.Of
	}
	var kept say.Message
	if c.Kept >= 0 {
		kept = say.M("Part {part} is used.", "part", strconv.Itoa(c.Kept+1))
	}
	return say.All(" ", say.M("{fact} is {value} in part {part} and {other} in part {second}: {reason}.", "fact",
		typeset.Line(name), "value", pastedValue(c.Values[0], c.Unit), "part", strconv.Itoa(c.Parts[0]+1),
		"other", pastedValue(c.Values[1], c.Unit), "second", strconv.Itoa(c.Parts[1]+1), "reason",
		gapwords.Arg(c.Why)), kept)
}
