package serverlog

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// gaps says what the log could not tell, and what would make it.
func (c *Collector) gaps(r *Report) {
	gap := func(fact, reason, reveal string) {
		r.Unknown = append(r.Unknown, known.Gap{Fact: fact, Reason: reason, Reveal: reveal})
	}
	if c.entries == 0 && r.Memory.DumpsSeen == 0 {
		gap("log", "no entry of a PostgreSQL server was found",
			"is it the server's log? where its lines have a prefix of their own, give it with --prefix as 'SHOW "+
				"log_line_prefix' tells it")
		return
	}
	var foreign int64
	var zones []string
	for i, s := range c.sources {
		foreign += s.Foreign
		for _, z := range s.Zones {
			if !strings.Contains(" "+strings.Join(zones, " ")+" ", " "+z+" ") {
				zones = append(zones, z)
			}
		}
		f := &r.Files[i]
		if s.Format == pglog.Stderr && !f.Dumps && s.How == "none fits" && s.Entries > 0 {
			gap("log_line_prefix of "+f.Name,
				"no prefix fits its lines; they are taken by their labels, and users and databases stay unknown",
				"give it with --prefix as 'SHOW log_line_prefix' tells it")
		}
		// Archive commands and libraries write there too: a few are no sign of anything.
		if s.Format == pglog.Stderr && !f.Dumps && s.Stray > s.Entries/4 && s.Stray > 10 {
			gap("lines of "+f.Name,
				fmt.Sprintf(
					"%d lines belong to no entry: other programs wrote them, the prefix changed, or it is not what "+
						"was found", s.Stray), "give it with --prefix as it was then")
		} else if s.Format != pglog.Stderr && s.Stray > 0 {
			gap("lines of "+f.Name, fmt.Sprintf("%d lines are no %s: cut by a rotation, a crash or a full disk",
				s.Stray, s.Format), "")
		}
		if s.Unread > 0 {
			reason := fmt.Sprintf("%s with a severity fit no prefix and were left out",
				Things(s.Unread, "line", "lines"))
			if !c.o.Redact {
				reason += "; the first: " + s.First
			}
			gap("entries of "+f.Name, reason, "give their prefix with --prefix")
		}
		if s.Cut > 0 {
			gap("long entries of "+f.Name, fmt.Sprintf("of %d entries only the first part was kept", s.Cut), "")
		}
	}
	if foreign > 0 {
		gap("messages in another language", fmt.Sprintf(
			"%s in a language that PostgreSQL has no message catalog of: errors are recognized by their "+
				"SQLSTATE only, and what has none (checkpoints, crashes, lock waits, autovacuum) is not",
			Things(foreign, "entry is", "entries are")),
			"lc_messages = 'C' (a reload suffices); %e in log_line_prefix, csvlog or jsonlog have the SQLSTATE")
	}
	if len(zones) > 1 {
		gap("times", "the log has times of several zones ("+strings.Join(zones, ", ")+
			"); spans across a change are off by the difference", "log_timezone = 'UTC'")
	}
	if !c.first.ok && c.entries > 0 {
		gap("times", "the entries have no time: durations and rates cannot be told, of WAL either",
			"%m in log_line_prefix")
	}
	if c.ours > 0 {
		gap("pgfettle's own statements", fmt.Sprintf("%s left out: it asks with short timeouts, and gives up itself",
			Things(c.ours, "error of them is", "errors of them are")), "")
	}
	c.settingsGaps(r, gap)
	if r.Temp.Files > 0 && len(r.Temp.Statements) == 1 && r.Temp.Statements[0].Fingerprint == "" {
		gap("statements of temporary files", "the entries have no STATEMENT",
			"log_min_error_statement = 'error', the default")
	}
}

// settingsGaps says which events the server's settings keep out of the log: their
// absence in it proves nothing.
func (c *Collector) settingsGaps(r *Report, gap func(fact, reason, reveal string)) {
	set := c.o.Settings
	if set == nil {
		hint := "name the data directory or a conninfo as TARGET: then the server's settings tell"
		if r.Temp.Files == 0 {
			gap("temporary files",
				"none is in the log, which proves nothing: log_temp_files is off by default, and its value is not "+
					"known here", hint)
		}
		if r.Checkpoints.Complete == 0 && r.Checkpoints.ByWAL == 0 {
			gap("checkpoints",
				"none is in the log: log_checkpoints is off by default before 15, and its value is not known here",
				hint)
		}
		if r.Locks.Waits == 0 {
			gap("lock waits",
				"none is in the log, which proves nothing: log_lock_waits is off by default up to 18, and its value "+
					"is not known here", hint)
		}
		return
	}
	if v, ok := set.Int("log_temp_files"); ok && v < 0 {
		gap("temporary files", "log_temp_files = -1 keeps them out of the log",
			"ALTER SYSTEM SET log_temp_files = '10MB'; SELECT pg_reload_conf();")
	} else if ok && v > 0 {
		gap("small temporary files", fmt.Sprintf("log_temp_files = %s keeps those below it out of the log",
			(unit.Bytes(v)*unit.KB).GUC()), "")
	}
	if on, ok := set.Bool("log_checkpoints"); ok && !on {
		gap("checkpoints", "log_checkpoints = off keeps them out of the log",
			"ALTER SYSTEM SET log_checkpoints = on; SELECT pg_reload_conf();")
	}
	if on, ok := set.Bool("log_lock_waits"); ok && !on {
		gap("lock waits", "log_lock_waits = off keeps them out of the log",
			"ALTER SYSTEM SET log_lock_waits = on; SELECT pg_reload_conf();")
	}
	if v, ok := set.Int("log_autovacuum_min_duration"); ok && v < 0 {
		gap("autovacuum", "log_autovacuum_min_duration = -1 keeps its reports out of the log",
			"ALTER SYSTEM SET log_autovacuum_min_duration = '10min'; SELECT pg_reload_conf();")
	}
	if v, ok := set.Text("log_min_messages"); ok && (v == "log" || v == "fatal" || v == "panic") {
		gap("errors", "log_min_messages = "+v+" keeps errors or warnings out of the log",
			"ALTER SYSTEM SET log_min_messages = 'warning'; SELECT pg_reload_conf();")
	}
}
