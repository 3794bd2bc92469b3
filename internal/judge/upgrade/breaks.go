package upgrade

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// SetByHand reports whether the value comes from a file or the command line, which is usually kept for the next
// version.
func SetByHand(s pg.Setting) bool {
	return s.Source == "configuration file" || s.Source == "command line"
}

// StopsNext says in which later version the setting prevents the start of the
// server, the first of them; nothing if there is none.
func StopsNext(major int, s pg.Setting) (text say.Message, next int) {
	if _, ok := params.Find(major, s.Name); !ok {
		return say.Message{}, 0 // of a module or of another product: nothing is known about it
	}
	for _, next = range params.Covered() {
		if next <= major {
			continue
		}
		if text := stopsAt(next, s); !text.IsZero() {
			return text, next
		}
	}
	return say.Message{}, 0
}

// stopsAt says why a version does not start with the setting; nothing if it does.
func stopsAt(major int, s pg.Setting) say.Message {
	p, ok := params.Find(major, s.Name)
	if !ok {
		text := say.M("{name} = {value}: removed in PostgreSQL {major}.", "name", s.Name, "value", s.Show(),
			"major", MajorOf(major))
		if g, ok := params.GoneBy(major, s.Name); ok {
			text = say.All(" ", text, say.M(g.How))
		}
		return text
	}
	if strings.HasSuffix(s.Name, "shared_memory_type") {
		return say.Message{} // all versions take the same words; what is known is of Linux, not of Windows
	}
	if r := p.Accepts(major, s.Value); r != nil && r.Fault != params.BuildDecides {
		return say.M("{name} = {value}: not accepted by PostgreSQL {major}: {reason}.", "name", s.Name,
			"value", s.Show(), "major", MajorOf(major), "reason", r.Text)
	}
	return say.Message{}
}

// Unreleased reports whether what is known of a major version is not from its release.
func Unreleased(major int) bool { return params.Candidate(major) != "" || major == params.Preview }

// MajorOf is a major version, marked if it is not released.
func MajorOf(major int) say.Message {
	if version := params.Candidate(major); version != "" {
		return say.M("{major} (according to {version})", "major", major, "version", version)
	}
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
	// keep is the setting, of this or another name, that keeps the old meaning, in its base unit; nil: there is none
	keep func(pg.Setting) (name, value string)
}

// turns are from the release notes of 14 to 19. A new default alone is not listed:
// an explicit setting keeps its value.
var turns = []turn{
	{name: "work_mem", at: 15, when: func(_ pg.Setting, set pg.Settings) bool {
		return !SetByHand(set["hash_mem_multiplier"])
	}, what: "in 15 and later, hash_mem_multiplier is 2 by default, so a hash can use twice work_mem",
		keep: func(pg.Setting) (string, string) { return "hash_mem_multiplier", "1" }},
	{name: "effective_io_concurrency", at: 18, when: above(16),
		what: "in 18 and later, it is the depth of asynchronous I/O (default 16), no longer only a hint to the " +
			"kernel; values such as 200 were meant for the hint"},
	{name: "maintenance_io_concurrency", at: 18,
		what: "in 18 and later, it is the depth of asynchronous I/O (default 16)"},
	{name: "log_connections", at: 18,
		what: "in 18 and later, it is a list of what to log; on still means receipt, authentication and " +
			"authorization", keep: listOfConnections},
	{name: "password_encryption", at: 18,
		when: func(s pg.Setting, _ pg.Settings) bool { return s.Value == "md5" },
		what: "in 18 and later, MD5 passwords are deprecated, and setting one logs a warning; use scram-sha-256"},
	{name: "ssl_ecdh_curve", at: 18, what: "renamed to ssl_groups in 18; the old name is still accepted"},
	{name: "max_replication_slots", at: 18, when: above(defaultSlots),
		what: "in 18 and later, it does not limit replication origins any more: max_active_replication_origins does " +
			"(default 10), and each subscription needs one",
		keep: sameFor("max_active_replication_origins")},
	{name: "max_locks_per_transaction", at: 19,
		what: "19 counts differently, and its default is 128 instead of 64 for the same number of locks; double the " +
			"value", keep: doubled},
	{name: "log_autovacuum_min_duration", at: 19,
		what: "in 19 and later, it applies only to VACUUM; log_autoanalyze_min_duration applies to ANALYZE",
		keep: sameFor("log_autoanalyze_min_duration")},
	{name: "vacuum_buffer_usage_limit", at: 17, when: below(2048),
		what: "in 17 and later, the default is 2MB instead of 256kB; a smaller value slows VACUUM down"},
	{name: "vacuum_cost_page_miss", at: 14, when: above(2),
		what: "in 14 and later, the default is 2 instead of 10; a higher value slows VACUUM down"},
	{name: "checkpoint_completion_target", at: 14,
		when: func(s pg.Setting, _ pg.Settings) bool { return s.Value == "0.5" },
		what: "0.5 was the default of 13; in 14 and later, it is 0.9"},
}

// sameFor keeps a meaning by the same value of another setting.
func sameFor(name string) func(pg.Setting) (string, string) {
	return func(s pg.Setting) (string, string) { return name, s.Value }
}

// doubled keeps a meaning by twice the value.
func doubled(s pg.Setting) (string, string) {
	n, err := strconv.ParseInt(s.Value, 10, 64)
	if err != nil {
		return s.Name, s.Value
	}
	return s.Name, strconv.FormatInt(2*n, 10)
}

// listOfConnections is the list that log_connections had as a switch.
func listOfConnections(s pg.Setting) (string, string) {
	if s.Value == "on" {
		return s.Name, "receipt,authentication,authorization"
	}
	return s.Name, ""
}

// turnsOf are the changes of meaning of a setting on the way to a major version; to 0: any that is known.
func turnsOf(major, to int, s pg.Setting, set pg.Settings) (out []turn) {
	for _, t := range turns {
		if t.name == s.Name && t.at > major && (to == 0 || t.at <= to) && (t.when == nil || t.when(s, set)) {
			out = append(out, t)
		}
	}
	return out
}

// below and above say whether a value in its base unit is on the harmful side of a
// new default; 0 is no value but turns the feature off.
func below(n int64) func(pg.Setting, pg.Settings) bool {
	return func(s pg.Setting, set pg.Settings) bool { v, ok := set.Int(s.Name); return ok && v > 0 && v < n }
}

func above(n int64) func(pg.Setting, pg.Settings) bool {
	return func(s pg.Setting, set pg.Settings) bool { v, ok := set.Int(s.Name); return ok && v > n }
}

// ChangesNext says what another meaning the setting has in a later version, up to one; 0: any that is known.
func ChangesNext(major, to int, s pg.Setting, set pg.Settings) say.Message {
	for _, t := range turnsOf(major, to, s, set) {
		return say.M("{name} = {value}: {what}.", "name", s.Name, "value", s.Show(), "what", say.M(t.what))
	}
	return say.Message{}
}

// BothArchives reports whether two ways of archiving are set, which 16 and later do not take together.
func BothArchives(set pg.Settings) bool {
	return set["archive_command"].Value != "" && set["archive_library"].Value != "" &&
		SetByHand(set["archive_command"]) && SetByHand(set["archive_library"])
}

// ArchiveNothing is what follows from BothArchives.
func ArchiveNothing() say.Message {
	return say.M("archive_command and archive_library are both set: PostgreSQL 16 and later then archive nothing.")
}
