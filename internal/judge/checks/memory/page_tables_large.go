package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// PageTablesLarge measures the page tables of the instance's processes (VmPTE)
// and reckons what they become when every connection has touched all buffers.
// Only the measured ones are more than a notice.
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
			do = say.All(" ", say.M("Put the shared memory into huge pages: stop the server, reserve them "+
				"(vm.nr_hugepages = {pages} in /etc/sysctl.d/60-postgresql.conf, beside those in use), set "+
				"huge_pages = on, start. Until then fewer backends help: a connection pooler, or pools whose "+
				"connections are renewed.",
				"pages", check.PagesText(need.Pages, need.Exact())), c.PlannedPool(need.Pages))
		}
		now, measured := check.Need(c, check.PageTables(c.Instance))
		if measured && check.AtLeast(now, limits.TablesMuch, total) {
			ps, _ := c.Instance.Processes.Get()
			sev := check.Warning
			if check.AtLeast(now, limits.TablesTooMuch, total) {
				sev = check.Critical
			}
			c.That(sev, do, say.M(
				"{now} of page tables in {n} processes, {share} of {total}; {worst} ({worstShare}) when {procs} "+
					"processes have touched all {shared} of shared memory.",
				append(pairs, "now", now, "n", len(ps), "share", check.PercentOf(now, total))...))
			return
		}
		if check.AtLeast(worst, limits.TablesTooMuch, total) {
			seen := say.Template("Up to {worst} of page tables ({worstShare} of {total}) when {procs} processes have " +
				"touched all {shared} of shared memory.")
			if measured {
				seen = "Up to {worst} of page tables ({worstShare} of {total}) when {procs} processes have touched " +
					"all {shared} of shared memory; {now} now."
				pairs = append(pairs, "now", now)
			}
			c.That(check.Notice, do, say.M(seen, pairs...))
		}
	},
}
