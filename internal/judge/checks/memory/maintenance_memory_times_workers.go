package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// maintenanceShare: a plan leaves maintenance a sixteenth of the memory for one
// command; with an eighth the workers alone use twice that.
const maintenanceShare = 12

// MaintenanceMemoryTimesWorkers is a notice: since 17 a worker allocates memory as dead rows need
// it, rarely all.
var MaintenanceMemoryTimesWorkers = check.Check{
	ID:        "maintenance_memory_times_workers",
	Area:      check.Memory,
	Severity:  check.Notice,
	Scope:     check.PerInstance,
	Title:     "autovacuum_work_mem is unset: workers use maintenance_work_mem",
	DependsOn: []string{"autovacuum_off", "track_counts_off"},
	Why: "With autovacuum_work_mem = -1 each autovacuum worker may use maintenance_work_mem, which is usually " +
		"sized for one CREATE INDEX at a time. When several large tables need vacuum at once, the workers use " +
		"the sum, often under full load.",
	Do: "1. Set autovacuum_work_mem so that all workers together use 1/20 of the memory.\n" +
		"2. Reload: SELECT pg_reload_conf();\n" +
		"In PostgreSQL 16 and earlier a worker cannot use more than 1 GB.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET autovacuum_work_mem = '{size}';"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-resource", "pg-config-autovacuum", "dalibo-j1"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		own, ok := set.Int("autovacuum_work_mem")
		if !ok || own >= 0 {
			return
		}
		each, ok1 := set.Bytes("maintenance_work_mem")
		workers, ok2 := set.Int("autovacuum_max_workers")
		version, ok3 := check.Need(c, c.Instance.Server.Version)
		limit, _ := c.Snapshot.MemoryLimit(c.Instance)
		total, ok4 := check.Need(c, limit)
		if !ok1 || !ok2 || !ok3 || !ok4 {
			return
		}
		if version.Major() < 17 { // the list of dead rows was an array of at most 1 GB
			each = min(each, unit.GB)
		}
		if sum := unit.Bytes(workers) * each; check.AtLeast(sum, maintenanceShare, total) {
			c.FoundDo(check.Notice,
				"1. Give all workers together 1/20 of the memory: ALTER SYSTEM SET autovacuum_work_mem = '{size}';\n"+
					"2. Reload: SELECT pg_reload_conf();",
				"{workers} autovacuum workers × {each} = {sum}, {share} of {total} memory.", "workers", workers,
				"each", each, "sum", sum, "share", check.PercentOf(sum, total), "total", total,
				"size", sizeOfWorker(total, unit.Bytes(workers), version.Major()).GUC())
		}
	},
}

// sizeOfWorker is what a plan gives a worker. It is below what is complained of, as a twentieth is less than
// maintenanceShare.
func sizeOfWorker(total, workers unit.Bytes, major int) unit.Bytes {
	size := sizing.RoundDown(total/sizing.AutovacuumPart/workers, 8, unit.MB)
	return min(max(size, sizing.AutovacuumLeast), sizing.AutovacuumUseful(major))
}
