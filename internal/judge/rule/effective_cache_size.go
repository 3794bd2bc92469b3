package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// cacheShare is the share of the memory that usually holds file pages, in
// shared_buffers or in the kernel's cache: half to three quarters.
const cacheShare = 0.75

var effectiveCacheSize = Rule{
	Address: knob.PG("effective_cache_size"),
	Title:   "how much cache the planner believes a query can use",
	Why: "It allocates nothing. The higher it is, the cheaper repeated reads of an index look; too low, and the planner reads whole tables that are in memory anyway. " +
		"It counts shared_buffers and the kernel's file cache together.",
	Formula: "Three quarters of the instance's part of the memory without what other programs hold, but no more than is left beside the private memory and page tables of all connections and the maintenance, " +
		"and never less than shared_buffers.",
	Sources:   []string{"pg-config-query", "dalibo-j1"},
	Needs:     after(sizedBefore, knob.PG("max_connections"), knob.PG("shared_buffers")),
	Tolerance: 0.15,
	Decide: func(c *Case) {
		b, ok := c.Basis()
		if !ok {
			return
		}
		sb, ok := c.Bytes(knob.PG("shared_buffers"))
		if !ok {
			return
		}
		conns, ok := c.Int(knob.PG("max_connections"))
		if !ok {
			return
		}
		free := max(b.Total-b.Others, 0) / unit.Bytes(b.Instances)
		want := free.Scale(cacheShare)
		text, pairs := "three quarters of the {memory} that other programs leave", []any{"memory", free}
		if parts, _, ok := c.beside(b, conns); ok {
			private := parts.PageTables + parts.Backends + parts.Maintenance
			if left := b.Share() - private; left < want {
				want = left
				text = "of the {share} that the instance may have {left} is left beside {private} of private memory for {connections} and maintenance"
				pairs = []any{"left", max(left, 0), "share", b.Share(), "private", private, "connections", count{conns, "connection"}}
			}
		}
		if want < sb {
			c.Set(sb, text+"; shared_buffers, {buffers}, is more", append(pairs, "buffers", sb)...)
			return
		}
		c.Set(max(roundDown(want, 16, unit.MB), sb), text, pairs...)
	},
}
