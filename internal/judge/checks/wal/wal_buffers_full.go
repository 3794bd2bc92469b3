package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// walFullPercent is the share of the WAL that backends had to write because the
	// buffers were full, above which the rule for wal_buffers raises it. The
	// server counts events; in each, at least one page was written.
	walFullPercent = limits.WALBuffersFull * 100
	walPage        = 8 * unit.KB // wal_block_size of every packaged server
	// walFullWAL: below 1 MB/s of WAL on average, only a few bulk loads
	// filled the buffers, and the wait is not noticeable.
	walFullWAL = unit.MB
	// walBuffersLarge: with more than this, the device is the bottleneck.
	walBuffersLarge = limits.WALBuffersMore
)

// WalBuffersFull advises larger buffers while they are small, then a faster device.
var WalBuffersFull = check.Check{
	ID:       "wal_buffers_full",
	Area:     check.WAL,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	From:     14,
	Title:    "WAL buffers full: backends write WAL",
	Why: "A backend that finds no space for a record in the WAL buffers must first write out WAL of other " +
		"sessions. Meanwhile it holds a lock that every other writer needs. The wait is in the middle of a " +
		"statement instead of at COMMIT, and grows with the number of writing sessions.",
	Do: "Raise wal_buffers (at the next restart): ALTER SYSTEM SET wal_buffers = '64MB';",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET wal_buffers = '64MB';"),
	},
	Sources: []string{"pg-config-wal", "pg-wal-configuration", "pg-monitoring"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		w, ok := check.Need(c, c.Instance.Server.WAL)
		if !ok || w.Secs < limits.Hour {
			return
		}
		written := unit.Bytes(w.BuffersFull) * walPage
		if w.Bytes.Scale(1/w.Secs) < walFullWAL || !check.AtLeast(written, walFullPercent, w.Bytes) {
			return
		}
		do := c.Remedy()
		buffers, ok := set.Bytes("wal_buffers")
		if !ok {
			return
		}
		if buffers >= walBuffersLarge {
			do = "The buffers are large enough: the device of pg_wal is too slow.\n" +
				"1. Measure it with pg_test_fsync.\n" +
				"2. Put pg_wal on a separate device, or write less WAL (wal_compression = on, longer " +
				"checkpoint_timeout; reload)."
		}
		c.FoundDo(check.Notice, do,
			"wal_buffers_full = {n} in {history}: backends wrote at least {share} of {wal} of WAL themselves; "+
				"wal_buffers = {buffers}.",
			"n", check.Count(w.BuffersFull), "history", say.Span(w.Secs), "share",
			check.PercentOf(min(written, w.Bytes), w.Bytes), "wal", w.Bytes, "buffers", buffers.GUC())
	},
}
