package kernel

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// TunedOverrides knows the order at boot: sysctl.d is applied, then TuneD starts,
// writes its profile and reapplies sysctl.d, unless reapply_sysctl = 0. Transparent
// huge pages are not reapplied.
var TunedOverrides = check.Check{
	ID:       "tuned_overrides",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "TuneD profile overrides settings",
	Why: "TuneD writes the values of its profile whenever it starts, at boot after the files of sysctl.d and " +
		"tmpfiles.d. Other values set there stay active only until the next restart of TuneD or of the host. " +
		"Then the profile silently replaces them.",
	Do: "1. Create a profile in /etc/tuned that includes the active one and sets these values.\n" +
		"2. Activate it with tuned-adm profile.\n" +
		"For values in sysctl.d, reapply_sysctl = 1 in /etc/tuned/tuned-main.conf is enough.\n" +
		"Verify: tuned-adm verify shows what differs.",
	Sources: []string{"tuned-main", "tuned-postgresql"},
	Judge: func(c *check.Case) {
		t, ok := check.Need(c, c.Snapshot.Host.Tuning)
		if !ok {
			return
		}
		told := undoneByTuned(c, t)
		if live, ok := c.Snapshot.Host.THP.Enabled.Get(); ok {
			for _, s := range t.Sets {
				if s.Name == "thp:enabled" && s.Value != live {
					told = append(told, taken{s, say.M("transparent huge pages = {live}, {file} sets {value}", "live",
						live, "file", s.File, "value", s.Value)})
				}
			}
		}
		var texts []say.Message
		for _, x := range told {
			texts = append(texts, x.text)
		}
		if len(texts) > 0 {
			c.Found("TuneD profile {profile}: {values}.", "profile", t.Profile, "values",
				say.List{Items: texts, Sep: "; ", Most: 5})
		}
	},
}

// taken is a value that the profile overrides.
type taken struct {
	host.TunedSet
	text say.Message
}

// undoneByTuned returns the parameters for which a file below /etc sets another value
// than the profile, if TuneD does not reapply sysctl.d.
func undoneByTuned(c *check.Case, t host.Tuning) (out []taken) {
	files, ok := c.Snapshot.Host.SysctlConf.Get()
	if !ok || t.Reapply {
		return nil
	}
	last := map[string]host.SysctlSet{}
	for _, s := range files {
		if s.Read && strings.HasPrefix(s.File, "/etc/") {
			last[s.Name] = s
		}
	}
	for _, s := range t.Sets {
		f, set := last[s.Name]
		if set && slices.Contains(host.SysctlNames, s.Name) && !slices.Equal(strings.Fields(f.Value),
			strings.Fields(s.Value)) {
			out = append(out, taken{s, say.M("{name} = {wanted} in {from}, {file} sets {value}", "name", s.Name,
				"wanted", f.Value, "from", f.File, "file", s.File, "value", s.Value)})
		}
	}
	return out
}
