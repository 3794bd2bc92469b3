package kernel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// TunedOverrides knows the order at boot: sysctl.d is applied, then TuneD
// starts and writes its profile, then it applies sysctl.d once more unless it
// was told not to. For transparent huge pages there is no second turn.
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
					told = append(told, taken{s, fmt.Sprintf("transparent huge pages are %s, and %s sets %s", live,
						s.File, s.Value)})
				}
			}
		}
		var texts []string
		for _, x := range told {
			texts = append(texts, x.text)
		}
		if len(texts) > 0 {
			c.Found("With the profile {profile}: {values}.", "profile", t.Profile, "values", check.Join(texts, "; ", 5))
		}
	},
}

// taken is a value that the profile takes back.
type taken struct {
	host.TunedSet
	text string
}

// undoneByTuned returns the parameters for which a file of a person says
// something else than the profile, where sysctl.d has no second turn.
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
			out = append(out, taken{s, fmt.Sprintf("%s = %s in %s, and %s sets %s", s.Name, f.Value, f.File,
				s.File, s.Value)})
		}
	}
	return out
}
