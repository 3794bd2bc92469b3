package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var HugePages = rule.Rule{
	Address: knob.PG("huge_pages"),
	Title:   "Huge pages for the main shared memory",
	Why: "On regular 4 kB pages, each process needs page tables for all shared memory that it touches (1/512 of its " +
		"size), and TLB misses are more frequent. With try, a server that gets no huge pages silently runs on " +
		"regular pages. With on, it does not start.",
	Formula: "on if shared_buffers is at least 1 GB, or the page tables of all connections would take 200 MB, and " +
		"the planned pool suffices for all instances and other users of huge pages. try if that is uncertain: the " +
		"pool belongs to the host of a container, is not available before a reboot, or an unknown library also " +
		"requests shared memory. try also stays if the pool is in place. On a desktop never on, because no pool is " +
		"planned there.",
	Sources: []string{"pg-config-resource", "pg-huge-pages"},
	Needs:   []knob.Address{knob.PG("shared_buffers"), knob.PG("max_connections"), knob.Sysctl("vm.nr_hugepages")},
	Risk:    knob.Medium,
	Finally: warnOfTables,
	Decide: func(c *rule.Case) {
		m, ok := c.Snapshot.Host.Memory.Get()
		present, _ := c.Text(knob.PG("huge_pages"))
		if !ok || !c.Snapshot.HostSeen {
			return
		}
		if present == "on" && c.Desktop() {
			c.Set("try",
				"with on, the server does not start without huge pages, and on a desktop no pool is reserved")
			return
		}
		room := sizing.HugeRoom(c)
		if !sizing.WantsHuge(c) {
			sb, _ := c.Bytes(knob.PG("shared_buffers"))
			conns, _ := c.Int(knob.PG("max_connections"))
			why := room.Why
			if why.IsZero() {
				why = say.M("the planned shared memory and the memory reserved for the kernel exceed the total")
			}
			switch {
			case room.Most > 0 && !sizing.HugePays(c, sb, conns):
				c.Keep("shared_buffers is below 1 GB, and the page tables of {connections} for it are small",
					"connections", connections(conns))
			case present == "on":
				c.Set("try", "{why}; with on, the server would not start", "why", why)
			default:
				c.Keep("{why}", "why", why)
			}
			return
		}
		if !room.Pool {
			if present == "off" {
				c.Set("try", "the shared memory fits into the available huge pages ({why})", "why", room.Why)
				return
			}
			c.Keep("the shared memory fits into the available huge pages ({why})", "why", room.Why)
			return
		}
		pool := c.Outcome.Of("", knob.Sysctl("vm.nr_hugepages"))
		if pool == nil {
			atLeastTry(c, present, "the huge page pool could not be planned")
			return
		}
		var have, planned float64
		if now, ok := pool.Present.Get(); ok { // a pool that cannot be seen is not changed
			have, _ = sizing.Number(now)
			planned, _ = sizing.Number(pool.Effective)
		}
		d := sizing.HugeDemand(c, m)
		switch covered := d.Whole && int64(planned) >= d.Sum(); {
		case !covered:
			atLeastTry(c, present, "a pool of {pool} may not suffice for the demand of {pages}",
				"pool", hugePages(int64(planned)), "pages", hugePages(d.Sum()))
		case pool.Effect == knob.Reboot && int64(have) < d.Sum():
			atLeastTry(c, present, "a pool of {pool} is not available before a reboot", "pool",
				hugePages(int64(planned)))
		case !d.Exact:
			atLeastTry(c, present,
				"the pool of {pool} is an estimate, and {libraries} may request shared memory too", "pool",
				hugePages(int64(planned)), "libraries", sizing.Listed(sizing.Preloaded(c)))
		case present == "try" && int64(have) >= d.Sum():
			c.Keep("a pool of {pool} suffices for the demand of {pages}", "pool", hugePages(int64(planned)),
				"pages", hugePages(d.Sum()))
		case present == "off":
			c.Set("on",
				"a pool of {pool} suffices for the demand of {pages}; with off it stays unused, and with on a "+
					"missing page is reported at startup", "pool", hugePages(int64(planned)), "pages",
				hugePages(d.Sum()))
		default:
			c.Set("on",
				"a pool of {pool} suffices for the demand of {pages}; with try, a server that gets none silently "+
					"runs on regular pages", "pool", hugePages(int64(planned)), "pages", hugePages(d.Sum()))
		}
	},
}

// atLeastTry decides for try, and keeps it if it is set.
func atLeastTry(c *rule.Case, present string, text say.Template, pairs ...any) {
	if present == "try" {
		c.Keep(text, pairs...)
		return
	}
	c.Set("try", text, pairs...)
}

// hugePages is so many pages of a pool.
func hugePages(n int64) say.Message { return say.N(n, "{n} page", "{n} pages") }
