package serverlog

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
)

// unknown notes what is not known, why, and what would make it known; the zero message: nothing would.
func (r *Report) unknown(fact, reason, reveal say.Message) {
	r.Unknown = append(r.Unknown, gap.Gap{Fact: fact, Reason: reason, Reveal: reveal})
}

// gaps reports what the log does not contain, and what would make it available.
func (c *Collector) gaps(r *Report) {
	if c.entries == 0 && r.Memory.DumpsSeen == 0 {
		r.unknown(say.M("log"), say.M("no entry of a PostgreSQL server found"),
			say.M("check that this is the server log; if its lines have a prefix of their own, give it with --prefix "+
				"as SHOW log_line_prefix; returns it"))
		return
	}
	var foreign int64
	var zones []string
	for i, s := range c.sources {
		foreign += s.Foreign
		for _, z := range s.Zones {
			if !slices.Contains(zones, z) {
				zones = append(zones, z)
			}
		}
		c.fileGaps(r, &r.Files[i], s)
	}
	if foreign > 0 {
		r.unknown(say.M("messages in another language"), say.N(foreign, "{n} entry is in a language without a "+
			"message catalog of PostgreSQL. Errors are recognized only by their SQLSTATE; messages without one "+
			"(checkpoints, crashes, lock waits, autovacuum) are not", "{n} entries are in a language without a "+
			"message catalog of PostgreSQL. Errors are recognized only by their SQLSTATE; messages without one "+
			"(checkpoints, crashes, lock waits, autovacuum) are not"),
			say.M("set lc_messages = 'C' (reload); the SQLSTATE is in csvlog and jsonlog, and with %e in "+
				"log_line_prefix"))
	}
	if len(zones) > 1 {
		r.unknown(say.M("timestamps and durations"), say.M("the log has several time zones ({zones}): durations "+
			"across a change are off by the difference", "zones", say.Names(zones, 0)),
			say.M("set log_timezone = 'UTC' (reload)"))
	}
	if !c.first.ok && c.entries > 0 {
		r.unknown(say.M("timestamps and durations"), say.M("the entries have no timestamps, so durations and rates "+
			"are unknown, also of WAL"), say.M("add %m to log_line_prefix"))
	}
	if c.ours > 0 {
		r.unknown(say.M("statements of pgfettle"), say.N(c.ours,
			"{n} error is omitted: pgfettle uses short timeouts and gives up on purpose",
			"{n} errors are omitted: pgfettle uses short timeouts and gives up on purpose"), say.Message{})
	}
	c.settingsGaps(r)
	if r.Temp.Files > 0 && len(r.Temp.Statements) == 1 && r.Temp.Statements[0].Fingerprint == "" {
		r.unknown(say.M("statements of temporary files"), say.M("the entries have no STATEMENT"),
			say.M("set log_min_error_statement = error, the default (reload)"))
	}
}

// fileGaps says what could not be read of one file.
func (c *Collector) fileGaps(r *Report, f *File, s pglog.Source) {
	lines := say.M("lines of {file}", "file", f.Name)
	if s.Format == pglog.Stderr && !f.Dumps && s.How == "none fits" && s.Entries > 0 {
		reason := say.M("no known prefix matches: the lines were read by their labels, and users and databases are " +
			"unknown")
		if c.named {
			reason = say.M("no known prefix matches: the lines were read by their labels")
		}
		r.unknown(say.M("log_line_prefix of {file}", "file", f.Name),
			reason, say.M("give it with --prefix as SHOW log_line_prefix; returns it"))
	}
	// Archive commands and libraries write there too: a few are no sign of anything.
	if s.Format == pglog.Stderr && !f.Dumps && s.Stray > s.Entries/4 && s.Stray > 10 {
		if s.Unread == 0 { // no prefix makes an entry of a line without a severity
			r.unknown(lines, say.N(s.Stray,
				"{n} line belongs to no entry: it is from another program, or text around the log",
				"{n} lines belong to no entry: they are from other programs, or text around the log"), say.Message{})
		} else {
			r.unknown(lines, say.N(s.Stray,
				"{n} line belongs to no entry: it is from another program, or has another prefix",
				"{n} lines belong to no entry: they are from other programs, or have another prefix"),
				say.M("give the log_line_prefix that was in force then with --prefix"))
		}
	} else if s.Format != pglog.Stderr && s.Broken > 0 {
		r.unknown(lines, say.N(s.Broken, "{n} line is not valid {format}: cut by a rotation, a crash or a full disk, "+
			"or as it was copied", "{n} lines are not valid {format}: cut by a rotation, a crash or a full disk, or "+
			"as they were copied", "format", string(s.Format)), say.Message{})
	}
	if s.Unread > 0 {
		reason := say.N(s.Unread, "{n} line with a severity matches no prefix and was skipped",
			"{n} lines with a severity match no prefix and were skipped")
		if !c.o.Redact {
			reason = say.All("; ", reason, say.M("the first: {line}", "line", s.First))
		}
		r.unknown(say.M("entries of {file}", "file", f.Name), reason, say.M("give their prefix with --prefix"))
	}
	if s.Cut > 0 {
		r.unknown(say.M("long entries of {file}", "file", f.Name), say.N(s.Cut,
			"only the beginning of {n} entry was kept", "only the beginning of {n} entries was kept"), say.Message{})
	}
}

