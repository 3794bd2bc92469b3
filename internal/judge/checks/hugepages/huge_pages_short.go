package hugepages

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// HugePagesShort compares the pool with what all instances on the host that
// request huge pages of that size need together. A running server keeps its
// pages when the pool is reduced (they become surplus and are freed when it
// stops), so with huge_pages = on the finding is about the next start: critical.
// Without any pool, huge_pages_not_used reports it.
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
		sev, what := check.Warning, say.M("The server falls back to regular pages.")
		switch {
		case mode == "on":
			sev, what = check.Critical, say.M("The next start will fail.")
		case using:
			what = say.M("The next start will fall back to regular pages.")
		}
		pages := strconv.FormatInt(need.Pages, 10)
		c.That(sev, say.All("\n", say.M(
			"1. Write into /etc/sysctl.d/60-postgresql.conf: vm.nr_hugepages = {need}\n"+
				"2. Stop the server.\n"+
				"3. Run: sysctl --system\n"+
				"4. Check that HugePages_Total in /proc/meminfo has reached it. If memory is fragmented, the kernel "+
				"allocates fewer pages without an error: then reboot.\n"+
				"5. Start the server.", "need", pages), estimated(need), c.PlannedPool(need.Pages)),
			say.N(need.Pages,
				"huge_pages = {mode}: {need} page of {size} needed by all instances; the pool has {total} (on demand: "+
					"{overcommit}). {what}",
				"huge_pages = {mode}: {need} pages of {size} needed by all instances; the pool has {total} (on "+
					"demand: {overcommit}). {what}",
				"mode", mode, "need", pages, "size", size, "total", pool.Total,
				"overcommit", pool.Overcommit, "what", what))
	},
}

// estimated says that a number of huge pages is not the server's own.
func estimated(need memory.HugeNeed) say.Message {
	if need.Exact() {
		return say.Message{}
	}
	return say.M("The number of pages is an estimate.")
}

// neededByAll adds up the huge pages of a size that all instances of the host
// would take at their next start. all is false if nothing is known of an
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
