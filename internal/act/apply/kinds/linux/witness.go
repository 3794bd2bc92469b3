package linux

import (
	"context"
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// sysctlDirs are the directories of sysctl.d(5).
var sysctlDirs = []string{"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d",
	"/lib/sysctl.d"}

// Witness implements the interface of that name: the last assignment of the
// value that was found, in the order in which the files are loaded.
func (s sysctl) Witness(_ context.Context, k apply.Knob, found journal.State) string {
	clause := ""
	for _, set := range s.sets() {
		if set.Read && set.Name == k.Address.Name() && set.File != plan.SysctlFile && found.Live != nil &&
			set.Value == *found.Live {
			clause = fmt.Sprintf("%s line %d, which sets %s to %s", set.File, set.Line, set.Name, set.Value)
		}
	}
	return clause
}

// Warnings implements apply.Warner: by the files themselves, which are those of the
// tree where the snapshot is of another host or of none.
func (s sysctl) Warnings(_ context.Context, k apply.Knob) ([]string, error) {
	var out []string
	for _, m := range plan.SysctlOverridesIn(s.sets(), k.Address.Name()) {
		out = append(out, m.String())
	}
	return out, nil
}

// sets are the assignments of the files of sysctl.d, in the order in which they
// are loaded.
func (s sysctl) sets() []host.SysctlSet {
	a := evidence.New()
	take := func(name string) {
		if b, err := s.Files.ReadFile(name, target.MaxConfigFile); err == nil {
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
