package conffile

import (
	"maps"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// conflicts judges the values that count: dangers, and what the server refuses
// together. What no file sets has its default.
func (j *judge) conflicts() {
	j.connections()
	j.wal()
	j.archiving()
	j.recovery()
	if j.text("huge_pages") == "on" && j.text("shared_memory_type") == "sysv" {
		j.together(say.M("huge pages require shared_memory_type = mmap, otherwise the server does not start"),
			"huge_pages",
			"shared_memory_type")
	}
	if j.is("log_statement_stats", true) {
		for _, other := range []string{"log_parser_stats", "log_planner_stats", "log_executor_stats"} {
			if j.is(other, true) {
				j.together(say.M("log_statement_stats includes the other three options: the server does not accept "+
					"both"),
					"log_statement_stats", other)
			}
		}
	}
	j.dangers()
}

// together reports a conflict at the last of the settings that a file has.
func (j *judge) together(what say.Message, names ...string) {
	var at conf.Setting
	var told []say.Message
	for _, n := range names {
		s, set := j.last[n]
		p, ok := params.Find(j.major, n)
		switch {
		case set:
			told = append(told, say.M("{name} = {value} ({where})", "name", n, "value", quoted(s.Value), "where",
				j.where(s, "")))
			at = s
		case ok:
			told = append(told, say.M("{name} = {value} (default)", "name", n, "value",
				quoted(unit.ShowGUC(p.Boot, p.Unit))))
		}
	}
	if at.File == "" {
		return // only defaults: this file is not the cause
	}
	j.found(&Conflict, at, "{settings}: {what}.", "settings", say.List{Items: told}, "what", what)
}

// text returns the value in effect, from a file or the default; "" if the version has no
// such parameter or the server would reject the value.
func (j *judge) text(name string) string {
	p, ok := params.Find(j.major, name)
	if !ok || j.bad[name] {
		return ""
	}
	if s, ok := j.last[name]; ok {
		if p.Type == "enum" {
			return strings.ToLower(s.Value)
		}
		return s.Value
	}
	return p.Boot
}

// number returns a numeric value in its base unit.
func (j *judge) number(name string) (float64, bool) {
	p, ok := params.Find(j.major, name)
	if !ok || j.bad[name] {
		return 0, false
	}
	return p.Number(j.text(name))
}

func (j *judge) is(name string, want bool) bool {
	on, ok := params.ParseBool(j.text(name))
	return ok && on == want
}

// backends is MAX_BACKENDS of the server: 2^18 − 1, what a buffer's state counts.
const backends = 262143

func (j *judge) connections() {
	all, ok := j.number("max_connections")
	kept, ok2 := j.number("superuser_reserved_connections")
	if !ok || !ok2 {
		return
	}
	more, _ := j.number("reserved_connections") // since 16
	if kept+more >= all {
		names := []string{"superuser_reserved_connections", "reserved_connections", "max_connections"}
		if j.major < 16 {
			names = []string{"superuser_reserved_connections", "max_connections"}
		}
		j.together(say.M("the reserved slots must be fewer than max_connections, otherwise the server does not start"),
			names...)
	}
	sum, names := 1.0, []string{"max_connections", "max_worker_processes", "max_wal_senders", "autovacuum_max_workers"}
	if j.major >= 18 {
		names[3] = "autovacuum_worker_slots"
	}
	for _, n := range names {
		v, _ := j.number(n)
		sum += v
	}
	if sum > backends {
		j.together(say.M("together with the server's own processes they exceed {most}, so the server does not start",
			"most", backends), names...)
	}
}

func (j *judge) wal() {
	if j.text("wal_level") == "minimal" {
		if n, ok := j.number("max_wal_senders"); ok && n > 0 {
			j.together(say.M("WAL senders require wal_level = replica or logical, otherwise the server does not "+
				"start; with minimal, set max_wal_senders = 0"), "max_wal_senders", "wal_level")
		}
		if m := j.text("archive_mode"); m != "" && !j.is("archive_mode", false) {
			j.together(say.M("archiving requires wal_level = replica or logical, otherwise the server does not start"),
				"archive_mode",
				"wal_level")
		}
		if j.is("summarize_wal", true) {
			j.together(say.M("WAL summaries require wal_level = replica or logical, otherwise the server does not "+
				"start"),
				"summarize_wal", "wal_level")
		}
	}
	// The segment size is fixed by initdb and in no file: 16 MB by default. Twice that
	// is the minimum.
	for _, n := range []string{"min_wal_size", "max_wal_size"} {
		if v, ok := j.number(n); ok && v < 32 {
			j.together(say.M("it must hold two WAL segments: with the usual 16MB segments, the server does not start "+
				"below 32MB"), n)
		}
	}
}

func (j *judge) archiving() {
	if j.major >= 16 && j.text("archive_command") != "" && j.text("archive_library") != "" &&
		j.text("archive_mode") != "" && !j.is("archive_mode", false) {
		j.together(say.M("only one of the two may be set: in 16 and later, the archiver stops with an error, nothing "+
			"is archived and WAL accumulates"), "archive_command", "archive_library")
	}
}

// onlyReloaded reports the settings that a text sets by ALTER SYSTEM and then only reloads. line is where it does.
func (j *judge) onlyReloaded(line int) {
	if line == 0 {
		return
	}
	told := say.List{Sep: ", ", Most: 8}
	var first conf.Setting
	for _, name := range j.order {
		p, ok := params.Find(j.major, name)
		if !ok || p.Context != "postmaster" || j.bad[name] {
			continue
		}
		if len(told.Items) == 0 {
			first = j.last[name]
		}
		told.Items = append(told.Items, say.Text(name))
	}
	if len(told.Items) > 0 {
		j.found(&NeedsRestart, first, "Line {line} reloads the configuration, which does not change {settings}.",
			"line", line, "settings", told)
	}
}

func (j *judge) recovery() {
	var set []string
	for _, n := range []string{"recovery_target", "recovery_target_lsn", "recovery_target_name", "recovery_target_time",
		"recovery_target_xid"} {
		if _, ok := j.last[n]; ok && j.text(n) != "" {
			set = append(set, n)
		}
	}
	if len(set) > 1 {
		j.together(say.M("only one recovery target may be set, otherwise the server does not start"), set...)
	}
}

// dangers are options that no check of a running server covers, and the value that
// they must not have for a whole server.
var dangers = map[string]bool{
	"ignore_invalid_pages": true, "allow_system_table_mods": true, "ignore_system_indexes": true,
	"debug_parallel_query": true, "force_parallel_mode": true,
}

func (j *judge) dangers() {
	for _, name := range slices.Sorted(maps.Keys(dangers)) {
		if s, ok := j.last[name]; ok && !j.bad[name] && j.is(name, dangers[name]) {
			j.found(&Risky, s, "{name} = {value} for the whole server.", "name", name, "value", quoted(s.Value))
		}
	}
}
