package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// walFullPercent is the share of the WAL that a backend had to write in the middle
	// of its work from which on the rule for wal_buffers gives more of them. The
	// server counts times; at each a page at least was written.
	walFullPercent = limits.WALBuffersFull * 100
	walPage        = 8 * unit.KB // wal_block_size of every packaged server
	// walFullWAL: below 1 MB/s of WAL on average a few bulk loads are all that
	// ever filled the buffers, and for those nobody waits a noticeable time.
	walFullWAL = unit.MB
	// walBuffersLarge: with more than this the device is what is too slow.
	walBuffersLarge = limits.WALBuffersMore
)

// WalBuffersFull names the buffers while they are small, and then the device.
var WalBuffersFull = check.Check{
	ID:       "wal_buffers_full",
	Area:     check.WAL,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	From:     14,
	Title:    "WAL buffers full: backends write WAL",
	Why: "A backend that finds no space for a record in the WAL buffers must first write out WAL of other " +
		"sessions, while it holds a lock that every other writer needs. The wait is in the middle of a statement " +
		"instead of at COMMIT. It grows with the number of writing sessions.",
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
			do = "The buffers are large enough: the device of pg_wal does not keep up. Measure it with " +
				"pg_test_fsync, put pg_wal on a device of its own, or write less WAL " +
				"(wal_compression = on, longer checkpoint_timeout)."
		}
		c.FoundDo(check.Notice, do,
			"{n} times in {history} a session found the WAL buffers full and wrote from them itself, for at least "+
				"{share} of {wal} of WAL; wal_buffers = {buffers}.",
			"n", check.Count(w.BuffersFull), "history", say.Span(w.Secs), "share",
			check.PercentOf(min(written, w.Bytes), w.Bytes), "wal", w.Bytes, "buffers", buffers.GUC())
	},
}
