package host

import (
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// SysctlSet is one assignment in a sysctl configuration file.
type SysctlSet struct {
	Name  string `json:"name"` // dotted, as vm.swappiness
	Value string `json:"value"`
	File  string `json:"file"` // absolute path
	Line  int    `json:"line"`
	Read  bool   `json:"read"` // false: the file is where no program reads it (/etc/sysctl.conf.d)
}

// sysctlDirs are the directories of sysctl.d(5), the strongest first: a file masks those of its base name in the
// directories after its own.
var sysctlDirs = []string{"etc/sysctl.d", "run/sysctl.d", "usr/local/lib/sysctl.d", "usr/lib/sysctl.d", "lib/sysctl.d"}

const (
	sysctlConf = "etc/sysctl.conf"
	// sysctlUnread is a directory that no program reads, though guides name it.
	sysctlUnread = "etc/sysctl.conf.d"
)

// Bounds on configuration files: distributions ship about ten, of a few dozen
// assignments each.
const (
	maxSysctlFiles = 1024
	maxSysctlSets  = 10_000
)

// ReadSysctlConf reads the assignments of all sysctl.d directories in the order in which they are loaded: by base name
// over all directories, then /etc/sysctl.conf, as procps does (systemd alone loads that one only through a link from
// sysctl.d). The content of /etc/sysctl.conf.d comes last, marked as not read.
func ReadSysctlConf(fsys fs.FS) known.Fact[[]SysctlSet] {
	paths := map[string]string{} // base name → path of the strongest
	seen := false
	var first known.Fact[struct{}]
	for i, dir := range sysctlDirs {
		names, there := folder(fsys, dir, maxSysctlFiles)
		if i == 0 {
			first = there
		}
		seen = seen || there.Known()
		for _, n := range names {
			if _, masked := paths[n]; !masked && strings.HasSuffix(n, ".conf") {
				paths[n] = dir + "/" + n
			}
		}
	}
	bases := make([]string, 0, len(paths))
	for n := range paths {
		bases = append(bases, n)
	}
	sort.Strings(bases)
	order := make([]string, 0, len(bases)+1)
	for _, n := range bases {
		order = append(order, paths[n])
	}
	if _, err := fs.ReadFile(fsys, sysctlConf); err == nil {
		order, seen = append(order, sysctlConf), true
	}
	if !seen {
		return known.Without[[]SysctlSet](first.State(), first.Gap())
	}
	read := len(order)
	names, _ := folder(fsys, sysctlUnread, maxSysctlFiles)
	for _, n := range names {
		order = append(order, sysctlUnread+"/"+n)
	}
	out := []SysctlSet{}
	for i, path := range order {
		f := evidence.Read(fsys, path, ParseSysctlConf)
		sets, ok := f.Get()
		if !ok {
			return known.Without[[]SysctlSet](f.State(), f.Gap())
		}
		for _, s := range sets {
			s.File, s.Read = "/"+path, i < read
			out = append(out, s)
		}
	}
	return known.Is(out)
}

// ParseSysctlConf parses one file in the form of sysctl.d(5): NAME = VALUE, a dash before the name when errors do not
// matter, comments behind # and ; at the start of a line. File and Read are left empty. Lines that are none are
// skipped, as the programs do.
func ParseSysctlConf(b []byte) ([]SysctlSet, error) {
	out := []SysctlSet{}
	err := Lines(b, func(n int, line string) error {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			return nil
		}
		name, value, ok := strings.Cut(line, "=")
		name = dotted(strings.TrimSpace(strings.TrimPrefix(name, "-")))
		value, err := ParseText([]byte(value))
		if !ok || err != nil || name == "" || len(name) > evidence.MaxName || strings.ContainsFunc(name, notInName) {
			return nil
		}
		if len(out) == maxSysctlSets {
			return fmt.Errorf("more than %d assignments", maxSysctlSets)
		}
		out = append(out, SysctlSet{Name: name, Value: value, Line: n})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// dotted returns the name of a parameter with dots. When the first separator
// is a slash, slashes part the name and a dot belongs to a part of it
// (net/ipv4/conf/eth0.1/forwarding), so both change places.
func dotted(name string) string {
	if i := strings.IndexAny(name, "./"); i < 0 || name[i] == '.' {
		return name
	}
	return strings.NewReplacer("/", ".", ".", "/").Replace(name)
}

func notInName(r rune) bool { return r <= ' ' || r == 0x7f }
