package host

import (
	"io/fs"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Logind is what is configured of systemd-logind.
type Logind struct {
	RemoveIPC string `json:"remove_ipc"` // yes or no; "" if no file says it, and the distribution's default holds
	File      string `json:"file"`       // absolute path of the file that says it
}

const loginDefs = "etc/login.defs"

// logindDirs are the directories of logind.conf(5), the strongest first: a drop-in masks those of its base name in the
// directories after its own.
var logindDirs = []string{"etc/systemd", "run/systemd", "usr/local/lib/systemd", "usr/lib/systemd"}

// maxDropIns bounds the drop-ins of a directory, of which most hosts have none.
const maxDropIns = 1024

// ReadLogind reads logind.conf of the strongest directory that has one and the drop-ins of all directories in the order
// of their base names; the last one that says something holds. A host without any of them has the defaults.
func ReadLogind(fsys fs.FS) known.Fact[Logind] {
	var order, bases []string
	paths := map[string]string{}
	for _, dir := range logindDirs {
		main := dir + "/logind.conf"
		if _, err := fs.ReadFile(fsys, main); err == nil && len(order) == 0 {
			order = append(order, main)
		} else if err != nil && len(order) == 0 {
			if state, gap := evidence.GapOf(main, err); state != known.Absent {
				return known.Without[Logind](state, gap)
			}
		}
		names, there := folder(fsys, dir+"/logind.conf.d", maxDropIns)
		if !there.Known() && there.State() != known.Absent {
			return known.Without[Logind](there.State(), there.Gap())
		}
		for _, n := range names {
			if _, masked := paths[n]; !masked && strings.HasSuffix(n, ".conf") {
				paths[n] = dir + "/logind.conf.d/" + n
				bases = append(bases, n)
			}
		}
	}
	sort.Strings(bases)
	for _, n := range bases {
		order = append(order, paths[n])
	}
	var out Logind
	for _, p := range order {
		f := evidence.Read(fsys, p, ParseLogind)
		said, ok := f.Get()
		if !ok {
			return known.Without[Logind](f.State(), f.Gap())
		}
		switch said {
		case "":
		case "default":
			out = Logind{}
		default:
			out = Logind{RemoveIPC: said, File: "/" + p}
		}
	}
	return known.Is(out)
}

// ParseLogind parses a file in the form of logind.conf(5) and returns what it says of RemoveIPC: yes, no, default if an
// empty value resets what earlier files said, "" for nothing. A value that is no truth value is skipped, as in systemd.
func ParseLogind(b []byte) (string, error) {
	section, said := "", ""
	err := Lines(b, func(_ int, line string) error {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
			return nil
		}
		key, val, ok := strings.Cut(line, "=")
		if !ok || section != "[Login]" || strings.TrimSpace(key) != "RemoveIPC" {
			return nil
		}
		switch val = strings.ToLower(strings.TrimSpace(val)); {
		case val == "":
			said = "default"
		case slices.Contains([]string{"1", "yes", "y", "true", "t", "on"}, val):
			said = "yes"
		case slices.Contains([]string{"0", "no", "n", "false", "f", "off"}, val):
			said = "no"
		}
		return nil
	})
	return said, err
}

// ReadSystemUIDMax reads the largest id of a system user from etc/login.defs; absent if the file does not say it.
func ReadSystemUIDMax(fsys fs.FS) known.Fact[int] {
	f := evidence.Read(fsys, loginDefs, ParseSystemUIDMax)
	if n, ok := f.Get(); ok && n < 0 {
		return known.None[int](known.Gap{Fact: loginDefs, Reason: "SYS_UID_MAX is not set there"})
	}
	return f
}

// ParseSystemUIDMax parses login.defs(5); -1 if SYS_UID_MAX is not set.
func ParseSystemUIDMax(b []byte) (int, error) {
	out := -1
	err := Lines(b, func(_ int, line string) error {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != "SYS_UID_MAX" {
			return nil
		}
		n, err := strconv.ParseUint(f[1], 10, 31)
		out = int(n)
		return err
	})
	if err != nil {
		return 0, err
	}
	return out, nil
}
