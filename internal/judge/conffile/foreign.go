package conffile

import (
	"bytes"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conftext"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// Form says which program reads a file.
type Form string

// The forms. PostgreSQL is what a file is that shows no sign of another one.
const (
	PostgreSQL Form = "postgresql.conf"
	Sysctl     Form = "sysctl.d"
	Unit       Form = "systemd unit"
	Fstab      Form = "fstab"
	Tuned      Form = "TuneD profile"
	Limits     Form = "limits.conf"
	Grub       Form = "kernel command line"
	HBA        Form = "pg_hba.conf"
)

var (
	section      = regex.New(`^\[(Unit|Service|Install|Socket|Mount|Slice)\]\s*$`)
	sysctlLine   = regex.New(`^-?(vm|kernel|fs|net|user|dev|abi)[./][A-Za-z0-9_./*-]+\s*=`)
	hbaLine      = regex.New(`^(local|host|hostssl|hostnossl|hostgssenc|hostnogssenc)\s+\S+\s+\S+\s+\S+`)
	tunedSection = regex.New(`^\[(main|sysctl|vm|cpu|disk|bootloader|sysfs|variables|scheduler|script|video|` +
		`selinux|net|audio|usb|modules|systemd)\]$`)
	limitsLine = regex.New(`^(\S+)\s+(soft|hard|-)\s+(core|data|fsize|memlock|nofile|rss|stack|cpu|nproc|as|` +
		`maxlogins|maxsyslogins|priority|locks|sigpending|msgqueue|nice|rtprio)\s+(\S+)`)
	grubLine = regex.New(
		`^(GRUB_CMDLINE_LINUX\w*=|BOOT_IMAGE=|linux(16|efi)?\s+\S*vmlinuz|kernel\s+\S*vmlinuz)`)
	fstabLine = regex.New(
		`^\S+\s+(/\S*|none|swap)\s+(ext[234]|xfs|btrfs|zfs|nfs4?|tmpfs|swap|vfat|f2fs|overlay|auto|cifs)(\s|$)`)
)

// FormOf returns the form of a file by its content: a section of systemd's, or the
// shape of most of its lines. Pasted text, with prose and prompts around it, is a form,
// too, if it has no setting of the server.
func FormOf(text []byte) Form {
	f, _ := Recognize(text)
	return f
}

// Recognize is FormOf, with what was read of a text whose settings are the server's.
func Recognize(text []byte) (Form, conftext.Text) {
	n := countLines(text)
	switch { // most of the lines: a slip or two does not make it another form
	case n.tuned:
		return Tuned, conftext.Text{}
	case n.unit:
		return Unit, conftext.Text{}
	case n.all == 0:
		return PostgreSQL, conftext.Text{Form: conftext.Plain}
	case 2*n.sysctl > n.all:
		return Sysctl, conftext.Text{}
	case 2*n.hba > n.all:
		return HBA, conftext.Text{}
	case 2*n.fstab > n.all:
		return Fstab, conftext.Text{}
	case 2*n.limits > n.all:
		return Limits, conftext.Text{}
	case n.grub > 0 && 2*n.grub >= n.all:
		return Grub, conftext.Text{}
	}
	t := conftext.Read(string(text))
	if len(t.Settings) == 0 && n.known == 0 {
		switch {
		case n.limits > 1 && n.limits >= n.sysctl:
			return Limits, t
		case n.sysctl > 1:
			return Sysctl, t
		case n.grub > 0:
			return Grub, t
		case n.fstab > 0 && 3*n.fstab > n.all:
			return Fstab, t
		}
	}
	return Form(t.Form), t
}

// shapes counts lines by their shape.
type shapes struct {
	all, sysctl, hba, fstab, limits, grub int
	known                                 int // assignments of the server's parameters
	unit, tuned                           bool
}

func countLines(text []byte) (n shapes) {
	main, sections := false, 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' || line[0] == ';' {
			continue
		}
		n.all++
		switch {
		case tunedSection.Match(line):
			main = main || string(line) == "[main]"
			sections++
		case section.Match(line):
			n.unit = true
		case sysctlLine.Match(line):
			n.sysctl++
		case hbaLine.Match(line):
			n.hba++
		case fstabLine.Match(line):
			n.fstab++
		case limitsLine.Match(line):
			n.limits++
		case grubLine.Match(line):
			n.grub++
		default:
			if name, _, ok := bytes.Cut(line, []byte("=")); ok && params.Known(string(bytes.TrimSpace(name))) {
				n.known++
			}
		}
	}
	n.tuned = main && sections > 1 || sections > 2
	return n
}

