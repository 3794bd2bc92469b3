package plan

import (
	"path"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// SysctlOverrides returns what sets a kernel parameter after our line in sysctl.d
// is read, and so wins at the next boot: files that sort later, /etc/sysctl.conf,
// a profile of TuneD. Each is a clause for people.
func SysctlOverrides(s *snapshot.Snapshot, name string) []say.Message {
	sets, _ := s.Host.SysctlConf.Get()
	out := SysctlOverridesIn(sets, name)
	if profile, ok := s.Host.Tuned.Get(); ok && profile != "" {
		out = append(out, say.M("TuneD is active (profile {profile}): its values apply until it reads sysctl.d again "+
			"(reapply_sysctl in /etc/tuned/tuned-main.conf, on by default)", "profile", profile))
	}
	return out
}

// Overrides returns the same for every kernel parameter that a plan changes, each
// clause once, with the parameters that it is about.
func Overrides(p *Plan, s *snapshot.Snapshot) []say.Message {
	type override struct {
		clause say.Message
		about  []string
	}
	var list []override
	for _, c := range p.Changes {
		if c.Address.Prefix() != "sysctl" {
			continue
		}
		for _, m := range SysctlOverrides(s, c.Address.Name()) {
			i := slices.IndexFunc(list, func(o override) bool { return o.clause.Equal(m) })
			if i < 0 {
				i, list = len(list), append(list, override{clause: m})
			}
			list[i].about = append(list[i].about, string(c.Address))
		}
	}
	var out []say.Message
	for _, o := range list {
		out = append(out, say.M("{settings}: {override}", "settings", say.Names(o.about, 0), "override", o.clause))
	}
	return out
}

// SysctlOverridesIn is SysctlOverrides without a snapshot and without TuneD.
func SysctlOverridesIn(sets []host.SysctlSet, name string) (out []say.Message) {
	for _, set := range sets {
		if set.Name != name && set.Name != SysctlPairs[name] || set.File == SysctlFile {
			continue
		}
		at := []any{"file", set.File, "line", strconv.Itoa(set.Line), "name", set.Name, "value", set.Value,
			"ours", SysctlFile}
		switch {
		case !set.Read:
			out = append(out, say.M("{file} line {line} ({name} = {value}) is in a directory that is never read",
				at...))
		case set.File == "/etc/sysctl.conf":
			out = append(out, say.M("{file} line {line} ({name} = {value}) is read after {ours} by sysctl --system, "+
				"and at boot if a file in /etc/sysctl.d links to it", at...))
		case path.Base(set.File) > path.Base(SysctlFile):
			out = append(out, say.M("{file} line {line} ({name} = {value}) is read after {ours} and wins at the next "+
				"boot", at...))
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