// settingsGaps says which events the server's settings keep out of the log: their
// absence in it proves nothing.
func (c *Collector) settingsGaps(r *Report) {
	files, checkpoints, waits := say.M("temporary files"), say.M("checkpoints"), say.M("lock waits")
	set := c.o.Settings
	if set == nil {
		var what []say.Message
		var off say.List
		none := func(fact, setting say.Message) {
			what, off.Items = append(what, fact), append(off.Items, setting)
		}
		if r.Temp.Files == 0 {
			none(files, say.Text("log_temp_files"))
		}
		if x := &r.Checkpoints; x.Complete+x.ByWAL+x.ByTime+x.Requested+x.Other == 0 {
			none(checkpoints, say.M("log_checkpoints (PostgreSQL 14 and earlier)"))
		}
		if r.Locks.Waits == 0 {
			none(waits, say.M("log_lock_waits (PostgreSQL 18 and earlier)"))
		}
		if len(what) > 0 {
			r.unknown(say.All(", ", what...), say.M("none logged, which proves nothing: off by default, and "+
				"unknown here: {settings}", "settings", off),
				say.M("name the data directory or a conninfo as TARGET, which provides the settings of the server"))
		}
		return
	}
	if v, ok := set.Int("log_temp_files"); ok && v < 0 {
		r.unknown(files, say.M("not logged: {setting}", "setting", "log_temp_files = -1"),
			say.Text("ALTER SYSTEM SET log_temp_files = '10MB'; SELECT pg_reload_conf();"))
	} else if ok && v > 0 {
		r.unknown(say.M("small temporary files"), say.M("temporary files below {size} are not logged (log_temp_files)",
			"size", unit.Bytes(v)*unit.KB), say.Message{})
	}
	if on, ok := set.Bool("log_checkpoints"); ok && !on {
		r.unknown(checkpoints, say.M("not logged: {setting}", "setting", "log_checkpoints = off"),
			say.Text("ALTER SYSTEM SET log_checkpoints = on; SELECT pg_reload_conf();"))
	}
	if on, ok := set.Bool("log_lock_waits"); ok && !on {
		r.unknown(waits, say.M("not logged: {setting}", "setting", "log_lock_waits = off"),
			say.Text("ALTER SYSTEM SET log_lock_waits = on; SELECT pg_reload_conf();"))
	}
	if v, ok := set.Int("log_autovacuum_min_duration"); ok && v < 0 {
		r.unknown(say.M("autovacuum"), say.M("not logged: {setting}", "setting", "log_autovacuum_min_duration = -1"),
			say.Text("ALTER SYSTEM SET log_autovacuum_min_duration = '10min'; SELECT pg_reload_conf();"))
	}
	if v, ok := set.Text("log_min_messages"); ok && (v == "log" || v == "fatal" || v == "panic") {
		r.unknown(say.M("errors"), say.M("errors or warnings are not logged: {setting}", "setting",
			"log_min_messages = "+v),
			say.Text("ALTER SYSTEM SET log_min_messages = 'warning'; SELECT pg_reload_conf();"))
	}
}
