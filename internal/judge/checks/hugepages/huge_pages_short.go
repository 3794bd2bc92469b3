package hugepages

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// HugePagesShort compares the pool with what all instances on the host that
// ask for huge pages of that size need together. A running server keeps the
// pages it has when the pool is lowered (they become surplus and vanish when it
// stops), so with huge_pages = on the finding is about the next start: critical.
// A pool that does not exist is huge_pages_not_used.
var HugePagesShort = check.Check{
	ID:        "huge_pages_short",
	Area:      check.HugePages,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "Huge page pool is too small",
	DependsOn: []string{"huge_pages_refused", "start_huge_pages"},
	Why: "The server takes its whole shared memory from the huge page pool or nothing. If the pool is one page " +
		"short, a server with huge_pages = on does not start. With try it starts on regular pages without a " +
		"log message, and no other program can use the memory of the idle pool.",
	Do: "1. Raise vm.nr_hugepages to the number of pages that the server requests.\n" +
		"2. Restart the server.",
	Commands: []check.Command{
		check.Conf("vm.nr_hugepages = {need}"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"pg-huge-pages", "linux-hugetlb", "pgfettle-measured"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		mode, _ := set.Text("huge_pages")
		if mode != "on" && mode != "try" {
			return
		}
		size, ok := check.Need(c, memory.HugePageSize(c.Snapshot, c.Instance))
		if !ok || size == 0 {
			return
		}
		pools, ok := check.Need(c, c.Snapshot.Host.HugePages)
		if !ok {
			return
		}
		pool := memory.PoolOf(pools, size)
		there := pool.Total + pool.Overcommit
		need, all := neededByAll(c.Snapshot, size)
		if there >= need.Least || !all && there == 0 {
			return
		}
		using, _ := memory.OnHugePages(c.Instance).Get()
		if mode == "try" && there == 0 && !using {
			return
		}
		sev, what := check.Warning, say.M("the server runs on ordinary pages")
		switch {
		case mode == "on":
			sev, what = check.Critical, say.M("the next start will fail")
		case using:
			what = say.M("the next start will fall back to ordinary pages")
		}
		pages := check.PagesText(need.Pages, need.Exact())
		c.That(sev, say.All(" ", say.M(
			"Write vm.nr_hugepages = {need} into /etc/sysctl.d/60-postgresql.conf, stop the server, run sysctl "+
				"--system, see in /proc/meminfo that HugePages_Total reached it (the kernel gives "+
				"fewer without an error when memory is fragmented: then reboot), and start the server.", "need", pages),
			c.PlannedPool(need.Pages)), say.M("huge_pages = {mode}; {need} pages of {size} are needed, the pool has "+
			"{total} (and may grow by {overcommit}): {what}.",
			"mode", mode, "need", pages, "size", size, "total", pool.Total,
			"overcommit", pool.Overcommit, "what", what))
	},
}

// neededByAll adds up the huge pages of a size that all instances of the host
// would take at their next start. all is false where nothing is known of an
// instance.
func neededByAll(s *snapshot.Snapshot, size unit.Bytes) (sum memory.HugeNeed, all bool) {
	all = true
	for i := range s.Instances {
		in := &s.Instances[i]
		set, ok := in.Server.Settings.Get()
		if !ok {
			all = false
			continue
		}
		if mode, _ := set.Text("huge_pages"); mode != "on" && mode != "try" {
			continue
		}
		if own, ok := memory.HugePageSize(s, in).Get(); !ok || own != size {
			continue
		}
		n, ok := memory.HugeNeedOf(in, size)
		all = all && ok
		sum.Pages += n.Pages
		sum.Least += n.Least
	}
	return sum, all
}
