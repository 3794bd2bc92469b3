package start

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// StartHugePages counts the pages that are free now, as other servers may use pages of
// the pool.
var StartHugePages = check.Check{
	ID:        "start_huge_pages",
	Area:      check.Startup,
	Severity:  check.Critical,
	Scope:     check.PerInstance,
	DependsOn: []string{"start_config_error"},
	Title:     "Too few huge pages for huge_pages = on",
	Why: "With huge_pages = on the server requests its whole shared memory in huge pages. It stops with " +
		"\"could not map anonymous shared memory\" if one page is missing. The pool (vm.nr_hugepages) is " +
		"empty after boot unless a file in /etc/sysctl.d or the kernel command line fills it. Fragmented " +
		"memory yields fewer pages than requested.",
	Do: "1. Write into /etc/sysctl.d/60-postgresql.conf: vm.nr_hugepages = PAGES\n" +
		"2. Run: sysctl --system\n" +
		"3. Check that HugePages_Total in /proc/meminfo has reached PAGES. If not, reboot.\n" +
		"4. Start the server.\n" +
		"Temporary workaround: huge_pages = try, with which the server starts on regular pages.",
	Commands: []check.Command{
		check.Shell("sysctl --system"),
	},
	Sources: []string{"pg-huge-pages", "linux-hugetlb"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		if mode, _ := set.Text("huge_pages"); mode != "on" {
			return
		}
		if kind, ok := set.Text("shared_memory_type"); ok && kind != "mmap" {
			c.FoundDo(check.Critical, "Set shared_memory_type = mmap, or huge_pages = try. Then start the server.",
				"huge_pages = on, shared_memory_type = {kind}: the server can use huge pages only with mmap.",
				"kind", kind)
			return
		}
		size, ok1 := check.Need(c, memory.HugePageSize(c.Snapshot, c.Instance))
		pools, ok2 := check.Need(c, c.Snapshot.Host.HugePages)
		if !ok1 || !ok2 {
			return
		}
		if size == 0 {
			c.FoundDo(check.Critical, "Set huge_pages = try. Then start the server.",
				"huge_pages = on; this kernel does not support huge pages.")
			return
		}
		need, ok := memory.HugeNeedOf(c.Instance, size)
		if !ok {
			_, _ = c.SharedMemoryAsked()
			return
		}
		p := memory.PoolOf(pools, size)
		free := freePages(pools, size)
		if free >= need.Least {
			return
		}
		seen := say.N(need.Pages,
			"huge_pages = on: the server requests {need} page of {size}; {free} of {total} in the pool are free.",
			"huge_pages = on: the server requests {need} pages of {size}; {free} of {total} in the pool are free.",
			"need", need.Pages, "size", size, "free", free, "total", p.Total)
		if !need.Exact() {
			seen = say.All(" ", seen, say.M("The number of pages is an estimate."))
		}
		c.That(check.Critical, say.M(c.Remedy()), seen)
	},
}

// freePages are those of a size that a server may take now, with those that the
// kernel would add for it.
func freePages(pools []host.Pool, size unit.Bytes) int64 {
	p := memory.PoolOf(pools, size)
	return max(p.Free-p.Reserved, 0) + max(p.Overcommit-p.Surplus, 0)
}
