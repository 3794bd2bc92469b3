package hugepages

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// gigaWaste, in percent of shared memory: more than 1 GB pages save in page tables
// compared with 2 MB pages.
const gigaWaste = 10

// HugePageSizeGigantic needs 15 or later, which reports shared_memory_size.
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
			pages := int64(need.RoundUp(page) / page)
			c.That(check.Notice, say.M(c.Remedy()), say.N(pages,
				"huge_page_size = {page}: shared memory of {need} takes {pages} page, of which {waste} is unused.",
				"huge_page_size = {page}: shared memory of {need} takes {pages} pages, of which {waste} is unused.",
				"page", page.GUC(), "need", need, "pages", pages, "waste", waste))
		}
	},
}
