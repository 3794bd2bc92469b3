package wal

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

const (
	// slowFlushes per second are 5 ms per commit, the speed of a rotating
	// disk without a cache.
	slowFlushes = 200
	// slowFlash is 1 ms per flush: flash with protected caches needs 0.1 ms.
	slowFlash = 1000
)

// DiskSlowFsync judges the disk of the WAL by what was measured there.
var DiskSlowFsync = check.Check{
	ID:        "disk_slow_fsync",
	Area:      check.WAL,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "Slow fsync on the WAL disk",
	DependsOn: []string{"fsync_off"},
	Why: "Each commit that writes waits until its WAL is on disk, so one session cannot commit more often than the " +
		"disk flushes. Several sessions share a flush if they commit together. Rotating disks and distant network " +
		"volumes are this slow, and so is flash without capacitors, because it must write what a protected cache " +
		"could keep.",
	Do: "1. Move pg_wal to a disk with a protected write cache (stops the server): pgfettle move-wal DIR\n" +
		"2. Until then, SET synchronous_commit = off only in transactions that may be lost, and write many rows " +
		"per transaction.\n" +
		"3. Use commit_delay only if hundreds of transactions commit at once. Never set fsync = off.",
	Sources: []string{"pg-test-fsync", "pg-wal-reliability", "pg-wal-configuration"},
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
		method, ok := set.Text("wal_sync_method")
		if !ok {
			method = "fdatasync" // the default on Linux
		}
		rate, ok := d.Flush.Rate(method)
		if !ok {
			return
		}
		sev := check.Warning
		if rate >= slowFlushes {
			if rate >= slowFlash || !flashUnder(c, d.Device) {
				return
			}
			sev = check.Notice
		}
		c.FoundAs(sev, "{method}: {ms} ms per flush, {rate} flushed writes per second ({by}).", "method", method,
			"ms", say.Number(fmt.Sprintf("%.1f", 1000/rate)), "rate", say.Number(fmt.Sprintf("%.0f", rate)), "by",
			d.Flush.Author())
	},
}

// flashUnder returns whether a device is known to be flash of this host itself.
func flashUnder(c *check.Case, device string) bool {
	if !volumes.Physical(c) {
		return false
	}
	for _, s := range volumes.Stacks(c) {
		if s.Device != device {
			continue
		}
		for _, b := range s.Chain {
			if r, ok := b.Rotational.Get(); b.Kind == "disk" && ok && !r && !b.Virtual() {
				return true
			}
		}
	}
	return false
}
