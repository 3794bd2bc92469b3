package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// OS is /etc/os-release.
type OS struct {
	ID      string `json:"id"`      // debian, ubuntu, rhel, …
	Like    string `json:"like"`    // ID_LIKE
	Version string `json:"version"` // VERSION_ID; may be empty (rolling releases)
	Name    string `json:"name"`    // PRETTY_NAME
}

// Init says what runs as process 1.
type Init struct {
	Comm string `json:"comm"` // proc/1/comm
	// /run/systemd/system exists: the host was booted with systemd (recorded in host.json)
	Systemd bool `json:"systemd"`
}

// Machine is host.json: what the collector asked the C library and the root directory for, because no file has it.
type Machine struct {
	PageSize unit.Bytes `json:"page_size"` // getconf PAGESIZE; 0 if not reported
	Systemd  *bool      `json:"systemd"`   // /run/systemd/system exists; nil if not reported
	Machine  string     `json:"machine"`   // uname -m
	Clock    *bool      `json:"clock"`     // adjtimex(2): the clock is synchronized; nil if not reported
}

// ReadName reads the host name from proc/sys/kernel/hostname.
func ReadName(fsys fs.FS) known.Fact[string] {
	return evidence.Read(fsys, "proc/sys/kernel/hostname", ParseWord)
}

// ReadKernel reads the kernel release from proc/sys/kernel/osrelease.
func ReadKernel(fsys fs.FS) known.Fact[unit.Kernel] {
	return evidence.Read(fsys, "proc/sys/kernel/osrelease", func(b []byte) (unit.Kernel, error) {
		s, err := ParseWord(b)
		if err != nil {
			return unit.Kernel{}, err
		}
		return unit.ParseKernel(s)
	})
}

// ReadOS reads etc/os-release, or the file of usr/lib that it is a link to.
func ReadOS(fsys fs.FS) known.Fact[OS] {
	f := evidence.Read(fsys, "etc/os-release", ParseOSRelease)
	if f.State() == known.Absent {
		if g := evidence.Read(fsys, "usr/lib/os-release", ParseOSRelease); g.Known() {
			return g
		}
	}
	return f
}

// ParseOSRelease parses os-release(5). Unknown lines are skipped; a text that names no distribution is an error.
func ParseOSRelease(b []byte) (OS, error) {
	var o OS
	err := Lines(b, func(_ int, line string) error {
		key, val, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok {
			return nil
		}
		to, ok := map[string]*string{"ID": &o.ID, "ID_LIKE": &o.Like, "VERSION_ID": &o.Version,
			"PRETTY_NAME": &o.Name}[key]
		if !ok {
			return nil
		}
		v, err := ParseText([]byte(unquote(val)))
		*to = v
		return err
	})
	if err == nil && o.ID == "" {
		err = errors.New("no ID")
	}
	if err != nil {
		return OS{}, err
	}
	return o, nil
}

// unquote takes the shell quotes and backslashes off a value of os-release.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '"' && s[0] != '\'' || s[len(s)-1] != s[0] {
		return s
	}
	quote, s := s[0], s[1:len(s)-1]
	if quote == '\'' {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`").Replace(s)
}

// ReadCmdLine reads the parameters that the kernel was started with.
func ReadCmdLine(fsys fs.FS) known.Fact[[]string] {
	return evidence.Read(fsys, "proc/cmdline", ParseCmdLine)
}

// ParseCmdLine splits the text of /proc/cmdline at blanks, those within double
// quotes excepted, as the kernel does. The text is bounded by 4096 bytes, the
// longest command line that an architecture allows.
func ParseCmdLine(b []byte) ([]string, error) {
	s, err := ParseText(b)
	if err != nil {
		return nil, err
	}
	quoted := false
	return strings.FieldsFunc(s, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && (r == ' ' || r == '\t')
	}), nil
}

// ReadInit reads what runs as process 1, from proc/1/comm and host.json.
func ReadInit(fsys fs.FS) known.Fact[Init] {
	comm := evidence.Read(fsys, "proc/1/comm", ParseWord)
	machine := evidence.Read(fsys, "host.json", ParseMachine)
	m, ok := machine.Get()
	if !ok || m.Systemd == nil {
		return known.Without[Init](machine.State(), gapOr(machine, "host.json",
			"it does not say whether systemd runs"))
	}
	return known.Map(comm, func(c string) Init { return Init{Comm: c, Systemd: *m.Systemd} })
}

// ReadTuned reads the active profile of TuneD; absent if none is.
func ReadTuned(fsys fs.FS) known.Fact[string] {
	const name = "etc/tuned/active_profile"
	f := evidence.Read(fsys, name, ParseText)
	if s, ok := f.Get(); ok && s == "" {
		return known.None[string](known.Gap{Fact: name, Reason: "no profile is active"})
	}
	return f
}

// ReadPageSize reads the size of a base page from host.json.
func ReadPageSize(fsys fs.FS) known.Fact[unit.Bytes] {
	machine := evidence.Read(fsys, "host.json", ParseMachine)
	m, ok := machine.Get()
	if !ok || m.PageSize == 0 {
		return known.Without[unit.Bytes](machine.State(), gapOr(machine, "host.json",
			"it does not report the page size"))
	}
	return known.Is(m.PageSize)
}

// ParseMachine parses host.json. A page size that is no power of two from 4 kB
// to 1 MB, beyond what any Linux has, is an error.
func ParseMachine(b []byte) (Machine, error) {
	var m Machine
	if err := json.Unmarshal(b, &m); err != nil {
		return Machine{}, err
	}
	if p := m.PageSize; p != 0 && (p < 4*unit.KB || p > unit.MB || p&(p-1) != 0) {
		return Machine{}, fmt.Errorf("page size %d", int64(p))
	}
	return m, nil
}

// gapOr returns the gap of a missing fact, or one with the given reason if the fact is present but lacks what was asked
// for.
func gapOr[T any](f known.Fact[T], name, reason string) known.Gap {
	if !f.Known() {
		return f.Gap()
	}
	return known.Gap{Fact: name, Reason: reason}
}
