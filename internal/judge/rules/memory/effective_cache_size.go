package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

const (
	// cacheShare is the share of the memory that usually holds file pages, in
	// shared_buffers or in the kernel's cache: half to three quarters. It is a
	// guess of what is likely cached, not of the worst case, in which all
	// connections work at once: that one the budget is for.
	cacheShare = 0.75
	// cacheShareSmall: below 4 GB connections and daemons take a larger part.
	cacheShareSmall = 0.5
	cacheSmall      = 4 * unit.GB
)

var EffectiveCacheSize = rule.Rule{
	Address: knob.PG("effective_cache_size"),
	Title:   "Planner estimate of available cache",
	Why: "It allocates no memory. A higher value makes repeated index reads look cheaper. If it is too low, the " +
		"planner chooses sequential scans although the data is in memory. It includes shared_buffers and the page " +
		"cache.",
	Formula: "75% of the memory that other programs leave (of the cgroup limit if that is lower), 50% below 4 GB, " +
		"÷ number of instances. At least shared_buffers, and never more than all of that memory.",
	Sources:   []string{"pg-config-query", "dalibo-j1"},
	Needs:     []knob.Address{knob.PG("shared_buffers")},
	Tolerance: 0.15,
	Decide: func(c *rule.Case) {
		b, ok := c.Basis()
		if !ok {
			return
		}
		sb, ok := c.Bytes(knob.PG("shared_buffers"))
		if !ok {
			return
		}
		free := max(b.Total-b.Others, 0) / unit.Bytes(b.Instances)
		share := cacheShare
		if b.Total < cacheSmall {
			share = cacheShareSmall
		}
		of := say.Template("{part}% of {memory}, what other programs leave")
		if b.Bound > 0 && b.Part() < free {
			free = b.Part()
		}
		switch {
		case b.Bound > 0 && free == b.Part():
			of = "{part}% of {memory}, what the instance may have"
		case b.Limited && b.Others == 0:
			of = "{part}% of the cgroup limit of {memory}"
		case b.Limited:
			of = "{part}% of {memory}, what other programs leave of the cgroup limit"
		}
		reason := say.M(of, "part", int(100*share), "memory", free)
		if b.Instances > 1 {
			reason = say.All(", ", reason, say.M("an equal share for each of {instances}", "instances",
				say.N(b.Instances, "{n} instance", "{n} instances")))
		}
		want := sizing.RoundDown(free.Scale(share), 16, unit.MB)
		more := say.Message{}
		if want < sb {
			want, more = sb, say.M("raised to shared_buffers = {buffers}", "buffers", sb)
		}
		if want > free && !(sizing.OutsideLimit(c, b) && rule.OnHugePages(c.Instance)) {
			want, more = free, say.M("all of it, because shared_buffers = {buffers} is more", "buffers", sb)
		}
		var others say.Message
		if o := rule.OthersOf(c.Snapshot, c.Outcome); !b.Limited && !c.Options.Shared &&
			o.Source != memory.OthersDescribed {
			others = rule.OthersReason(o)
		}
		c.SetAs(want, say.All("; ", reason, more, others))
	},
}
