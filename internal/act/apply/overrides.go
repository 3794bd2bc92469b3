package apply

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Overrides tells what would set a kernel parameter after our line in sysctl.d
// is read, and so win at the next boot: files that sort later, /etc/sysctl.conf,
// a profile of tuned. Each is a sentence for a person.
func Overrides(s *snapshot.Snapshot, name string) []string {
	sets, _ := s.Host.SysctlConf.Get()
	out := overriding(sets, name)
	if profile, ok := s.Host.Tuned.Get(); ok && profile != "" {
		out = append(out, fmt.Sprintf("tuned's profile %s is active: what it sets holds until tuned reads sysctl.d again (reapply_sysctl in /etc/tuned/tuned-main.conf, on by default)", profile))
	}
	return out
}

// OverridesOf tells the same of every kernel parameter that a plan changes, each
// sentence once, with the parameters that it is about.
func OverridesOf(p *plan.Plan, s *snapshot.Snapshot) []string {
	var order []string
	about := map[string][]string{}
	for _, c := range p.Changes {
		if c.Address.Prefix() != "sysctl" {
			continue
		}
		for _, o := range Overrides(s, c.Address.Name()) {
			if about[o] == nil {
				order = append(order, o)
			}
			about[o] = append(about[o], string(c.Address))
		}
	}
	for i, o := range order {
		order[i] = strings.Join(about[o], ", ") + ": " + o
	}
	return order
}

func overriding(sets []host.SysctlSet, name string) (out []string) {
	for _, set := range sets {
		if set.Name != name && set.Name != pairs[name] || set.File == sysctlFile {
			continue
		}
		at := fmt.Sprintf("%s line %d (%s = %s)", set.File, set.Line, set.Name, set.Value)
		switch {
		case !set.Read:
			out = append(out, at+" is in a folder that no program reads")
		case set.File == "/etc/sysctl.conf":
			out = append(out, at+" is read after "+sysctlFile+" by \"sysctl --system\", and at boot where a file of /etc/sysctl.d links to it")
		case path.Base(set.File) > path.Base(sysctlFile):
			out = append(out, at+" is read after "+sysctlFile+" and wins at the next boot")
		}
	}
	return out
}

// sysctlDirs are the folders of sysctl.d(5).
var sysctlDirs = []string{"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d", "/lib/sysctl.d"}

// Witness implements the interface of that name: the last assignment of the
// value that was found, in the order in which the files are loaded.
func (s sysctl) Witness(_ context.Context, k Knob, found journal.State) string {
	clause := ""
	for _, set := range s.sets() {
		if set.Read && set.Name == k.Address.Name() && set.File != sysctlFile && found.Live != nil && set.Value == *found.Live {
			clause = fmt.Sprintf("%s line %d, which sets %s to %s", set.File, set.Line, set.Name, set.Value)
		}
	}
	return clause
}

// Forewarn implements Forewarner: by the files themselves, which are those of the
// tree where the snapshot is of another host or of none.
func (s sysctl) Forewarn(_ context.Context, k Knob) ([]string, error) {
	return overriding(s.sets(), k.Address.Name()), nil
}

// sets are the assignments of the files of sysctl.d, in the order in which they
// are loaded.
func (s sysctl) sets() []host.SysctlSet {
	a := evidence.New()
	take := func(name string) {
		if b, err := s.Files.ReadFile(name, maxFile); err == nil {
			// a file too many for the archive is one witness less
			_ = a.Add(strings.TrimPrefix(name, "/"), b)
		}
	}
	for _, dir := range sysctlDirs {
		names, err := s.Files.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, n := range names {
			if strings.HasSuffix(n, ".conf") {
				take(dir + "/" + n)
			}
		}
	}
	take("/etc/sysctl.conf")
	sets, _ := host.ReadSysctlConf(a).Get()
	return sets
}
