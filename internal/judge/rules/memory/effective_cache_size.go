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
	Title:   "how much cache the planner believes a query can use",
	Why: "It allocates nothing. The higher it is, the cheaper repeated reads of an index look; too low, and the " +
		"planner reads whole tables that are in memory anyway. " +
		"It counts shared_buffers and the kernel's file cache together.",
	Formula: "Three quarters of what other programs leave of the memory (of the control group's limit where that is " +
		"less), half of it below 4 GB, divided by the number of instances; " +
		"never less than shared_buffers, and never more than all that is left.",
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
		share, part := cacheShare, say.M("three quarters")
		if b.Total < cacheSmall {
			share, part = cacheShareSmall, say.M("on so small a machine half")
		}
		of := say.Template("{part} of the {memory} that other programs leave")
		switch {
		case b.Limited && b.Others == 0:
			of = "{part} of the {memory} that the control group allows"
		case b.Limited:
			of = "{part} of the {memory} that other programs leave of the control group's limit"
		}
		reason := say.M(of, "part", part, "memory", free)
		if b.Instances > 1 {
			reason = say.All(" ", reason, say.M("to each of {instances} instances", "instances", b.Instances))
		}
		want := sizing.RoundDown(free.Scale(share), 16, unit.MB)
		more := say.Message{}
		if want < sb {
			want, more = sb, say.M("shared_buffers, {buffers}, is more", "buffers", sb)
		}
		if want > free && !(sizing.OutsideLimit(c, b) && rule.OnHugePages(c.Instance)) {
			want, more = free, say.M("shared_buffers, {buffers}, is more than all of it", "buffers", sb)
		}
		var others say.Message
		if o := rule.OthersOf(c.Snapshot, c.Outcome); !b.Limited && !c.Options.Shared &&
			o.Source != memory.OthersDescribed {
			others = rule.OthersReason(o)
		}
		c.SetAs(want, say.All("; ", reason, more, others))
	},
}
