package memory

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// poolSlack is the share of unused pages that is not worth taking back.
const poolSlack = 0.02

// From a third of the memory or 64 GB on a pool is better reserved at boot: the kernel has to move or drop whatever is
// in the way of each page, which takes long, and on a host that has been up for a while it often ends with fewer. The
// usual quarter of the memory for shared_buffers stays below, with its overhead.
const (
	poolLargeShare = 3
	poolLarge      = 64 * unit.GB
)

var NrHugepages = rule.Rule{
	Address: knob.Sysctl("vm.nr_hugepages"),
	Title:   "Size of the huge page pool",
	Why: "Shared memory in huge pages needs almost no page tables. 16 GB on 4 kB pages costs 32 MB of page tables " +
		"per connection. If one page is missing, the server does not start, or runs on regular pages while the whole " +
		"pool is unused. Pages that no server uses are lost to everything else.",
	Formula: "The sum over all instances of the huge pages that their planned shared memory needs, rounded up, plus " +
		"the pages that other programs use now. The server or its binary reports that number " +
		"(shared_memory_size_in_huge_pages). A pool up to 2% larger stays, and an unused pool is released. On a " +
		"desktop the pool never grows, unless huge_pages is pinned to on.",
	Sources: []string{"pg-huge-pages", "linux-hugetlb", "pgfettle-measured"},
	Needs:   sizing.SharedKnobs(),
	Effect:  knob.Now,
	Risk:    knob.Medium,
	Unit:    "pages",
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		m, ok := rule.Need(c, c.Snapshot.Host.Memory)
		if !ok || m.HugePageSize == 0 {
			return
		}
		d := sizing.HugeDemand(c, m)
		have, ok := c.Sysctl()
		if !ok {
			return
		}
		want := d.Sum()
		if !d.Whole && want < have {
			c.Keep("the pool stays, because the demand of some instances is unknown")
			return
		}
		if c.Desktop() && want > have && c.Options.Pins["pg:huge_pages"] != "on" {
			c.Keep("on a desktop, no more memory is reserved in huge pages")
			return
		}
		size := unit.Bytes(want) * m.HugePageSize
		b, ok := c.Basis()
		if !ok {
			return
		}
		if most := b.Total - b.Reserve; size > most {
			c.Warn(
				"A pool of {want} of {page} ({size}) does not fit into memory: {reserve} of {memory} is reserved for "+
					"the kernel. The pool is not changed.",
				"want", hugePages(want), "page", m.HugePageSize, "size", size, "reserve", b.Reserve, "memory", b.Total)
			return
		}
		reason := say.M("{pages} of {page} for the shared memory of {instances} ({shared})", "pages",
			hugePages(d.Pages), "page", m.HugePageSize, "instances", say.N(d.Instances,
				"{n} instance", "{n} instances"), "shared",
			unit.Bytes(d.Pages)*m.HugePageSize)
		switch {
		case d.Instances == 0 && d.Foreign == 0 && have == 0 && c.Desktop():
			c.Keep("on a desktop, no memory is reserved in huge pages")
			return
		case d.Instances == 0 && d.Foreign == 0 && have == 0:
			c.Keep(
				"no instance should use huge pages: none has shared_buffers of at least 1 GB, or 200 MB of page " +
					"tables, that fits, or huge pages are unavailable")
			return
		case d.Instances == 0:
			reason = say.M("no instance should use huge pages")
		case d.Instances == 1:
			reason = say.M("{pages} of {page} for the shared memory of the instance ({shared})", "pages",
				hugePages(d.Pages), "page", m.HugePageSize, "shared",
				unit.Bytes(d.Pages)*m.HugePageSize)
		}
		if d.Beside > 0 {
			reason = say.All("; ", reason, say.M("for the other instances on the host, which this plan does not "+
				"change: {beside}", "beside", d.Beside))
		}
		if n := d.Foreign - d.Beside; n > 0 {
			reason = say.All("; ", reason, say.M("used by other programs now: {foreign}", "foreign", n))
		}
		switch {
		case have >= want && float64(have-want) <= poolSlack*float64(want):
			c.KeepAs(say.All("; ", reason, say.M("a pool of {present} is enough", "present", have)))
		case have > want:
			c.SetAs(want, say.All("; ", reason, say.M("{spare} ({memory}) can be released", "spare",
				hugePages(have-want), "memory", unit.Bytes(have-want)*m.HugePageSize)))
		case m.Told("MemAvailable").Known() && unit.Bytes(want-have)*m.HugePageSize > m.Available:
			c.SetAs(want, say.All(". ", reason, say.M("Only {available} is available now: reserve them at boot, with "+
				"hugepages={want} on the kernel command line", "available", m.Available, "want", bare(want))))
			c.After(knob.Reboot)
		default:
			c.SetAs(want, say.All(". ", reason, say.M("If memory is fragmented, the kernel allocates fewer without "+
				"an error: read the value back")))
		}
	},
}

// bare writes a number as a command line takes it, without the commas that
// people get.
func bare(n int64) string { return strconv.FormatInt(n, 10) }
