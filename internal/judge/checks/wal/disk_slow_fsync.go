package wal

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

const (
	// slowFlushes a second are 5 ms for each commit, which is where a rotating
	// disk without a cache is.
	slowFlushes = 200
	// slowFlash is a millisecond: flash with protected caches needs a tenth of it.
	slowFlash = 1000
)

// DiskSlowFsync judges the disk of the WAL by what was measured there.
var DiskSlowFsync = check.Check{
	ID:        "disk_slow_fsync",
	Area:      check.WAL,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "Flushing the WAL is slow on this disk",
	DependsOn: []string{"fsync_off"},
	Why: "Every commit that writes waits until its WAL has reached the disk, so that one session commits no oftener " +
		"than the disk flushes; several sessions " +
		"share a flush when they commit together. Flash without capacitors is as slow as this because it has to " +
		"write what a protected cache could keep, and " +
		"so are rotating disks, and network volumes at a distance.",
	Do: "Put pg_wal on a disk with a protected cache: pgfettle move-wal DIR. Until then let transactions whose loss " +
		"is acceptable not wait: SET " +
		"synchronous_commit = off in them alone; and write many rows in one transaction. commit_delay helps only " +
		"where hundreds commit at once. Never fsync = off.",
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
		c.FoundAs(sev, "{method} takes {ms} ms: {rate} flushed writes a second ({by}).", "method", method,
			"ms", fmt.Sprintf("%.1f", 1000/rate),
			"rate", fmt.Sprintf("%.0f", rate), "by", d.Flush.By)
	},
}

// flashUnder says whether a device is known to be flash of this host itself.
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
