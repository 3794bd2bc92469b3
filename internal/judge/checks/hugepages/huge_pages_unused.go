package hugepages

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

const (
	// strandedMuch and strandedTooMuch are percent of RAM in free huge pages that
	// are not reserved. 1% is more than any planned spare; 5% is the reserve that
	// pgfettle keeps for the kernel.
	strandedMuch    = 1
	strandedTooMuch = 5
)

// HugePagesUnused judges the present pool: pages that a server has mapped but
// not touched yet are reserved, and not counted.
var HugePagesUnused = check.Check{
	ID:        "huge_pages_unused",
	Area:      check.HugePages,
	Severity:  check.Notice,
	Scope:     check.PerHost,
	Title:     "Reserved huge pages are unused",
	DependsOn: []string{"huge_pages_short", "huge_pages_not_used", "huge_pages_refused", "sysv_shared_memory"},
	Why: "The huge page pool takes memory from everything else, whether its pages are used or not. Processes " +
		"and the page cache cannot use it, and it cannot be swapped. Unused pages remain when a server was " +
		"reduced or moved away, or when the pool was sized too generously.",
	Do: "Lower vm.nr_hugepages to release the unused pages, unless a stopped server needs them.",
	Commands: []check.Command{
		check.Conf("vm.nr_hugepages = {rest}"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"linux-hugetlb", "pg-huge-pages"},
	Judge: func(c *check.Case) {
		mem, ok := check.Need(c, c.Snapshot.Host.Memory)
		if !ok {
			return
		}
		pools, ok := check.Need(c, c.Snapshot.Host.HugePages)
		if !ok {
			return
		}
		for _, p := range pools {
			// Surplus pages are freed automatically; only those of nr_hugepages are stranded.
			idle := min(p.Free-p.Reserved, p.Total) - perhapsUsed(c, p.Size)
			size := unit.Bytes(max(idle, 0)) * p.Size
			if size == 0 || !check.AtLeast(size, strandedMuch, mem.Total) {
				continue
			}
			sev := check.Notice
			if check.AtLeast(size, strandedTooMuch, mem.Total) {
				sev = check.Warning
			}
			file := fmt.Sprintf("/sys/kernel/mm/hugepages/hugepages-%dkB/nr_hugepages", p.Size/unit.KB)
			do := say.Template("1. Check that no stopped server needs these pages.\n" +
				"2. Write {rest} to {file}. Pages in use now, which stay: {used}.")
			if p.Size == mem.HugePageSize {
				do = "1. Check that no stopped server needs these pages.\n" +
					"2. Write into /etc/sysctl.d/60-postgresql.conf: vm.nr_hugepages = {rest}\n" +
					"Pages in use now, which stay: {used}.\n" +
					"3. Run: sysctl --system"
			}
			c.FoundDo(sev, do,
				"Huge pages of {size}: {idle} of {total} are neither used nor reserved, {bytes} ({share} of RAM).",
				"idle", idle, "total", p.Total, "size", p.Size, "bytes", size, "share",
				check.PercentOf(size, mem.Total), "rest", fmt.Sprint(p.Total-idle), "file", file, "used", p.Total-idle)
		}
	},
}

// perhapsUsed is the huge pages of a size of those instances of which it is
// unknown whether they run on huge pages.
func perhapsUsed(c *check.Case, size unit.Bytes) (pages int64) {
	for i := range c.Snapshot.Instances {
		in := &c.Snapshot.Instances[i]
		if memory.OnHugePages(in).Known() {
			continue
		}
		if m, ok := c.AtPeak(in); ok && m.SharedPage == size {
			need, _ := memory.HugeNeedOf(in, size)
			pages += need.Pages
		}
	}
	return pages
}
