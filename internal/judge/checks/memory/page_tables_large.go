package memory

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// PageTablesLarge measures the page tables of the instance's processes (VmPTE)
// and computes their size when every connection has touched all buffers.
// Only measured ones are more than a notice.
var PageTablesLarge = check.Check{
	ID:        "page_tables_large",
	Area:      check.Memory,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "Page tables use much memory",
	DependsOn: []string{"huge_pages_not_used", "huge_pages_short", "huge_pages_refused", "sysv_shared_memory"},
	Why: "Each backend has its own page tables for shared memory: 8 bytes per 4 kB page that it has touched, " +
		"up to 1/512 of shared_buffers per connection. This memory is not part of the RSS of any process, " +
		"cannot be swapped and grows while backends live. Each new entry costs a page fault. With 2 MB huge " +
		"pages it shrinks to about 1/500.",
	Do: "Use huge pages, or run fewer backends: use a connection pooler, or recycle long-lived connections of " +
		"application pools.",
	Commands: []check.Command{
		check.Conf("vm.nr_hugepages = {pages}"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"linux-page-tables", "pg-huge-pages", "blog-page-tables", "pgfettle-measured"},
	Judge: func(c *check.Case) {
		limit, _ := c.Snapshot.MemoryLimit(c.Instance)
		total, ok := check.Need(c, limit)
		if !ok || total == 0 {
			return
		}
		m, ok := check.Need(c, memory.AsItIs(c.Snapshot, c.Instance, memory.Mixed))
		if !ok {
			return
		}
		worst := m.Parts().PageTables
		pairs := []any{"worst", worst, "worstShare", check.PercentOf(worst, total), "procs",
			m.Connections + m.Processes, "shared", m.Shared, "total", total}
		do := say.M(c.Remedy())
		size, _ := memory.HugePageSize(c.Snapshot, c.Instance).Get()
		if need, ok := memory.HugeNeedOf(c.Instance, size); ok && m.SharedPage < size {
			do = say.All("\n", say.M("1. Write into /etc/sysctl.d/60-postgresql.conf: vm.nr_hugepages = {pages}\n"+
				"Add the huge pages that are already in use.\n"+
				"2. Set huge_pages = on, and stop the server.\n"+
				"3. Run: sysctl --system\n"+
				"4. Start the server.\n"+
				"Temporary workaround: run fewer backends. Use a connection pooler, or recycle long-lived connections.",
				"pages", strconv.FormatInt(need.Pages, 10)), estimated(need), c.PlannedPool(need.Pages))
		}
		if size > 0 && m.SharedPage >= size {
			do = say.M("The server uses huge pages already. Run fewer backends: use a connection pooler, or recycle " +
				"long-lived connections of application pools.")
		}
		now, measured := check.Need(c, check.PageTables(c.Instance))
		if set, ok := c.Settings(); ok && !measured {
			on, told := memory.OnHugePages(c.Instance).Get()
			if mode, _ := set.Text("huge_pages"); mode == "on" && (on || !told) {
				return // it does not start on regular pages
			}
		}
		if measured && check.AtLeast(now, limits.TablesMuch, total) {
			ps, _ := c.Instance.Processes.Get()
			sev := check.Warning
			if check.AtLeast(now, limits.TablesTooMuch, total) {
				sev = check.Critical
			}
			seen := say.N(len(ps), "Page tables of {n} process: {now}, {share} of {total} memory.",
				"Page tables of {n} processes: {now}, {share} of {total} memory.", "now", now, "share",
				check.PercentOf(now, total), "total", total)
			if worst > now { // the estimate does not count mappings other than shared memory
				seen = say.All(" ", seen, say.M("At worst {worst} ({worstShare}), if {procs} processes touch all "+
					"{shared} of shared memory.", pairs...))
			}
			c.That(sev, do, seen)
			return
		}
		if check.AtLeast(worst, limits.TablesTooMuch, total) {
			seen := say.Template("Page tables at worst: {worst} ({worstShare} of {total} memory), if {procs} " +
				"processes touch all {shared} of shared memory.")
			if measured {
				seen = "Page tables at worst: {worst} ({worstShare} of {total} memory), if {procs} processes touch " +
					"all {shared} of shared memory. Now: {now}."
				pairs = append(pairs, "now", now)
			}
			c.That(check.Notice, do, say.M(seen, pairs...))
		}
	},
}

// estimated says that a number of huge pages is not the server's own.
func estimated(need memory.HugeNeed) say.Message {
	if need.Exact() {
		return say.Message{}
	}
	return say.M("The number of pages is an estimate.")
}
