package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// enoughCheckpoints and enoughHistory keep single restarts, base backups or
	// bulk loads from counting: each of them requests checkpoints.
	enoughCheckpoints = 10
	enoughHistory     = limits.Hour
)

// CheckpointsTooFrequent fires if more checkpoints were requested than timed:
// then the mean interval is below half of checkpoint_timeout.
// Timed ones count even if they were skipped because nothing had been
// written; 18 also counts those that were done, which removes quiet hours
// from the comparison.
var CheckpointsTooFrequent = check.Check{
	ID:       "checkpoints_too_frequent",
	Area:     check.WAL,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Checkpoints are occurring too frequently",
	Why: "The first change of a page after a checkpoint writes the whole page to the WAL. Frequent checkpoints " +
		"multiply these full-page images: more WAL triggers the next checkpoint even earlier, and the same pages " +
		"are written to the data files again and again. The usual cause is that max_wal_size is too small.",
	Do: "1. Raise max_wal_size (reload; it takes disk space in pg_wal and makes crash recovery longer).\n" +
		"2. With log_checkpoints = on, verify that the log shows \"checkpoint starting: time\", and \"checkpoint " +
		"starting: wal\" rarely.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET max_wal_size = '{want}';"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-wal-configuration", "pg-config-wal", "pg-monitoring"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		cp, ok := check.Need(c, c.Instance.Server.Checkpoints)
		if !ok {
			return
		}
		if standby, ok := c.Instance.Server.Recovery.Get(); ok && standby {
			return // its restartpoints follow the primary's checkpoints
		}
		timed := cp.Timed
		if done, ok := cp.Done.Get(); ok {
			timed = max(done-cp.Requested, 0)
		}
		if cp.Requested < enoughCheckpoints || cp.Secs < enoughHistory || cp.Requested <= timed {
			return
		}
		timeout, ok1 := set.Seconds("checkpoint_timeout")
		size, ok2 := set.Bytes("max_wal_size")
		if !ok1 || !ok2 {
			return
		}
		every := cp.Secs / float64(cp.Requested)
		if every >= timeout {
			return // a quiet server: backups and other commands requested them
		}
		rates := say.M("{requested} of {all} checkpoints in {history} were requested, one every {every} on average; "+
			"checkpoint_timeout = {timeout}, max_wal_size = {size}.",
			"requested", cp.Requested, "all", cp.Requested+timed, "history", say.Span(cp.Secs), "every",
			say.Span(every),
			"timeout", set["checkpoint_timeout"].Show(), "size", size.GUC())
		want, rate, ok := enoughWAL(set, c.Instance.Server, timeout, size)
		if !ok {
			c.That(check.Warning, say.M(c.Remedy()), rates)
			return
		}
		do := say.M("1. Raise max_wal_size (reload; it takes disk space in pg_wal and makes crash recovery longer): "+
			"ALTER SYSTEM SET max_wal_size = '{want}'; SELECT pg_reload_conf();\n"+
			"2. At the average WAL rate, checkpoints then follow checkpoint_timeout; bursts need more. With "+
			"log_checkpoints = on, watch the log for \"checkpoint starting: wal\".", "want", want.GUC())
		if sp, ok := walSpace(c.Snapshot, c.Instance); ok {
			dir, _ := c.Instance.Server.WALDir.Get() // what pg_wal uses now belongs to the WAL already
			if room := limits.WALRoom(sp.Total, sp.Free, dir.Size); want > room {
				do = say.M("About max_wal_size = {want} is needed. The filesystem of pg_wal ({free} of {total} free) "+
					"has room for {room}.\n1. Enlarge it first, or write less WAL (wal_compression = on, fewer full "+
					"rewrites of tables).\n2. Then raise max_wal_size (reload).", "want", want.GUC(), "free", sp.Free,
					"total", sp.Total, "room", room.RoundDown(unit.MB).GUC())
			}
		}
		c.That(check.Warning, do, say.All(" ", rates, say.M("WAL rate: {rate} per minute.", "rate", rate)))
	},
}

// enoughWAL returns the max_wal_size with which the average amount of WAL no
// longer requests checkpoints. The server starts one when max_wal_size / (1 +
// checkpoint_completion_target) was written since the last, so that the WAL of
// the checkpoint in progress fits too. The result is at least twice
// the present size, which is evidently too small, in whole gigabytes.
func enoughWAL(set pg.Settings, s pg.Server, timeout float64, size unit.Bytes) (want, perMinute unit.Bytes, ok bool) {
	w, ok1 := s.WAL.Get()
	target, ok2 := set.Float("checkpoint_completion_target")
	if !ok1 || !ok2 || w.Secs < enoughHistory {
		return 0, 0, false
	}
	perSecond := float64(w.Bytes) / w.Secs
	want = max(unit.Bytes(perSecond*timeout*(1+target)), 2*size).RoundUp(unit.GB)
	return want, unit.Bytes(perSecond * 60), true
}

// walSpace returns the filesystem that the WAL is on.
func walSpace(s *snapshot.Snapshot, in *snapshot.Instance) (host.Space, bool) {
	places, _ := in.Places.Get()
	spaces, _ := s.Host.Spaces.Get()
	for _, p := range places {
		if p.Role != snapshot.WALPlace {
			continue
		}
		for _, sp := range spaces {
			if sp.Path == p.Path {
				return sp, true
			}
		}
	}
	return host.Space{}, false
}
