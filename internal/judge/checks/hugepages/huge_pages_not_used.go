package hugepages

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// HugePagesNotUsed is about try, the default, which falls back silently. It is a
// notice while page tables cannot grow large, a warning if they can, and critical
// if they have.
var HugePagesNotUsed = check.Check{
	ID:        "huge_pages_not_used",
	Area:      check.HugePages,
	Severity:  check.Notice,
	Scope:     check.PerInstance,
	Title:     "Huge pages not in use: huge_pages = try fell back",
	DependsOn: []string{"huge_pages_short", "huge_pages_refused", "sysv_shared_memory"},
	Why: "With huge_pages = try the server requests huge pages and, if none are available, falls back " +
		"silently. The fallback is logged at DEBUG1 only; SHOW huge_pages_status reports it in PostgreSQL 17 " +
		"and later. On regular pages each backend has its own page tables, 1/512 of the shared memory that it " +
		"touches, and takes a page fault per 4 kB. A full scan of shared_buffers by 100 backends was measured " +
		"to take twice as long.",
	Do: "1. Reserve the huge pages that the server requests, then restart it.\n" +
		"2. When it runs on huge pages, set huge_pages = on, so that the next shortage is not silent.",
	Commands: []check.Command{
		check.Conf("vm.nr_hugepages = {want}"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"pg-huge-pages", "linux-hugetlb", "pgfettle-measured"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		if mode, _ := set.Text("huge_pages"); mode != "try" {
			return
		}
		m, ok := check.Need(c, memory.AsItIs(c.Snapshot, c.Instance, memory.Mixed))
		if !ok || m.Shared < limits.HugeFrom {
			return
		}
		used, ok := check.Need(c, memory.OnHugePages(c.Instance))
		if !ok || used {
			return
		}
		worst := m.Parts().PageTables
		sev := check.Notice
		text := say.Template("Shared memory on regular pages: {shared}. With {procs} processes page tables can reach " +
			"{worst}.")
		pairs := []any{"shared", m.Shared, "procs", m.Connections + m.Processes, "worst", worst}
		limit, _ := c.Snapshot.MemoryLimit(c.Instance)
		if total, ok := limit.Get(); ok {
			text = "Shared memory on regular pages: {shared}. With {procs} processes page tables can reach {worst} " +
				"({worstShare} of {total} memory)."
			pairs = append(pairs, "worstShare", check.PercentOf(worst, total), "total", total)
			if check.AtLeast(worst, limits.TablesMuch, total) {
				sev = check.Warning
			}
			if now, ok := check.PageTables(c.Instance).Get(); ok {
				text = "Shared memory on regular pages: {shared}. With {procs} processes page tables can reach " +
					"{worst} ({worstShare} of {total} memory); now {now}."
				pairs = append(pairs, "now", now)
				if check.AtLeast(now, limits.TablesTooMuch, total) {
					sev = check.Critical
				}
			}
		}
		seen := say.M(text, pairs...)
		size, _ := memory.HugePageSize(c.Snapshot, c.Instance).Get()
		pools, ok1 := c.Snapshot.Host.HugePages.Get()
		need, ok2 := memory.HugeNeedOf(c.Instance, size)
		if !ok1 || !ok2 {
			c.That(sev, say.M(c.Remedy()), seen)
			return
		}
		pool := memory.PoolOf(pools, size)
		free := []any{"size", size, "free", pool.Free - pool.Reserved}
		if pool.Free-pool.Reserved+pool.Overcommit >= need.Pages {
			c.That(sev, say.M("The pool is large enough now.\n1. Restart the server.\n2. Set huge_pages = on."),
				say.All(" ", seen, say.N(pool.Free-pool.Reserved,
					"The pool has {free} free page of {size}: it was filled after the server started.",
					"The pool has {free} free pages of {size}: it was filled after the server started.", free...)))
			return
		}
		there := say.M("Huge page pool ({size}): total {total_pages}, free {free}.", append(free, "total_pages",
			pool.Total)...)
		if pool.Total == 0 {
			there = say.M("Huge page pool ({size}): none.", "size", size)
		}
		want := pool.Total + need.Pages - max(pool.Free-pool.Reserved, 0)
		c.That(sev, say.All("\n", say.M(
			"1. Write into /etc/sysctl.d/60-postgresql.conf: vm.nr_hugepages = {want}\n"+
				"2. Stop the server.\n"+
				"3. Run: sysctl --system\n"+
				"4. Check that HugePages_Total in /proc/meminfo has reached it.\n"+
				"5. Start the server.\n"+
				"6. Set huge_pages = on, so that the next shortage is not silent.", "want",
			strconv.FormatInt(want, 10)), estimated(need), c.PlannedPool(want)),
			say.All(" ", seen, there))
	},
}
