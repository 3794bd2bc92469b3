package plan

import (
	"fmt"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// SysctlOverrides tells what would set a kernel parameter after our line in sysctl.d
// is read, and so win at the next boot: files that sort later, /etc/sysctl.conf,
// a profile of tuned. Each is a sentence for a person.
func SysctlOverrides(s *snapshot.Snapshot, name string) []string {
	sets, _ := s.Host.SysctlConf.Get()
	out := SysctlOverridesIn(sets, name)
	if profile, ok := s.Host.Tuned.Get(); ok && profile != "" {
		out = append(out,
			fmt.Sprintf(
				"tuned's profile %s is active: what it sets holds until tuned reads sysctl.d again (reapply_sysctl "+
					"in /etc/tuned/tuned-main.conf, on by default)", profile))
	}
	return out
}

// Overrides tells the same of every kernel parameter that a plan changes, each
// sentence once, with the parameters that it is about.
func Overrides(p *Plan, s *snapshot.Snapshot) []say.Message {
	var order []string
	about := map[string][]string{}
	for _, c := range p.Changes {
		if c.Address.Prefix() != "sysctl" {
			continue
		}
		for _, o := range SysctlOverrides(s, c.Address.Name()) {
			if about[o] == nil {
				order = append(order, o)
			}
			about[o] = append(about[o], string(c.Address))
		}
	}
	var out []say.Message
	for _, o := range order {
		out = append(out, say.Text(strings.Join(about[o], ", ")+": "+o))
	}
	return out
}

// SysctlOverridesIn is SysctlOverrides without a snapshot and without tuned.
func SysctlOverridesIn(sets []host.SysctlSet, name string) (out []string) {
	for _, set := range sets {
		if set.Name != name && set.Name != SysctlPairs[name] || set.File == SysctlFile {
			continue
		}
		at := fmt.Sprintf("%s line %d (%s = %s)", set.File, set.Line, set.Name, set.Value)
		switch {
		case !set.Read:
			out = append(out, at+" is in a folder that no program reads")
		case set.File == "/etc/sysctl.conf":
			out = append(out, at+" is read after "+SysctlFile+
				" by \"sysctl --system\", and at boot where a file of /etc/sysctl.d links to it")
		case path.Base(set.File) > path.Base(SysctlFile):
			out = append(out, at+" is read after "+SysctlFile+" and wins at the next boot")
		}
	}
	return out
}

// SysctlPairs are parameters of which one alone rules: writing either makes the
// kernel set the other to 0 (mm/page-writeback.c, mm/util.c). A 0 read from one
// means that the other rules, and writing that 0 back is refused (EINVAL for
// dirty_bytes) or leaves neither in force (overcommit_kbytes: CommitLimit is
// then the swap alone).
var SysctlPairs = map[string]string{
	"vm.dirty_bytes": "vm.dirty_ratio", "vm.dirty_ratio": "vm.dirty_bytes",
	"vm.dirty_background_bytes": "vm.dirty_background_ratio", "vm.dirty_background_ratio": "vm.dirty_background_bytes",
	"vm.overcommit_kbytes": "vm.overcommit_ratio", "vm.overcommit_ratio": "vm.overcommit_kbytes",
}

// SysctlFile is the persistent home of kernel parameters. 60 sorts behind what
// distributions ship (10- to 50-) and before what administrators call 90- and 99-:
// theirs win, and Overrides names them.
const SysctlFile = "/etc/sysctl.d/60-pgfettle.conf"