// JudgeForeign judges a file of the kernel's parameters, of systemd or of mounts with the checks of a host and an
// instance: each finding is at the line that causes it. host is the host that it is for; nil if none is named.
func JudgeForeign(form Form, file string, text []byte, show func(string) string, on *snapshot.Snapshot,
	checks []check.Check) Report {
	f := &foreign{file: file, show: show, on: on, checks: checks,
		out: Report{Schema: Schema, Form: form, Main: show(file), Files: []string{show(file)}, Read: []Read{},
			Findings: []Finding{}}}
	switch form {
	case Sysctl:
		f.sysctl(carried(text, sysctlLine))
	case Tuned:
		f.tuned(text)
	case Limits:
		f.limits(text)
	case Grub:
		f.grub(text)
	case Unit:
		f.unit(text)
	case Fstab:
		f.fstab(text)
	}
	slices.SortStableFunc(f.out.Findings, func(a, b Finding) int { return a.Line - b.Line })
	return f.out
}

type foreign struct {
	file   string
	show   func(string) string
	on     *snapshot.Snapshot
	checks []check.Check
	out    Report
}

// line is one assignment of a file.
type line struct {
	name, value string
	at          int
}

// judge runs the checks over what build makes of some of the lines, and returns what is found with all of them and not
// without any. of reports whether what no single line causes, such as a default, belongs to the file as a whole.
func (f *foreign) judge(all []line, build func([]line) *snapshot.Snapshot, of bool) {
	run := func(list []line) []check.Finding { return check.Run(build(list), f.checks, check.Options{}).Findings }
	without, names := make([][]check.Finding, len(all)), make([]string, len(all))
	for i := range all {
		without[i], names[i] = run(slices.Delete(slices.Clone(all), i, i+1)), all[i].name
	}
	bare := run(nil)
	for _, found := range run(all) {
		var place line
		if at := blame(found, names, without); at >= 0 {
			place = all[at]
		} else if !of || slices.ContainsFunc(bare, func(o check.Finding) bool { return sameFinding(found, o) }) {
			continue
		}
		found.Instance = ""
		f.out.Findings = append(f.out.Findings, Finding{Finding: found, File: f.show(f.file), Line: place.at,
			Setting: place.name})
	}
}

func (f *foreign) sysctl(text []byte) {
	sets, err := host.ParseSysctlConf(text)
	if err != nil {
		return
	}
	var all []line
	for _, s := range sets {
		s.Value = withoutRemark(s.Value)
		f.read(s.Name, s.Value, s.Line)
		if !slices.Contains(host.SysctlNames, s.Name) {
			continue // nothing looks at it
		}
		all = slices.DeleteFunc(all, func(l line) bool { return l.name == s.Name }) // the last one counts
		all = append(all, line{s.Name, s.Value, s.Line})
	}
	f.kernel(all)
}

// kernel judges values of kernel parameters.
func (f *foreign) kernel(all []line) {
	f.judge(all, func(list []line) *snapshot.Snapshot {
		s := onHost(f.on)
		s.Host.Sysctls = maps.Clone(s.Host.Sysctls)
		if s.Host.Sysctls == nil {
			s.Host.Sysctls = host.Sysctls{}
		}
		var sets []host.SysctlSet
		for _, l := range list {
			s.Host.Sysctls[l.name] = known.Is(l.value)
			sets = append(sets, host.SysctlSet{Name: l.name, Value: l.value, File: f.file, Line: l.at, Read: true})
		}
		s.Host.SysctlConf = known.Is(sets)
		return s
	}, false)
}

// judgedKeys are the keys of a unit that checks use.
var judgedKeys = []string{
	"OOMPolicy", "TimeoutStopSec", "LimitNOFILE", "LimitNPROC", "LimitMEMLOCK", "LimitSTACK", "LimitAS", "LimitCORE",
	"ManagedOOMPreference", "ManagedOOMMemoryPressure", "ManagedOOMSwap",
}

// mostMounts bounds the lines of fstab that are judged: each costs a run of all
// checks, and a host has some dozens.
const mostMounts = 200

// The defaults of systemd for a service; a drop-in leaves them to the unit.
const (
	defaultOOMPolicy = "stop"
	defaultStop      = "1min 30s"
	defaultFiles     = "1024"
)

