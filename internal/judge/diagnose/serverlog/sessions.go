package serverlog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// slowStatement, in milliseconds, is what a person waits for without being told.
const slowStatement = 1000

// durations keeps the longest statements.
type durations struct {
	out         Durations
	slow        int64
	first, last stamp
}

func (s *durations) take(c *Collector, e *pglog.Entry, at stamp) {
	ms, _ := e.Took()
	if ms < 0 {
		return
	}
	s.out.Count++
	if ms < slowStatement {
		return
	}
	if s.out.Slow++; s.out.Slow == 1 {
		s.first = at
	}
	s.last = at
	list := s.out.Longest
	if len(list) == maxSamples && ms/1000 <= list[maxSamples-1].Seconds {
		return
	}
	list = append(list, LongRun{Time: at.String(), Seconds: ms / 1000, Statement: c.normal(e.TookStatement()),
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
		Last: c.durations.last.String(), Verdict: fmt.Sprintf("statements took a second or more, %s; the "+
			"longest took %s",
			times(d.Slow), span(d.Longest[0].Seconds))}
	for _, x := range d.Longest {
		text := x.Statement
		if text == "" {
			text = "(the log does not tell the statement)"
		}
		f.Evidence = append(f.Evidence, span(x.Seconds)+": "+text)
	}
	f.Do = append(f.Do, "EXPLAIN (ANALYZE, BUFFERS) of the statement shows where the time goes: pgfettle "+
		"diagnose slow "+
		"reads it. What runs often and takes little each time is in pg_stat_statements, not here.")
	return f, true
}

func (c *Collector) terminated(*Report) (Finding, bool) {
	return c.finding(pglog.Terminated, "sessions_terminated", Notice,
		"sessions were ended by an administrator or by a timeout, {n}",
		"idle_in_transaction_session_timeout ends what would hold back vacuum; the program that is ended by it leaves "+
			"transactions open. pg_terminate_backend is somebody's deed, a pooler's or a failover's.")
}

func (c *Collector) workers(*Report) (Finding, bool) {
	return c.finding(pglog.NoWorker, "no_background_worker", Warning, "no slot for a background worker was left, {n}",
		"max_worker_processes bounds parallel workers, logical replication and extensions together (restart); "+
			"pgfettle "+
			"plan sets it with max_parallel_workers.")
}

func (c *Collector) collation(*Report) (Finding, bool) {
	return c.finding(pglog.Collation, "collation_mismatch", Warning,
		"the library that sorts text is of another version than the database's, {n}: indexes on text may be wrong",
		"REINDEX what is on text columns, look for duplicates in unique ones, and then ALTER DATABASE NAME REFRESH "+
			"COLLATION VERSION. It comes with a new glibc or ICU, or a copy from another system.")
}

func (c *Collector) staleStats(*Report) (Finding, bool) {
	return c.finding(pglog.StaleStats, "stale_statistics", Notice,
		"the statistics collector did not answer in time, {n}: the disk or the processors are overloaded",
		"Up to 14 it writes files: stats_temp_directory on a tmpfs takes them off the disk. 15 and later have none.")
}

func (c *Collector) strangers(*Report) (Finding, bool) {
	return c.finding(pglog.StrangeClient, "odd_startup_packets", Notice,
		"something connected without speaking the server's protocol, {n}",
		"A health check that opens the port and closes it again does so, and a scanner: pg_isready asks properly.")
}
