package serverlog

import (
	"cmp"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// slowStatement, in milliseconds, is a wait that a person notices.
const slowStatement = 1000

// durations keeps the longest statements.
type durations struct {
	out         Durations
	slow        int64
	first, last stamp
	stated      map[int][]byte // by PID: the statement that log_statement wrote, and whose duration is still to come
}

const (
	// maxStated is how many sessions with a statement under way are followed.
	maxStated = 4096
	// keptStated is how much of such a statement is kept: more than is shown, as literals and blanks are left out.
	keptStated = 4 * shownText
)

// state keeps what log_statement wrote: a duration that comes later in the session does not repeat it.
func (s *durations) state(e *pglog.Entry) {
	sql := e.Stated()
	if sql == nil || e.PID == 0 {
		return
	}
	if s.stated == nil {
		s.stated = map[int][]byte{}
	}
	have, ok := s.stated[e.PID]
	if !ok && len(s.stated) >= maxStated { // sessions that ended within a statement
		clear(s.stated)
	}
	s.stated[e.PID] = append(have[:0], sql[:min(len(sql), keptStated)]...)
}

// statement is what an entry with a duration was for.
func (s *durations) statement(e *pglog.Entry) []byte {
	sql := e.TookStatement()
	if _, rest := e.Took(); len(rest) == 0 {
		sql = s.stated[e.PID]
	}
	return sql
}

func (s *durations) take(c *Collector, e *pglog.Entry, at stamp) {
	ms, _ := e.Took()
	if ms < 0 {
		return
	}
	s.out.Count++
	s.out.Max = max(s.out.Max, ms/1000)
	if ms >= slowStatement {
		s.long(c, e, at, ms)
	}
	s.forget(e.PID)
}

// forget notes that the statement of a session has ended.
func (s *durations) forget(pid int) {
	if have := s.stated[pid]; have != nil {
		s.stated[pid] = have[:0] // its room is used again
	}
}

// long takes a statement that a person waited for.
func (s *durations) long(c *Collector, e *pglog.Entry, at stamp, ms float64) {
	if s.out.Slow++; s.out.Slow == 1 {
		s.first = at
	}
	s.last = at
	list := s.out.Longest
	if len(list) == maxSamples && ms/1000 <= list[maxSamples-1].Seconds {
		return
	}
	list = append(list, LongRun{Time: at.String(), Seconds: ms / 1000, Statement: c.normal(s.statement(e)),
		User: c.user(e), Database: c.database(e)})
	slices.SortStableFunc(list, func(a, b LongRun) int { return cmp.Compare(b.Seconds, a.Seconds) })
	s.out.Longest = list[:min(len(list), maxSamples)]
}

func (s *durations) report() Durations {
	out := s.out
	out.Longest = append([]LongRun{}, out.Longest...)
	return out
}

func (c *Collector) slowStatements(r *Report) (Finding, bool) {
	d := r.Durations
	if d.Slow == 0 {
		return Finding{}, false
	}
	f := Finding{ID: "slow_statements", Severity: Notice, Count: d.Slow, First: c.durations.first.String(),
		Last: c.durations.last.String(), Verdict: say.N(d.Slow, "{n} statement took 1 s or longer; longest: {longest}",
			"{n} statements took 1 s or longer; longest: {longest}", "longest", span(d.Longest[0].Seconds))}
	for _, x := range d.Longest {
		if x.Statement == "" {
			f.Evidence = append(f.Evidence, say.M("{time}: statement unknown", "time", span(x.Seconds)))
			continue
		}
		f.Evidence = append(f.Evidence, say.M("{time}: {statement}", "time", span(x.Seconds), "statement", x.Statement))
	}
	f.Do = append(f.Do, say.M("EXPLAIN (ANALYZE, BUFFERS) shows where the time of a statement goes; pgfettle "+
		"diagnose slow reads its output. Short statements that run often are not here, but in pg_stat_statements."))
	return f, true
}

func (c *Collector) terminated(*Report) (Finding, bool) {
	do := say.M("If it was idle_in_transaction_session_timeout, the application leaves transactions open, which " +
		"holds back VACUUM. If it was an administrator command, a person, a connection pooler or a failover tool " +
		"called pg_terminate_backend().")
	if c.kinds[pglog.ShutDown].count > 0 && c.kinds[pglog.ShutdownAsked].count == 0 {
		do = say.M("The log also has a shutdown, whose request is not in it: a shutdown terminates all sessions with " +
			"the same words.")
	}
	return c.finding(pglog.Terminated, "sessions_terminated", Notice,
		"{n} session was terminated by an administrator or a timeout",
		"{n} sessions were terminated by an administrator or a timeout", do)
}

func (c *Collector) workers(*Report) (Finding, bool) {
	return c.finding(pglog.NoWorker, "no_background_worker", Warning, "No free background worker slot (once)",
		"No free background worker slot ({n} times)",
		say.M("Parallel workers, logical replication and extensions share max_worker_processes (restart). pgfettle "+
			"plan sets it together with max_parallel_workers."))
}

func (c *Collector) collation(*Report) (Finding, bool) {
	return c.finding(pglog.Collation, "collation_mismatch", Warning,
		"Collation version mismatch, indexes on text may be corrupt (once)",
		"Collation version mismatch, indexes on text may be corrupt ({n} times)",
		say.M("Rebuild the indexes on text: REINDEX DATABASE CONCURRENTLY DATABASE_NAME; If a unique index cannot be "+
			"rebuilt, remove the duplicate rows first. Only then record the new version: ALTER DATABASE "+
			"DATABASE_NAME REFRESH COLLATION VERSION; or ALTER COLLATION COLLATION_NAME REFRESH VERSION; The cause "+
			"is a new glibc or ICU, or a copy from another system."))
}

func (c *Collector) staleStats(*Report) (Finding, bool) {
	return c.finding(pglog.StaleStats, "stale_statistics", Notice,
		"Statistics collector did not respond in time (once)",
		"Statistics collector did not respond in time ({n} times)",
		say.M("Usually the disk or the CPUs are overloaded. In PostgreSQL 14 and earlier, the collector writes "+
			"files: stats_temp_directory on a tmpfs keeps them off the disk. Since 15, there is no collector."))
}

func (c *Collector) strangers(*Report) (Finding, bool) {
	return c.finding(pglog.StrangeClient, "odd_startup_packets", Notice,
		"{n} connection did not use the PostgreSQL protocol", "{n} connections did not use the PostgreSQL protocol",
		say.M("Causes: health checks that only open the port, and port scanners. For health checks, use pg_isready."))
}
