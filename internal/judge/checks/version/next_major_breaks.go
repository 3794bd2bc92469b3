package version

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/check"
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
		for _, name := range byName(set) {
			s := set[name]
			if !setByHand(s) || name == "standard_conforming_strings" && s.Value == "off" {
				continue // reported by strings_nonstandard
			}
			if name == "escape_string_warning" && set["standard_conforming_strings"].Value == "off" {
				continue // reported with it
			}
			if text, next := stopsNext(v.Major(), s); !text.IsZero() {
				if next == params.Preview || s.Value == s.Boot {
					harmless = append(harmless, text)
				} else {
					stops = append(stops, text)
				}
			} else if text := changesNext(v.Major(), s, set); !text.IsZero() {
				changes = append(changes, text)
			}
		}
		if v.Major() < 16 && set["archive_command"].Value != "" && set["archive_library"].Value != "" &&
			setByHand(set["archive_command"]) && setByHand(set["archive_library"]) {
			stops = append(stops, say.M("archive_command and archive_library are both set: PostgreSQL 16 and later "+
				"then archive nothing."))
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

func byName(set pg.Settings) []string {
	var out []string
	for n := range set {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// setByHand reports whether the value comes from a file or the command line, which is usually kept for the next
// version.
func setByHand(s pg.Setting) bool {
	return s.Source == "configuration file" || s.Source == "command line"
}

// stopsNext says in which later version the setting prevents the start of the
// server, the first of them; nothing if there is none.
func stopsNext(major int, s pg.Setting) (text say.Message, next int) {
	if _, ok := params.Lookup(major, s.Name); !ok {
		return say.Message{}, 0 // of a module or of another product: nothing is known about it
	}
	for _, next = range append(params.Majors(), params.Preview) {
		if next <= major {
			continue
		}
		p, ok := params.Find(next, s.Name)
		if !ok {
			text = say.M("{name} = {value}: removed in PostgreSQL {major}.", "name", s.Name, "value", s.Show(),
				"major", majorOf(next))
			if g, ok := params.GoneBy(next, s.Name); ok {
				text = say.All(" ", text, say.M(g.How))
			}
			return text, next
		}
		if strings.HasSuffix(s.Name, "shared_memory_type") {
			return say.Message{}, 0 // all versions take the same words; what is known is of Linux, not of Windows
		}
		if r := p.Accepts(next, s.Value); r != nil && r.Fault != params.BuildDecides {
			return say.M("{name} = {value}: not accepted by PostgreSQL {major}: {reason}.", "name", s.Name,
				"value", s.Show(), "major", majorOf(next), "reason", r.Text), next
		}
	}
	return say.Message{}, 0
}

// majorOf is a major version, marked if it is not released.
func majorOf(major int) say.Message {
	if major == params.Preview {
		return say.M("{major} (according to its sources)", "major", major)
	}
	return say.M("{major}", "major", major)
}

// turn is a change of meaning of a parameter that stays.
type turn struct {
	name string
	at   int // the first major that has it
	when func(pg.Setting, pg.Settings) bool
	what say.Template // one clause
}

// turns are from the release notes of 14 to 19. A new default alone is not listed:
// an explicit setting keeps its value.
var turns = []turn{
	{"work_mem", 15, func(_ pg.Setting, set pg.Settings) bool { return !setByHand(set["hash_mem_multiplier"]) },
		"in 15 and later, hash_mem_multiplier is 2 by default, so a hash can use twice work_mem"},
	{"effective_io_concurrency", 18, above(16),
		"in 18 and later, it is the depth of asynchronous I/O (default 16), no longer only a hint to the kernel; " +
			"values such as 200 were meant for the hint"},
	{"maintenance_io_concurrency", 18, nil, "in 18 and later, it is the depth of asynchronous I/O (default 16)"},
	{"log_connections", 18, nil,
		"in 18 and later, it is a list of what to log; on still means receipt, authentication and authorization"},
	{"password_encryption", 18, func(s pg.Setting, _ pg.Settings) bool { return s.Value == "md5" },
		"in 18 and later, MD5 passwords are deprecated, and setting one logs a warning; use scram-sha-256"},
	{"ssl_ecdh_curve", 18, nil, "renamed to ssl_groups in 18; the old name is still accepted"},
	{"max_locks_per_transaction", 19, nil,
		"19 counts differently, and its default is 128 instead of 64 for the same number of locks; double the value"},
	{"log_autovacuum_min_duration", 19, nil,
		"in 19 and later, it applies only to VACUUM; log_autoanalyze_min_duration applies to ANALYZE"},
	{"vacuum_buffer_usage_limit", 17, below(2048),
		"in 17 and later, the default is 2MB instead of 256kB; a smaller value slows VACUUM down"},
	{"vacuum_cost_page_miss", 14, above(2),
		"in 14 and later, the default is 2 instead of 10; a higher value slows VACUUM down"},
	{"checkpoint_completion_target", 14, func(s pg.Setting, _ pg.Settings) bool { return s.Value == "0.5" },
		"0.5 was the default of 13; in 14 and later, it is 0.9"},
}

// below and above say whether a value in its base unit is on the harmful side of a
// new default; 0 is no value but turns the feature off.
func below(n int64) func(pg.Setting, pg.Settings) bool {
	return func(s pg.Setting, set pg.Settings) bool { v, ok := set.Int(s.Name); return ok && v > 0 && v < n }
}

func above(n int64) func(pg.Setting, pg.Settings) bool {
	return func(s pg.Setting, set pg.Settings) bool { v, ok := set.Int(s.Name); return ok && v > n }
}

func changesNext(major int, s pg.Setting, set pg.Settings) say.Message {
	for _, t := range turns {
		if t.name == s.Name && t.at > major && (t.when == nil || t.when(s, set)) {
			return say.M("{name} = {value}: {what}.", "name", s.Name, "value", s.Show(), "what", say.M(t.what))
		}
	}
	return say.Message{}
}
