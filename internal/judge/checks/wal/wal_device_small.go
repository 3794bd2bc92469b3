package wal

import (
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// WalDeviceSmall compares the filesystem with the normal maximum of the WAL by its
// settings; a failing archive or a slot lets it grow further, which their own
// checks report.
var WalDeviceSmall = check.Check{
	ID:       "wal_device_small",
	Area:     check.WAL,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "WAL filesystem is too small for max_wal_size",
	Why: "A checkpoint frees WAL only when it ends, and starts so that about max_wal_size is reached by then; " +
		"wal_keep_size is kept in addition. The limit is soft: bursts exceed it. If the filesystem of pg_wal " +
		"fills first, the server stops with a PANIC.",
	Do: "Do one of these:\n" +
		"1. Lower max_wal_size (reload) to at most two thirds of the free space plus what pg_wal uses now.\n" +
		"2. Give pg_wal a larger filesystem.",
	Sources:   []string{"pg-wal-configuration", "pg-config-wal", "pg-disk-full"},
	DependsOn: []string{"filesystem_nearly_full"},
	Judge: func(c *check.Case) {
		set, ok1 := check.Need(c, c.Instance.Server.Settings)
		places, ok2 := check.Need(c, c.Instance.Places)
		spaces, ok3 := check.Need(c, c.Snapshot.Host.Spaces)
		dir, ok4 := check.Need(c, c.Instance.Server.WALDir)
		if !ok1 || !ok2 || !ok3 || !ok4 {
			return
		}
		size, ok := set.Bytes("max_wal_size")
		if !ok {
			return
		}
		keep, _ := set.Bytes("wal_keep_size")
		for _, p := range places {
			if p.Role != snapshot.WALPlace {
				continue
			}
			sp, ok := c.Snapshot.SpaceAt(spaces, p.Path)
			if !ok || sp.Total == 0 || size+keep <= sp.Free+dir.Size {
				continue
			}
			c.Found(
				"max_wal_size = {size}, wal_keep_size = {keep}; {path} uses {now} now, and only {free} is free.",
				"size", size.GUC(), "keep", keep.GUC(), "now", dir.Size, "free", sp.Free, "path", p.Path)
		}
	},
}
