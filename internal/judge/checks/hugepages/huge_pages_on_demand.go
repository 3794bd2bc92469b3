package hugepages

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// HugePagesOnDemand is a notice: it works as long as memory is not fragmented,
// which cannot be known for the next restart.
var HugePagesOnDemand = check.Check{
	ID:        "huge_pages_on_demand",
	Area:      check.HugePages,
	Severity:  check.Notice,
	Scope:     check.PerHost,
	DependsOn: []string{"huge_pages_short"}, // whose remedy is this one, with a number
	Title:     "Huge pages are allocated on demand, not reserved",
	Why: "With vm.nr_overcommit_hugepages the kernel allocates huge pages when the server requests them. After " +
		"weeks of uptime memory is fragmented, and a restart can find too few. With huge_pages = try the " +
		"server then falls back silently to regular pages, with on it does not start. The limit also lets any " +
		"program take that much unswappable memory.",
	Do: "1. Reserve the pages: write their number as vm.nr_hugepages into /etc/sysctl.d/60-postgresql.conf, " +
		"best also as hugepages= on the kernel command line.\n" +
		"2. Leave vm.nr_overcommit_hugepages at 0 or a small reserve.",
	Sources: []string{"linux-hugetlb", "pg-huge-pages"},
	Judge: func(c *check.Case) {
		pools, ok := check.Need(c, c.Snapshot.Host.HugePages)
		if !ok {
			return
		}
		for _, p := range pools {
			if used := p.Surplus; used > 0 && used > p.Total {
				c.Found(
					"Huge pages of {size}: {surplus} allocated on demand (surplus), {kept} reserved "+
						"(nr_overcommit_hugepages = {bound}).",
					"surplus", strconv.FormatInt(used, 10), "size", p.Size, "kept", strconv.FormatInt(p.Total, 10),
					"bound", strconv.FormatInt(p.Overcommit, 10))
			}
		}
	},
}
