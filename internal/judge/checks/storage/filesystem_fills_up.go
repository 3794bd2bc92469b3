package storage

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// daysWarned is the time to find what grew, order a disk and move data to it in addition
	// to other work: two weeks. The title names it.
	daysWarned = 14
	// daysCritical is a weekend without an administrator.
	daysCritical = 2
	// daysSeen is the shortest history that counts: a load of one night is over in the morning.
	daysSeen = 2
	// walDay: WAL counted for less than a day is that of a night or an afternoon.
	walDay = limits.Day
)

// FilesystemFillsUp counts the days until a disk is full, however large it is.
var FilesystemFillsUp = check.Check{
	ID:       "filesystem_fills_up",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Filesystem will be full within two weeks",
	Why: "If there is no space for WAL, the server stops with a PANIC; if there is none for data, statements that " +
		"write fail. The time left depends on growth, not only on free space: at 70 GB per day, the last 500 GB " +
		"of 10 TB last one week. Growth that is not steady, or was observed for less than two days, is not " +
		"counted.",
	Do: "1. Find what grew: run du -xsh in the data directory, in pg_wal (a replication slot or a failing " +
		"archive_command), in base/pgsql_tmp and in the log directory, and \\dt+ in psql for the largest tables.\n" +
		"2. Remove what is not needed, limit slots with max_slot_wal_keep_size (reload), or enlarge the " +
		"filesystem. Never delete files in pg_wal manually.",
	Sources: []string{"pg-disk-full", "pg-monitoring"},
	Judge: func(c *check.Case) {
		list := volumes.Mounts(c)
		spaces, ok := check.Need(c, c.Snapshot.Host.Spaces)
		if !ok {
			return
		}
		growth := growth(c, list)
		within := func(days float64) func(host.Mount) bool {
			return func(m host.Mount) bool {
				sp, ok := c.Snapshot.SpaceAt(spaces, m.Point)
				left, grows := growth[m.Point].days(sp.Free)
				_, told := nearlyFull(sp)
				return ok && sp.Total > 0 && grows && left < days && !volumes.OnTmpfs(m) && !told
			}
		}
		text := func(m host.Mount, directories say.List) say.Message {
			sp, _ := c.Snapshot.SpaceAt(spaces, m.Point)
			return leftOn(m, sp, growth[m.Point], directories)
		}
		critical := within(daysCritical)
		if seen := volumes.OnMounts(list, critical, text); len(seen.Items) > 0 {
			c.FoundAs(check.Critical, "{places}.", "places", seen)
		}
		if seen := volumes.OnMounts(list, func(m host.Mount) bool { return !critical(m) && within(daysWarned)(m) },
			text); len(seen.Items) > 0 {
			c.Found("{places}.", "places", seen)
		}
	},
}

// growing is how fast a filesystem fills up; the zero value: unknown, or not steadily.
type growing struct {
	perDay unit.Bytes
	told   say.Message // a clause: "free space shrank by 70 GB per day in 9 days of history"
}

// days returns in how many days the free space is gone.
func (g growing) days(free unit.Bytes) (days float64, ok bool) {
	if g.perDay <= 0 {
		return 0, false
	}
	return float64(free) / float64(g.perDay), true
}

// until is a clause on when the free space is gone: empty if no growth is known.
func (g growing) until(free unit.Bytes) say.Message {
	days, ok := g.days(free)
	if !ok {
		return say.Message{}
	}
	return say.M("full in {span}", "span", say.Span(days*86400))
}

// growth returns what is known of the growth of each mount, by its point: the fastest of
// what the history has of the directories on it, and of WAL that is not removed.
func growth(c *check.Case, list []volumes.Mounted) map[string]growing {
	out := map[string]growing{}
	faster := func(point string, amount unit.Bytes, told say.Message) {
		if amount > out[point].perDay {
			out[point] = growing{amount, told}
		}
	}
	history, _ := c.Instance.History.Get()
	for _, m := range list {
		for _, d := range history.Disks {
			if d.Place == placeOf(m.Place) && d.Days >= daysSeen && d.Least > 0 {
				amount := unit.Bytes(d.PerDay)
				faster(m.Mount.Point, amount, say.M("free space shrank by {amount} per day in {days} of history",
					"amount", amount, "days", say.Span(d.Days*86400)))
			}
		}
		if m.Role != snapshot.WALPlace {
			continue
		}
		if w, ok := c.Instance.Server.WAL.Get(); ok && w.Secs >= walDay && w.Bytes > 0 {
			amount := unit.Bytes(float64(w.Bytes) / w.Secs * 86400)
			if why := walStays(c, amount); !why.IsZero() {
				faster(m.Mount.Point, amount, why)
			}
		}
	}
	return out
}

// placeOf is the name of a directory in a history.
func placeOf(p snapshot.Place) string {
	if p.Role == snapshot.TablespacePlace {
		return "tablespace " + p.Tablespace
	}
	return string(p.Role)
}

// walStays is a clause on why no WAL is removed now, with the amount per day; empty if it is.
func walStays(c *check.Case, perDay unit.Bytes) say.Message {
	set, ok := c.Instance.Server.Settings.Get()
	if !ok {
		return say.Message{}
	}
	if mode, _ := set.Text("archive_mode"); mode != "" && mode != "off" {
		if a, ok := c.Instance.Server.Archiver.Get(); ok && a.Failed > 0 &&
			a.LastFailed-a.LastOK >= limits.ArchiveLate {
			return say.M("{amount} of WAL per day accumulates because archiving fails", "amount", perDay)
		}
	}
	if limit, ok := set.Int("max_slot_wal_keep_size"); !ok || limit >= 0 {
		return say.Message{}
	}
	slots, _ := c.Instance.Server.Slots.Get()
	normal, _ := set.Bytes("max_wal_size")
	for _, s := range slots {
		if kept, _ := s.Retained.Get(); holdsForever(s) && kept > normal {
			return say.M("{amount} of WAL per day accumulates because slot {slot} has no consumer", "slot", s.Name,
				"amount", perDay)
		}
	}
	return say.Message{}
}

// holdsForever returns whether a slot keeps WAL that no consumer fetches.
func holdsForever(s pg.Slot) bool {
	return !s.Active && !s.Temporary && s.WALStatus != "lost"
}
