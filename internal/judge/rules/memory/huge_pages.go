package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var HugePages = rule.Rule{
	Address: knob.PG("huge_pages"),
	Title:   "whether the shared memory lies in huge pages",
	Why: "On ordinary pages each process needs page tables for all of the shared memory that it touches, a 512th of " +
		"it, and the processor looks addresses up far more often. " +
		"With try a server that does not get its huge pages says nothing and runs on ordinary ones; with on it does " +
		"not start.",
	Formula: "on where shared_buffers is 1 GB or more, or the page tables of all connections for it would take 200 " +
		"MB, and the planned pool has a page for every instance and every other user of it; try where that is not " +
		"certain (the pool belongs to the host of a container, cannot be had before a reboot, or an unknown library " +
		"asks for shared memory too), and where it is try already and the pool is there. " +
		"Never on on a desktop, whose pool is not planned.",
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
				"with on the server would not start where it does not get its huge pages, and on a desktop none are "+
					"reserved for it")
			return
		}
		room := sizing.HugeRoom(c)
		if !sizing.WantsHuge(c) {
			sb, _ := c.Bytes(knob.PG("shared_buffers"))
			conns, _ := c.Int(knob.PG("max_connections"))
			why := room.Why
			if why.IsZero() {
				why = say.M("the planned shared memory does not fit the memory beside what is kept for the kernel")
			}
			switch {
			case room.Most > 0 && !sizing.HugePays(c, sb, conns):
				c.Keep("shared_buffers is below 1 GB, and the page tables of {connections} for it are small",
					"connections", say.N(conns, "{n} connection", "{n} connections"))
			case present == "on":
				c.Set("try", "{why}: with on the server would not start", "why", why)
			default:
				c.Keep("{why}", "why", why)
			}
			return
		}
		if !room.Pool {
			if present == "off" {
				c.Set("try", "the shared memory fits the huge pages that can be had ({why})", "why", room.Why)
				return
			}
			c.Keep("the shared memory fits the huge pages that can be had ({why})", "why", room.Why)
			return
		}
		pool := c.Outcome.Of("", knob.Sysctl("vm.nr_hugepages"))
		if pool == nil {
			atLeastTry(c, present, "the pool of huge pages could not be decided")
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
			atLeastTry(c, present, "the pool of {pool} pages is not certain to hold the {pages} pages that are needed",
				"pool", int64(planned), "pages", d.Sum())
		case pool.Effect == knob.Reboot && int64(have) < d.Sum():
			atLeastTry(c, present, "the pool of {pool} pages cannot be had before a reboot", "pool", int64(planned))
		case !d.Exact:
			atLeastTry(c, present,
				"the pool of {pool} pages rests on an estimate, and {libraries} may ask for shared memory too", "pool",
				int64(planned), "libraries", sizing.Listed(sizing.Preloaded(c)))
		case present == "try" && int64(have) >= d.Sum():
			c.Keep("the pool of {pool} pages holds the {pages} pages that are needed", "pool", int64(planned),
				"pages", d.Sum())
		case present == "off":
			c.Set("on",
				"the pool of {pool} pages holds the {pages} pages that are needed; with off they lie idle, and with "+
					"on a server that does not get them says so", "pool", int64(planned), "pages", d.Sum())
		default:
			c.Set("on",
				"the pool of {pool} pages holds the {pages} pages that are needed; with try a server that does not "+
					"get them runs on ordinary pages and says nothing", "pool", int64(planned), "pages", d.Sum())
		}
	},
}

// atLeastTry decides for try, and keeps it where it is.
func atLeastTry(c *rule.Case, present string, text say.Template, pairs ...any) {
	if present == "try" {
		c.Keep(text, pairs...)
		return
	}
	c.Set("try", text, pairs...)
}