func (f *foreign) unit(text []byte) {
	all := []line{} // nil means no file at all
	n, whole, service := 0, false, false
	for l := range strings.Lines(string(text)) {
		n++
		l = strings.TrimSpace(l)
		if section.MatchString(l) {
			service = l == "[Service]"
		}
		key, value, ok := strings.Cut(l, "=")
		if !ok || strings.HasPrefix(l, "#") || strings.HasPrefix(l, ";") {
			continue
		}
		key = strings.TrimSpace(key)
		f.read(key, strings.TrimSpace(value), n)
		whole = whole || key == "ExecStart"
		if service && slices.Contains(judgedKeys, key) {
			all = slices.DeleteFunc(all, func(l line) bool { return l.name == key })
			all = append(all, line{key, strings.TrimSpace(value), n})
		}
	}
	f.judge(all, func(list []line) *snapshot.Snapshot {
		p := map[string]string{}
		if whole && list != nil {
			p["OOMPolicy"], p["TimeoutStopSec"], p["LimitNOFILE"] = defaultOOMPolicy, defaultStop, defaultFiles
		}
		for _, l := range list {
			p[l.name] = l.value
		}
		if v, ok := p["TimeoutStopSec"]; ok {
			if _, err := strconv.Atoi(v); err == nil {
				v += "s" // a bare number counts seconds
			}
			p["TimeoutStopUSec"] = v
		}
		s := onHost(f.on)
		in := &s.Instances[0]
		if !in.Server.Settings.Known() {
			in.Server.Settings = known.Is(fresh(params.Newest()))
		}
		in.Unit = known.Is(host.Unit{Name: path.Base(f.file), OOMPolicy: p["OOMPolicy"], Properties: p})
		in.Limits = limitsOf(p)
		return s
	}, true)
}

// limitsOf reads the soft limits of a unit. What it does not set, the manager decides:
// that is left unlimited here, as nothing is to be found in what the file does not say.
func limitsOf(p map[string]string) known.Fact[host.Limits] {
	l := host.Limits{NoFile: -1, NProc: -1, MemLock: -1, Stack: -1, AS: -1, Core: -1}
	set := false
	for key, to := range map[string]*int64{
		"LimitNOFILE": &l.NoFile, "LimitNPROC": &l.NProc, "LimitMEMLOCK": &l.MemLock, "LimitSTACK": &l.Stack,
		"LimitAS": &l.AS, "LimitCORE": &l.Core,
	} {
		soft, _, _ := strings.Cut(p[key], ":")
		if n, ok := limit(soft); ok {
			*to, set = n, true
		}
	}
	if !set {
		return known.Missed[host.Limits](known.Gap{Fact: "limits", Reason: "the unit does not set them"})
	}
	return known.Is(l)
}

// limit reads a limit of systemd.exec(5): a number, with a suffix to the base of 1024,
// or infinity.
func limit(text string) (int64, bool) {
	if text == "infinity" {
		return -1, true
	}
	if text == "" {
		return 0, false
	}
	shift := 10 * (strings.IndexByte("KMGTPE", text[len(text)-1]) + 1)
	n, err := strconv.ParseInt(strings.TrimRight(text, "KMGTPE"), 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, false
	}
	return n << shift, true
}

func (f *foreign) fstab(text []byte) {
	lines := host.FstabLines(string(text))
	judged := 0
	sources := strings.Split(string(text), "\n")
	for _, l := range lines {
		f.read(l.Point, l.Options, l.Line)
		if l.Type == "" || l.Type == "swap" {
			continue
		}
		if judged++; judged > mostMounts {
			f.out.Left++
			continue
		}
		source := ""
		if w := strings.Fields(sources[l.Line-1]); len(w) > 0 {
			source = w[0]
		}
		// Each line alone, as if the data directory were there: the file does not show
		// what the mount is for.
		f.judge([]line{{l.Point, l.Options, l.Line}}, func(list []line) *snapshot.Snapshot {
			m := host.Mount{Point: l.Point, Device: "0:1", Root: "/", FSType: l.Type, Source: source,
				Options: []string{"rw", "relatime"}}
			at := l
			at.Options = "defaults"
			if len(list) > 0 {
				at.Options, m.Options = l.Options, shown(strings.Split(l.Options, ","))
			}
			s := onHost(f.on)
			s.Host.Mounts, s.Host.Fstab = known.Is([]host.Mount{m}), known.Is([]host.FstabLine{at})
			s.Instances[0].Places = known.Is([]snapshot.Place{{Role: snapshot.DataPlace, Path: l.Point,
				Device: m.Device}})
			return s
		}, false)
	}
}

// shown are the options of a line of fstab as mountinfo shows them: strictatime is
// what it shows no word of, and relatime what the kernel chooses by itself.
func shown(words []string) []string {
	atime := host.WantedFlags(words).Atime
	out := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasSuffix(w, "atime") })
	if atime != "strictatime" {
		out = append(out, atime)
	}
	return out
}

// OfServer says whether a line below a unit sets a parameter of the server: the keys of units are written otherwise.
func OfServer(line []byte) bool {
	name, _, ok := bytes.Cut(bytes.TrimSpace(line), []byte("="))
	name = bytes.TrimSpace(name)
	return ok && bytes.IndexByte(name, '_') > 0 && params.Known(string(name))
}
