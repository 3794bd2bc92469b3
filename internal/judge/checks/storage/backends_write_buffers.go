package storage

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// backendPart: from half of all writes on, the two processes meant for writing
	// do less of it than the backends.
	backendPart = 0.5
	// backendPace in pages per second is 1 MB/s on average: less does not slow
	// queries.
	backendPace = 128
	// backendFsyncs per hour: any means that the queue to the checkpointer was full
	// and a backend waited for a disk; one per hour on average is no exception.
	backendFsyncs = 1
	// cleanerStopped per minute: how often the background writer ended a round at
	// bgwriter_lru_maxpages. In 15 and earlier this shows that clean buffers are scarce,
	// because writes of COPY and VACUUM in their rings, and new pages of tables, count
	// as writes by backends too.
	cleanerStopped = 1
)

// whoWrote is how many dirty pages of shared buffers each kind of process wrote.
type whoWrote struct {
	backends, others float64
	fsyncs           float64 // of files, by backends
	secs             float64
}

// BackendsWriteBuffers counts in 16 and later only what backends wrote because they
// needed the buffer; the rings of COPY, VACUUM and large scans are omitted.
var BackendsWriteBuffers = check.Check{
	ID:       "backends_write_buffers",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Backends write dirty buffers themselves",
	Why: "A backend that needs a buffer and finds only dirty ones must write one out in the middle of its query. " +
		"The background writer keeps clean buffers ready, but writes at most bgwriter_lru_maxpages per round: by " +
		"default 100 pages, or 4 MB/s. A backend that must call fsync itself also waits for the disk.",
	Do: "1. If shared_buffers is small for the data that changes, raise it first (restart): a page that stays in " +
		"shared_buffers is written once per checkpoint.\n" +
		"2. Make the background writer faster (reload): ALTER SYSTEM SET bgwriter_lru_maxpages = 500; ALTER " +
		"SYSTEM SET bgwriter_lru_multiplier = 4; ALTER SYSTEM SET bgwriter_delay = '100ms'; SELECT " +
		"pg_reload_conf();",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET bgwriter_lru_maxpages = 500;"),
		check.SQL("ALTER SYSTEM SET bgwriter_lru_multiplier = 4;"),
		check.SQL("ALTER SYSTEM SET bgwriter_delay = '100ms';"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources:   []string{"pg-config-resource", "pg-monitoring"},
	DependsOn: []string{"shared_buffers_default"},
	Judge: func(c *check.Case) {
		v, ok := check.Need(c, c.Instance.Server.Version)
		if !ok {
			return
		}
		var w whoWrote
		if v.Major() >= 16 {
			rows, ok := check.Need(c, c.Instance.Server.IO)
			if !ok {
				return
			}
			w = writtenIO(rows)
			if w.secs == 0 && len(rows) > 0 {
				c.Missing(known.Gap{Fact: "pg_stat_io: stats_reset",
					Reason: "the time of the last statistics reset is unknown"})
			}
		} else {
			cp, ok := check.Need(c, c.Instance.Server.Checkpoints)
			if !ok {
				return
			}
			w = writtenBefore16(cp)
		}
		if w.secs < limits.Hour {
			return
		}
		pace, part := w.backends/w.secs, w.backends/max(1, w.backends+w.others)
		wait := w.fsyncs*3600/w.secs >= backendFsyncs
		if !wait && (pace < backendPace || part < backendPart) {
			return
		}
		limit := say.M("bgwriter_lru_maxpages is unknown.")
		set, _ := c.Instance.Server.Settings.Get()
		if v, ok := set["bgwriter_lru_maxpages"]; ok {
			limit = say.M("bgwriter_lru_maxpages = {limit}.", "limit", v.Show())
		}
		sev, seen := check.Notice, say.M("Backends wrote {part}% of the pages written in {since} ({pace} per second)",
			"since", say.Span(w.secs), "part", int(100*part+0.5), "pace", check.Count(int64(pace)))
		if wait {
			sev, seen = check.Warning, say.M(
				"fsync calls by backends: {n} in {since}, because the queue to the checkpointer was full",
				"n", check.Count(int64(w.fsyncs)), "since", say.Span(w.secs))
		}
		c.That(sev, say.M(c.Remedy()), say.All("; ", seen, limit))
	},
}

func writtenIO(rows []pg.IO) whoWrote {
	var w whoWrote
	for _, r := range rows {
		if r.Object != "relation" || r.Context != "normal" {
			continue
		}
		switch r.Backend {
		case "client backend", "background worker": // parallel workers are among the latter
			w.backends += float64(r.Writes)
			w.fsyncs += float64(r.Fsyncs)
		case "checkpointer", "background writer":
			w.others += float64(r.Writes)
		}
		w.secs = r.Secs
	}
	return w
}

func writtenBefore16(cp pg.Checkpoints) whoWrote {
	w := whoWrote{others: float64(cp.BuffersWritten + cp.BuffersClean), secs: cp.Secs}
	if fsyncs, ok := cp.BackendFsync.Get(); ok {
		w.fsyncs = float64(fsyncs)
	}
	if n, ok := cp.BuffersBackend.Get(); ok && float64(cp.MaxWritten)*60 >= cleanerStopped*cp.Secs {
		w.backends = float64(n)
	}
	return w
}
