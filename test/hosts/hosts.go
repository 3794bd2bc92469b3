// Package hosts draws random hosts, described as --for describes them, with
// random questions asked of them. The planner's promises and the real servers
// are tested with the same ones.
package hosts

import (
	"fmt"
	"maps"
	"strconv"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Host is a random host with the questions asked of it.
type Host struct {
	Spec snapshot.Description
	Opt  rule.Options
}

// String shows all that it was drawn with.
func (h Host) String() string {
	return fmt.Sprintf("%+v profile=%s connections=%d active=%d storage=%s shared=%v pins=%v",
		h.Spec, h.Opt.Profile, h.Opt.Connections, h.Opt.Active, h.Opt.Storage, h.Opt.Shared, h.Opt.Pins)
}

// The memory of hosts as powers of two.
const (
	Smallest = 27    // 128 MB, a container
	Largest  = 44.58 // 24 TB, the largest machine that is sold
	GB       = 30
)

// Any draws hosts of every kind, from 128 MB and one CPU to 24 TB and 1,024 CPUs, versions 13 to 18.
func Any() *rapid.Generator[Host] { return Within(Smallest, Largest) }

// Within draws hosts whose memory is between two powers of two.
func Within(lo, hi float64) *rapid.Generator[Host] {
	return rapid.Custom(func(t *rapid.T) Host {
		// Log-uniform: as many machines between 1 and 2 GB as between 1 and 2 TB.
		exp := rapid.Float64Range(lo, hi).Draw(t, "log2 ram")
		ram := unit.Bytes(pow2(exp)).RoundDown(unit.MB)
		d := snapshot.Description{
			RAM:     max(ram, 128*unit.MB),
			CPUs:    rapid.OneOf(rapid.IntRange(1, 16), rapid.IntRange(1, 1024)).Draw(t, "cpus"),
			Sockets: 1, Kernel: "6.1.0",
			Major:    rapid.IntRange(13, 19).Draw(t, "major"),
			Storage:  rapid.SampledFrom([]string{"", "nvme", "ssd", "hdd", "san"}).Draw(t, "storage"),
			THP:      rapid.SampledFrom([]string{"always", "madvise", "never"}).Draw(t, "thp"),
			Settings: map[string]string{},
		}
		if d.CPUs > 1 {
			d.Sockets = rapid.SampledFrom([]int{1, 1, 2, min(4, d.CPUs)}).Draw(t, "sockets")
		}
		if rapid.Bool().Draw(t, "has swap") {
			d.Swap = unit.Bytes(rapid.Int64Range(1, 64).Draw(t, "swap GB")) * unit.GB
		}
		if rapid.Bool().Draw(t, "has disk") {
			d.Disk = unit.Bytes(rapid.Int64Range(2, 20000).Draw(t, "disk GB")) * unit.GB
		}
		if rapid.IntRange(0, 3).Draw(t, "container") == 0 {
			d.Container = "docker"
			if d.RAM > 256*unit.MB {
				d.CGroup = max(d.RAM/unit.Bytes(rapid.IntRange(1, 16).Draw(t, "cgroup part")), 128*unit.MB)
			}
		}
		if rapid.IntRange(0, 2).Draw(t, "connections set") == 0 {
			d.Settings["max_connections"] = strconv.Itoa(rapid.IntRange(20, 5000).Draw(t, "max_connections"))
		}
		if rapid.IntRange(0, 3).Draw(t, "buffers set") == 0 {
			d.Settings["shared_buffers"] = strconv.Itoa(rapid.IntRange(16, 1<<22).Draw(t, "shared_buffers"))
		}
		if rapid.IntRange(0, 3).Draw(t, "work_mem set") == 0 {
			d.Settings["work_mem"] = strconv.Itoa(rapid.IntRange(64, 1<<21).Draw(t, "work_mem"))
		}
		o := rule.Options{
			Profile: rapid.SampledFrom(rule.Profiles).Draw(t, "profile"),
			Storage: rule.Storage(d.Storage),
			Shared:  rapid.IntRange(0, 3).Draw(t, "shared host") == 0,
			Pins:    map[knob.Address]string{},
		}
		if rapid.Bool().Draw(t, "asks connections") {
			o.Connections = rapid.IntRange(10, 5000).Draw(t, "connections")
		}
		if rapid.IntRange(0, 3).Draw(t, "asks active") == 0 {
			o.Active = rapid.IntRange(1, 500).Draw(t, "active")
		}
		for _, odd := range oddSettings {
			if _, ok := params.Lookup(d.Major, odd[0]); ok && rapid.IntRange(0, 7).Draw(t, odd[0]) == 0 {
				d.Settings[odd[0]] = odd[1]
			}
		}
		if rapid.Bool().Draw(t, "was counted") {
			d.Answers = counted(t)
		}
		if d.Storage != "" && rapid.IntRange(0, 2).Draw(t, "has devices") > 0 {
			devices(t, &d)
		}
		return Host{d, o}
	})
}

// Of makes the host one of another major version, without the settings that it
// does not have.
func (h *Host) Of(major int) {
	h.Spec.Major = major
	maps.DeleteFunc(h.Spec.Settings, func(name, _ string) bool { _, ok := params.Lookup(major, name); return !ok })
}

// oddSettings are values, in base units, that were left behind and that a plan resets.
var oddSettings = [][2]string{
	{"shared_memory_type", "sysv"}, {"dynamic_shared_memory_type", "mmap"}, {"io_method", "sync"},
	{"autovacuum_worker_slots", "2"},
	{"geqo", "off"}, {"geqo_threshold", "30"}, {"join_collapse_limit", "25"}, {"io_combine_limit", "1"},
	{"commit_delay", "1000"},
	{"bgwriter_delay", "5000"}, {"bgwriter_lru_multiplier", "0"}, {"max_files_per_process", "64"},
	{"track_activity_query_size", "100"},
	{"vacuum_buffer_usage_limit", "0"}, {"old_snapshot_threshold", "60"}, {"autovacuum_vacuum_max_threshold", "-1"},
	{"track_activities", "off"},
	{"max_wal_size", "20480"}, {"maintenance_work_mem", "8388608"},
}

// counted draws what a server counted of itself: from nothing to more than any
// has, over a minute to a year.
func counted(t *rapid.T) map[string]pg.Rows {
	rows := func(pairs ...any) pg.Rows {
		r := pg.Rows{Rows: [][]*string{{}}}
		for i := 0; i < len(pairs); i += 2 {
			text := fmt.Sprint(pairs[i+1])
			r.Columns = append(r.Columns, pairs[i].(string))
			r.Rows[0] = append(r.Rows[0], &text)
		}
		return r
	}
	// Log-uniform, and 0 now and then.
	n := func(name string, exp float64) int64 {
		if rapid.IntRange(0, 3).Draw(t, "no "+name) == 0 {
			return 0
		}
		return int64(pow2(rapid.Float64Range(0, exp).Draw(t, "log2 "+name)))
	}
	secs := n("seconds", 25) + 60
	return map[string]pg.Rows{
		"checkpoints": rows("timed", n("timed", 20), "requested", n("requested", 20), "max_written", n("rounds", 30),
			"stats_reset", 1700000000, "secs", secs),
		"databases": rows("datname", "app", "blks_read", n("read", 45), "blks_hit", n("hit", 50), "temp_files",
			n("files", 24), "temp_bytes", n("temp bytes", 50),
			"tup_updated", n("updated", 40), "tup_deleted", n("deleted", 40), "active_time", n("active", 40)),
		"deep_databases": rows("datname", "app", "size", n("size", 45)),
		"deep_tables":    rows("nspname", "public", "relname", "t", "live", n("live", 36), "changed", n("changed", 30)),
		"wal":            rows("wal_bytes", n("wal", 48), "secs", secs),
		"spills": rows("statements", 100, "spilling", n("spilling", 6), "calls", n("calls", 20), "written",
			n("written", 30), "most", n("most", 24)),
		"buffercache": rows("used", n("used", 24), "unused", n("unused", 24), "usage", "2.5", "secs", secs),
	}
}

func pow2(e float64) float64 {
	n := 1.0
	for e >= 1 {
		n, e = n*2, e-1
	}
	return n * (1 + e) // close enough to 2^e between the powers
}
