package version

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// NextMajorBreaks looks only at what somebody set: a changed default is the
// release's own doing and in its notes, a line of one's own files is one's own to
// carry over. It is a notice for what stops a server and an info for what changes
// its meaning, for what stops only a version that is not released, and for a line
// that says the default: nothing is wrong as long as nobody upgrades.
var NextMajorBreaks = check.Check{
	ID:       "next_major_breaks",
	Area:     check.Version,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Settings will not survive an upgrade as they are",
	Why: "pg_upgrade starts the new server with its own fresh configuration; the old one is copied over afterwards, " +
		"and a parameter that is gone keeps the new " +
		"server from starting just when everybody waits for it. What changed its meaning starts without a word.",
	Do: "Before the upgrade correct the named settings in the copy of the configuration that the new version will " +
		"get, and try it: pgfettle check --conf postgresql.conf --pg N.",
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
		var stops, changes, harmless []string
		for _, name := range byName(set) {
			s := set[name]
			if !setByHand(s) || name == "standard_conforming_strings" && s.Value == "off" {
				continue // strings_nonstandard tells of that one
			}
			if name == "escape_string_warning" && set["standard_conforming_strings"].Value == "off" {
				continue // and of its companion
			}
			if text, next := stopsNext(v.Major(), s); text != "" {
				if next == params.Preview || s.Value == s.Boot {
					harmless = append(harmless, text)
				} else {
					stops = append(stops, text)
				}
			} else if text := changesNext(v.Major(), s, set); text != "" {
				changes = append(changes, text)
			}
		}
		if v.Major() < 16 && set["archive_command"].Value != "" && set["archive_library"].Value != "" &&
			setByHand(set["archive_command"]) && setByHand(set["archive_library"]) {
			stops = append(stops, "archive_command and archive_library are both set: 16 archives nothing then")
		}
		if len(stops) > 0 {
			c.Found("{settings}.", "settings", check.Join(stops, "; ", 8))
		}
		// A version that is not released stops nobody yet, and a line that says the default can go today.
		if len(harmless) > 0 {
			c.FoundAs(check.Info, "{settings}.", "settings", check.Join(harmless, "; ", 8))
		}
		if len(changes) > 0 {
			c.FoundAs(check.Info, "{settings}.", "settings", check.Join(changes, "; ", 8))
		}
	},
}

func byName(set pg.Settings) []string {
	var out []string
	for n := range set {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// setByHand says whether the value comes from a file or the command line that
// would go along to the next version.
func setByHand(s pg.Setting) bool {
	return s.Source == "configuration file" || s.Source == "command line"
}

// stopsNext says in which later version the setting keeps the server from
// starting, the first of them; "" for none.
func stopsNext(major int, s pg.Setting) (text string, next int) {
	if _, ok := params.Lookup(major, s.Name); !ok {
		return "", 0 // of a module or of another maker: nothing is known of it
	}
	for _, next = range append(params.Majors(), params.Preview) {
		if next <= major {
			continue
		}
		p, ok := params.Find(next, s.Name)
		if !ok {
			text = fmt.Sprintf("%s = %s: %s has no such parameter", s.Name, s.Show(), majorWord(next))
			if g, ok := params.GoneBy(next, s.Name); ok {
				text += ". " + strings.TrimSuffix(string(g.How), ".")
			}
			return text, next
		}
		if r := p.Accepts(next, s.Value); r != nil && r.Fault != params.BuildDecides {
			return fmt.Sprintf("%s = %s: %s refuses it: %s", s.Name, s.Show(), majorWord(next), r.Text), next
		}
	}
	return "", 0
}

func majorWord(major int) string {
	if major == params.Preview {
		return fmt.Sprintf("%d (as far as its sources tell)", major)
	}
	return fmt.Sprint(major)
}

// turn is a change of meaning of a parameter that stays.
type turn struct {
	name string
	at   int // the first major that has it
	when func(pg.Setting, pg.Settings) bool
	what string
}

// turns are from the release notes of 14 to 19. A new default is none: who set
// the parameter keeps his value.
var turns = []turn{
	{"work_mem", 15, func(_ pg.Setting, set pg.Settings) bool { return !setByHand(set["hash_mem_multiplier"]) },
		"since 15 hash_mem_multiplier is 2 where nobody set it, so that a hash may take twice work_mem"},
	{"effective_io_concurrency", 18, nil,
		"since 18 it is the depth of asynchronous I/O, with 16 by default, where it had only been advice to the " +
			"kernel; values such as 200 were for that"},
	{"maintenance_io_concurrency", 18, nil, "since 18 it is the depth of asynchronous I/O, with 16 by default"},
	{"log_connections", 18, nil,
		"since 18 it is a list of what to log; on is still taken and means receipt, authentication and authorization"},
	{"password_encryption", 18, func(s pg.Setting, _ pg.Settings) bool { return s.Value == "md5" },
		"since 18 md5 passwords are deprecated and setting one warns; change to scram-sha-256"},
	{"ssl_ecdh_curve", 18, nil, "since 18 it is called ssl_groups; the old name is still taken"},
	{"max_locks_per_transaction", 19, nil,
		"19 counts otherwise and its default is 128 instead of 64 for the same number of locks: double the value"},
	{"log_autovacuum_min_duration", 19, nil,
		"since 19 it is for vacuum only; log_autoanalyze_min_duration is for analyze"},
	{"vacuum_buffer_usage_limit", 17, below(2048),
		"since 17 the default is 2MB instead of 256kB; a smaller value slows vacuum down"},
	{"vacuum_cost_page_miss", 14, above(2),
		"since 14 the default is 2 instead of 10; a higher value slows vacuum down"},
	{"checkpoint_completion_target", 14, func(s pg.Setting, _ pg.Settings) bool { return s.Value == "0.5" },
		"0.5 was the default of 13 and is 0.9 since 14"},
}

// below and above say whether a value in its base unit is on the side of a new
// default where it hurts; 0 is no value but a switch.
func below(n int64) func(pg.Setting, pg.Settings) bool {
	return func(s pg.Setting, set pg.Settings) bool { v, ok := set.Int(s.Name); return ok && v > 0 && v < n }
}

func above(n int64) func(pg.Setting, pg.Settings) bool {
	return func(s pg.Setting, set pg.Settings) bool { v, ok := set.Int(s.Name); return ok && v > n }
}

func changesNext(major int, s pg.Setting, set pg.Settings) string {
	for _, t := range turns {
		if t.name == s.Name && t.at > major && (t.when == nil || t.when(s, set)) {
			return fmt.Sprintf("%s = %s: %s", s.Name, s.Show(), t.what)
		}
	}
	return ""
}
