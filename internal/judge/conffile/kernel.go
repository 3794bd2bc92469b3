package conffile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// read notes an assignment.
func (f *foreign) read(name, value string, n int) {
	if f.out.Settings++; len(f.out.Read) < mostRead {
		for i := len(f.out.Read) - 1; i >= 0 && i >= len(f.out.Read)-dozens; i-- {
			if f.out.Read[i].Name == name {
				f.out.Read[i].Counts = false
			}
		}
		f.out.Read = append(f.out.Read, Read{Name: name, Value: value, File: f.show(f.file), Line: n, Counts: true})
	}
}

// dozens is how many assignments back an earlier one of the same name is looked for.
const dozens = 200

// carried leaves the lines out that are not of a shape, in their places: the prose and
// the prompts around pasted text.
func carried(text []byte, shape *regex.Regex) []byte {
	var b bytes.Buffer
	for l := range bytes.Lines(text) {
		t := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(l), []byte("> ")))
		t = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimPrefix(t, []byte("sudo ")), []byte("sysctl -w ")))
		t = bytes.Trim(t, "`\"'")
		if shape.Match(t) {
			b.Write(t)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// withoutRemark takes a remark off the value of a kernel parameter. The kernel reads
// the number before the blank.
func withoutRemark(v string) string {
	for _, mark := range []string{" #", "\t#", " ;", "\t;"} {
		if at := strings.Index(v, mark); at >= 0 {
			v = v[:at]
		}
	}
	return strings.TrimSpace(v)
}

// tuned reads a profile of TuneD: its section [sysctl], and transparent huge pages.
func (f *foreign) tuned(text []byte) {
	in := ""
	var all []line
	n := 0
	for l := range bytes.Lines(text) {
		n++
		t := strings.TrimSpace(string(l))
		if t == "" || t[0] == '#' || t[0] == ';' {
			continue
		}
		if t[0] == '[' {
			in = strings.Trim(t, "[]")
			continue
		}
		key, value, ok := strings.Cut(t, "=")
		if !ok {
			f.unread(n, t)
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(strings.TrimPrefix(value, ">"))
		f.read(key, value, n)
		if in == "main" && key == "include" {
			f.out.NotGiven = append(f.out.NotGiven, strings.FieldsFunc(value, func(r rune) bool {
				return r == ',' || r == ' '
			})...)
		}
		if in == "sysctl" && slices.Contains(host.SysctlNames, key) && !strings.Contains(value, "$") {
			all = slices.DeleteFunc(all, func(l line) bool { return l.name == key })
			all = append(all, line{key, value, n})
		}
		if in == "vm" && strings.HasPrefix(key, "transparent_hugepage") {
			f.hugepages(line{"transparent_hugepages", value, n})
		}
	}
	f.kernel(all)
}

// hugepages judges the value for transparent huge pages.
func (f *foreign) hugepages(l line) {
	f.judge([]line{l}, func(list []line) *snapshot.Snapshot {
		s := onHost(f.on)
		if len(list) > 0 {
			s.Host.THP = host.THP{Enabled: known.Is(list[0].value)}
		}
		return s
	}, false)
}

// limits reads lines of limits.conf(5): domain, type, item, value.
func (f *foreign) limits(text []byte) {
	var all []line
	n := 0
	for l := range bytes.Lines(text) {
		n++
		m := limitsLine.FindSubmatch(bytes.TrimSpace(l))
		if m == nil {
			continue
		}
		who, kind, item, value := string(m[1]), string(m[2]), string(m[3]), string(m[4])
		f.read(who+" "+kind+" "+item, value, n)
		key, ok := limitKeys[item]
		if !ok || kind == "hard" || who != "*" && !strings.Contains(who, "postgres") && who != "enterprisedb" {
			continue
		}
		if value == "unlimited" || value == "-1" {
			value = "infinity"
		}
		all = slices.DeleteFunc(all, func(l line) bool { return l.name == key })
		all = append(all, line{key, value, n})
	}
	f.judge(all, func(list []line) *snapshot.Snapshot {
		p := map[string]string{}
		for _, l := range list {
			p[l.name] = l.value
		}
		s := onHost(f.on)
		in := &s.Instances[0]
		if !in.Server.Settings.Known() {
			in.Server.Settings = known.Is(fresh(params.Newest()))
		}
		in.Limits = limitsOf(p)
		return s
	}, false)
}

var limitKeys = map[string]string{"nofile": "LimitNOFILE", "nproc": "LimitNPROC", "stack": "LimitSTACK"}

// grub reads the command line of the kernel: transparent huge pages, and the rest as it is there.
func (f *foreign) grub(text []byte) {
	n := 0
	for l := range bytes.Lines(text) {
		n++
		t := strings.TrimSpace(string(l))
		if !grubLine.MatchString(t) {
			continue
		}
		_, t, _ = strings.Cut(t, "=")
		for _, w := range strings.Fields(strings.Trim(t, `"'`)) {
			key, value, ok := strings.Cut(w, "=")
			if !ok || strings.Contains(key, "/") {
				continue
			}
			f.read(key, value, n)
			if key == "transparent_hugepage" {
				f.hugepages(line{key, value, n})
			}
		}
	}
}

func (f *foreign) unread(n int, text string) {
	if f.out.Unread == nil {
		f.out.Unread = &Unread{First: n, Text: text[:min(len(text), shownLine)]}
	}
	f.out.Unread.Lines++
}

// shownLine is how much of a line that was not understood is shown.
const shownLine = 120
