package hugepages

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// gigaWaste: a tenth of the shared memory for nothing is more than the page
// tables that such pages save over those of 2 MB.
const gigaWaste = 10

// HugePageSizeGigantic needs 15, which tells the size of the shared memory.
var HugePageSizeGigantic = check.Check{
	ID:       "huge_page_size_gigantic",
	Area:     check.HugePages,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "1 GB huge pages waste memory here",
	From:     15,
	Why: "Shared memory is rounded up to whole huge pages, so with 1 GB pages up to 1 GB is allocated and " +
		"never used. Such pages should be reserved at boot: later, 1 GB of contiguous memory is rarely free. " +
		"Their gain over 2 MB pages shows only with hundreds of gigabytes of shared_buffers.",
	Do: "1. Run: ALTER SYSTEM RESET huge_page_size;\n" +
		"2. Reserve 2 MB pages instead of the large ones (pgfettle plan computes their number).\n" +
		"3. Restart the server.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET huge_page_size;"),
	},
	Sources: []string{"pg-config-resource", "pg-huge-pages", "linux-hugetlb"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		page, ok := set.Bytes("huge_page_size")
		if !ok || page < unit.GB {
			return
		}
		need, ok := set.Bytes("shared_memory_size")
		if !ok {
			return
		}
		if waste := need.RoundUp(page) - need; check.AtLeast(waste, gigaWaste, need) {
			c.Found("huge_page_size = {page}: {need} of shared memory take {pages} pages, {waste} of them for nothing.",
				"page", page, "need", need, "pages", int64(need.RoundUp(page)/page), "waste", waste)
		}
	},
}
