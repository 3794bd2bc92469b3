package rule

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// SettingOf is the setting of the server that an address is of: a tablespace has its options in place of settings of
// the same names.
func SettingOf(a knob.Address) string {
	if a.Prefix() == "tablespace" {
		return path.Base(a.Name())
	}
	return a.Name()
}

// presentOfTablespace returns an option of a tablespace as its catalog has it.
func presentOfTablespace(in *snapshot.Instance, name, option string) known.Fact[Value] {
	spaces, ok := in.Server.Tablespaces.Get()
	if !ok {
		return known.Without[Value](in.Server.Tablespaces.State(), in.Server.Tablespaces.Gap())
	}
	i := slices.IndexFunc(spaces, func(t pg.Tablespace) bool { return t.Name == name })
	if i < 0 {
		return known.None[Value](known.Gap{Fact: name, Reason: "this server has no such tablespace"})
	}
	for _, o := range spaces[i].Options {
		if v, ok := strings.CutPrefix(o, option+"="); ok {
			return known.Is(Value{Setting: v})
		}
	}
	return known.Is(Value{Setting: knob.Unset})
}

// presentOfBoot returns a word of the command line of the running kernel.
func presentOfBoot(s *snapshot.Snapshot, a knob.Address, u string) known.Fact[Value] {
	return known.Map(s.Host.CmdLine, func(words []string) Value {
		return Value{Setting: BootWord(words, a.Name()), Unit: u}
	})
}

// presentOfMount returns the field of /etc/fstab, with the access times as the kernel has them: a remount manually has
// moved what the file says.
func presentOfMount(s *snapshot.Snapshot, a knob.Address, u string) known.Fact[Value] {
	if !s.Host.Fstab.Known() {
		return known.Without[Value](s.Host.Fstab.State(), s.Host.Fstab.Gap())
	}
	lines := FstabOf(s, a.Subject())
	m, mounted := MountAt(s, a.Subject())
	if !mounted || len(lines) != 1 || lines[0].Options == "" {
		return known.None[Value](known.Gap{Fact: string(a),
			Reason: "/etc/fstab has no line, or more than one line, with its options"})
	}
	options := lines[0].Options
	if now := host.ShownFlags(m.Options); host.WantedFlags(strings.Split(options, ",")).Atime != now.Atime {
		options = host.WithAtime(options, now.Atime)
	}
	return known.Is(Value{Setting: options, Unit: u})
}

// MountAt returns what is mounted at exactly this place, the last if several are.
func MountAt(s *snapshot.Snapshot, point string) (host.Mount, bool) {
	mounts, _ := s.Host.Mounts.Get()
	for i := len(mounts) - 1; i >= 0; i-- {
		if mounts[i].Point == point {
			return mounts[i], true
		}
	}
	return host.Mount{}, false
}

// FstabOf returns the lines of /etc/fstab for a mount point.
func FstabOf(s *snapshot.Snapshot, point string) []host.FstabLine {
	all, _ := s.Host.Fstab.Get()
	return slices.DeleteFunc(slices.Clone(all), func(l host.FstabLine) bool { return l.Point != point })
}

const numaAddress = knob.Address("unit:NUMAPolicy")

// Interleaved reports whether a policy of a unit spreads the memory.
func Interleaved(policy string) bool { return strings.HasPrefix(policy, "interleave ") }

func spellKB(b unit.Bytes) string { return strconv.FormatInt(int64(b/unit.KB), 10) }

// BootWord returns the value of a word of the kernel's command line, the last of which counts; "" if it does not exist.
func BootWord(words []string, name string) (value string) {
	for _, w := range words {
		if v, ok := strings.CutPrefix(w, name+"="); ok {
			value = v
		}
	}
	return value
}
