package wal

import (
	"fmt"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// safeMethods all flush the cache of the drive on Linux.
var safeMethods = []string{"fdatasync", "open_datasync", "fsync", "open_sync"}

// methodGain is how much faster another method must be to be reported:
// rates of one method differ by a few percent from run to run.
const methodGain = 1.1

// doesMore names the method that does all that another one does, and also writes the
// timestamps of the file: if it was measured faster, that is noise.
var doesMore = map[string]string{"fdatasync": "fsync", "open_datasync": "open_sync"}

// WalSyncMethodSlower only reports; no plan changes the method: measurements of
// one or two seconds on a busy host are not reason enough.
var WalSyncMethodSlower = check.Check{
	ID:        "wal_sync_method_slower",
	Area:      check.WAL,
	Severity:  check.Info,
	Scope:     check.PerInstance,
	Title:     "A faster wal_sync_method was measured",
	DependsOn: []string{"fsync_impossible", "fsync_off"},
	Why: "All four methods on Linux flush the disk. Which one is fastest depends on the filesystem and on whether " +
		"the disk supports forced unit access (FUA). The method named was faster by more than 10% both with one " +
		"block and with two, as in larger commits.",
	Do: "1. Measure again on an idle host: pgfettle probe --only fsync --seconds 10\n" +
		"2. If the result is the same, try it under your load (reload): ALTER SYSTEM SET wal_sync_method = " +
		"'METHOD'; SELECT pg_reload_conf();",
	Commands: []check.Command{
		check.Shell("pgfettle probe --only fsync --seconds 10"),
	},
	Sources: []string{"pg-test-fsync", "pg-config-wal"},
	Judge: func(c *check.Case) {
		if _, ok := check.Need(c, c.Snapshot.Measured); !ok {
			return
		}
		d, ok := c.Snapshot.MeasuredAt(c.Instance, snapshot.WALPlace)
		if !ok || d.Flush == nil {
			return
		}
		set, ok := c.Settings()
		if !ok {
			return
		}
		now, ok := set.Text("wal_sync_method")
		if !ok || !slices.Contains(safeMethods, now) {
			return
		}
		one, two, ok := d.Flush.Fsync.Rate(now)
		if !ok {
			return
		}
		best, most := "", 0.0
		for _, m := range safeMethods {
			a, b, ok := d.Flush.Fsync.Rate(m)
			if ok && m != doesMore[now] && a > methodGain*one && b > methodGain*two && a+b > most {
				best, most = m, a+b
			}
		}
		if best == "" {
			return
		}
		a, b, _ := d.Flush.Fsync.Rate(best)
		number := func(rate float64) say.Number { return say.Number(fmt.Sprintf("%.0f", rate)) }
		c.Found("wal_sync_method = {now}: {one} flushed writes per second with one block, {two} with two; {best}: {a} "+
			"and {b} ({by}).", "now", now, "best", best, "one", number(one), "two", number(two), "a", number(a),
			"b", number(b), "by", d.Flush.Author())
	},
}
