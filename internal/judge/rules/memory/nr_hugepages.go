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

// From a third of the memory or 64 GB on a pool is better reserved at boot: the
// kernel has to move or drop whatever lies in the way of each page, which takes
// long, and on a host that has been up for a while it often ends with fewer. The
// usual quarter of the memory for shared_buffers stays below, with its overhead.
const (
	poolLargeShare = 3
	poolLarge      = 64 * unit.GB
)

var NrHugepages = rule.Rule{
	Address: knob.Sysctl("vm.nr_hugepages"),
	Title:   "how many huge pages the kernel keeps in its pool",
	Why: "Shared memory in huge pages costs next to no page tables: 16 GB on 4 kB pages cost 32 MB in each of the " +
		"connections. One page too few, and the server does not start, or runs on " +
		"ordinary pages without a word while the whole pool lies idle; a page too many is lost to everything else.",
	Formula: "The sum over the instances of what the server or its installed binary says that the planned shared " +
		"memory needs (shared_memory_size_in_huge_pages), rounded up, " +
		"and the pages that other programs use now. A pool that is up to 2 % larger stays; a pool that nobody needs " +
		"is given back. On a desktop the pool is never made larger, unless huge_pages is pinned to on.",
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
			c.Keep("the pool stays, as not every instance could be asked what it needs")
			return
		}
		if c.Desktop() && want > have && c.Options.Pins["pg:huge_pages"] != "on" {
			c.Keep("a desktop's memory is for other programs too: no more of it is reserved in huge pages")
			return
		}
		size := unit.Bytes(want) * m.HugePageSize
		b, ok := c.Basis()
		if !ok {
			return
		}
		if most := b.Total - b.Reserve; size > most {
			c.Warn(
				"{want} huge pages of {page} ({size}) do not fit the memory, of which {reserve} of {memory} are "+
					"kept for the kernel: the pool is left as it is.",
				"want", want, "page", m.HugePageSize, "size", size, "reserve", b.Reserve, "memory", b.Total)
			return
		}
		reason := say.M("{pages} of {page} hold the shared memory of {instances} instances ({shared})", "pages",
			say.N(d.Pages, "{n} page", "{n} pages"), "page", m.HugePageSize, "instances", d.Instances, "shared",
			unit.Bytes(d.Pages)*m.HugePageSize)
		switch {
		case d.Instances == 0 && d.Foreign == 0 && have == 0 && c.Desktop():
			c.Keep("a desktop's memory is for other programs too: none of it is reserved in huge pages")
			return
		case d.Instances == 0 && d.Foreign == 0 && have == 0:
			c.Keep(
				"no instance should run on huge pages: none has shared_buffers of 1 GB or more, or page tables of " +
					"200 MB for less, that fits, or none can get them")
			return
		case d.Instances == 0:
			reason = say.M("no instance should run on huge pages")
		case d.Instances == 1:
			reason = say.M("{pages} of {page} hold the shared memory of the instance ({shared})", "pages",
				say.N(d.Pages, "{n} page", "{n} pages"), "page", m.HugePageSize, "shared",
				unit.Bytes(d.Pages)*m.HugePageSize)
		}
		if d.Beside > 0 {
			reason = say.All("; ", reason, say.M("{beside} are for the other instances of the host, which this plan "+
				"does not change", "beside", d.Beside))
		}
		if n := d.Foreign - d.Beside; n > 0 {
			reason = say.All("; ", reason, say.M("other programs use {foreign} now", "foreign", n))
		}
		switch {
		case have >= want && float64(have-want) <= poolSlack*float64(want):
			c.KeepAs(say.All(": ", reason, say.M("the pool of {present} is enough", "present", have)))
		case have > want:
			c.SetAs(want, say.All(": ", reason, say.M("{spare} ({memory}) can be given back", "spare",
				say.N(have-want, "{n} page", "{n} pages"), "memory", unit.Bytes(have-want)*m.HugePageSize)))
		case m.Told("MemAvailable").Known() && unit.Bytes(want-have)*m.HugePageSize > m.Available:
			c.SetAs(want, say.All(". ", reason, say.M("Only {available} are available now: reserve them at boot, with "+
				"hugepages={want} on the kernel's command line", "available", m.Available, "want", bare(want))))
			c.After(knob.Reboot)
		default:
			c.SetAs(want, say.All(". ", reason, say.M("The kernel may silently give fewer where memory is "+
				"fragmented: read it back")))
		}
	},
}

// bare writes a number as a command line takes it, without the commas that
// people get.
func bare(n int64) string { return strconv.FormatInt(n, 10) }
