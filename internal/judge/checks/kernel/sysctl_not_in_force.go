package kernel

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// zeroedByOther: writing one of the two zeroes the other, so a zero proves no other
// change.
var zeroedByOther = map[string]string{
	"vm.dirty_bytes": "vm.dirty_ratio", "vm.dirty_ratio": "vm.dirty_bytes",
	"vm.dirty_background_bytes": "vm.dirty_background_ratio", "vm.dirty_background_ratio": "vm.dirty_background_bytes",
	"vm.overcommit_kbytes": "vm.overcommit_ratio", "vm.overcommit_ratio": "vm.overcommit_kbytes",
}

// SysctlNotInForce compares the effective line of the files with the kernel. It
// looks only at parameters that matter to a database (host.SysctlNames) and at
// files below /etc: files of the distribution may differ from a container or a
// kernel without a fault. A huge page pool that is too small has its own check.
var SysctlNotInForce = check.Check{
	ID:       "sysctl_not_in_force",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "Running sysctl values differ from their files",
	Why: "The last file that sets a parameter determines its value after the next boot, unless a service " +
		"overwrites it. A different running value has one of three causes: the file was never loaded, the " +
		"value was changed manually, or a service such as TuneD overwrites it. After the next boot the host " +
		"may behave differently.",
	Do: "1. Run: sysctl --system\n" +
		"2. Check again after a minute. If the value has changed back, a service writes it (tuned-adm active, " +
		"cloud agents, a unit).\n" +
		"3. Remove the setting from the place that is not intended.",
	Commands: []check.Command{
		check.Shell("sysctl --system"),
	},
	Sources: []string{"systemd-sysctl", "tuned-postgresql"},
	Judge: func(c *check.Case) {
		sets, ok := check.Need(c, c.Snapshot.Host.SysctlConf)
		if !ok {
			return
		}
		var by say.Message
		if profile, ok := c.Snapshot.Host.Tuned.Get(); ok && profile != "" {
			by = say.M("TuneD is active with profile {profile}.", "profile", profile)
		}
		for _, name := range host.SysctlNames {
			if s, live, ok := notInForce(c, name); ok {
				c.Because()
				if slices.ContainsFunc(sets, func(s host.SysctlSet) bool { return s.Name == name && !s.Read }) {
					c.Because("sysctl_never_read") // a file that sets it is not read
				}
				c.That(check.Notice, say.M(c.Remedy()), say.All(" ", say.M("{name} = {live}; {file} line {line} sets "+
					"{value}.", "name", name, "live", live, "file", s.File, "line", s.Line, "value", s.Value), by))
			}
		}
	},
}

// notInForce returns the effective line of the files for a parameter, and its value
// in the kernel, if they differ and sysctl_not_in_force reports it.
func notInForce(c *check.Case, name string) (s host.SysctlSet, live string, ok bool) {
	sets, _ := c.Snapshot.Host.SysctlConf.Get()
	last := map[string]host.SysctlSet{}
	for _, s := range sets {
		if s.Read {
			last[s.Name] = s
		}
	}
	s, set := last[name]
	if !set || name == "vm.nr_hugepages" || !strings.HasPrefix(s.File, "/etc/") {
		return s, "", false
	}
	tuning, _ := c.Snapshot.Host.Tuning.Get()
	if slices.ContainsFunc(undoneByTuned(c, tuning), func(t taken) bool { return t.Name == name }) {
		return s, "", false // tuned_overrides reports it
	}
	live, known := c.Snapshot.Host.Sysctls[name].Get()
	if !known || slices.Equal(strings.Fields(live), strings.Fields(s.Value)) {
		return s, "", false
	}
	if _, paired := last[zeroedByOther[name]]; paired || live == "0" && zeroedByOther[name] != "" {
		return s, "", false
	}
	return s, live, true
}
