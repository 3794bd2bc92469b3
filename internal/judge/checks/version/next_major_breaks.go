package version

import (
	"maps"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
)

// NextMajorBreaks checks only explicit settings: changed defaults are in the release
// notes. It is a notice for settings that prevent a start, and an info for those that
// change their meaning, that affect only an unreleased version, or that have the
// default value: nothing is wrong until the upgrade.
var NextMajorBreaks = check.Check{
	ID:       "next_major_breaks",
	Area:     check.Version,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Settings incompatible with a later major version",
	Why: "pg_upgrade starts the new server with its own fresh configuration; the old settings are usually " +
		"copied afterwards. A removed parameter then prevents the start, in the middle of the upgrade. A " +
		"parameter with a new meaning is accepted silently.",
	Do: "Before the upgrade, correct the named settings in the copy of the configuration for the new version. " +
		"Check the copy: pgfettle check --conf postgresql.conf --pg N",
	Sources: []string{"pg-release-notes"},
	Judge: func(c *check.Case) {
		v, ok := check.Need(c, c.Instance.Server.Version)
		if !ok {
			return
		}
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		var stops, changes, harmless []say.Message
		for _, name := range slices.Sorted(maps.Keys(set)) {
			s := set[name]
			if !upgrade.SetByHand(s) || name == "standard_conforming_strings" && s.Value == "off" {
				continue // reported by strings_nonstandard
			}
			if name == "escape_string_warning" && set["standard_conforming_strings"].Value == "off" {
				continue // reported with it
			}
			if text, next := upgrade.StopsNext(v.Major(), s); !text.IsZero() {
				if upgrade.Unreleased(next) || s.Value == s.Boot {
					harmless = append(harmless, text)
				} else {
					stops = append(stops, text)
				}
			} else if text := upgrade.ChangesNext(v.Major(), 0, s, set); !text.IsZero() {
				changes = append(changes, text)
			}
		}
		if v.Major() < 16 && upgrade.BothArchives(set) {
			stops = append(stops, upgrade.ArchiveNothing())
		}
		if len(stops) > 0 {
			c.Found("{settings}", "settings", sentences(stops))
		}
		// An unreleased version breaks nothing yet, and a line with the default can be removed today.
		if len(harmless) > 0 {
			c.FoundAs(check.Info, "{settings}", "settings", sentences(harmless))
		}
		if len(changes) > 0 {
			c.FoundAs(check.Info, "{settings}", "settings", sentences(changes))
		}
	},
}

// sentences lists the settings, each in one or more sentences.
func sentences(list []say.Message) say.List { return say.List{Items: list, Sep: " ", Most: 8} }
