package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var SharedBuffers = rule.Rule{
	Address: knob.PG("shared_buffers"),
	Title:   "Shared buffer cache",
	Why: "A page found in shared_buffers needs no system call and no copy. Memory for it is missing for sorts, " +
		"hashes and the page cache, which holds the same files. 25% of RAM suits most workloads; above 40% both " +
		"caches hold the same pages. On regular 4 kB pages each process needs page tables for what it touches " +
		"(1/512): 16 GB costs 32 MB per connection.",
	Formula: "25% of memory (of the cgroup limit if that is lower; desktop: 1/16) ÷ number of instances, rounded " +
		"down to 1/32 of the power of two below. Half of that share up to 1 GB of memory, and gradually more up to 2 " +
		"GB. It is lowered, to at least 15% of memory and 128 MB, if everything else would not fit with all " +
		"connections active. That is work_mem = 4 MB (or the present one, see pg:work_mem), maintenance and workers " +
		"(before rounding). Without huge pages and above 1 GB, the page tables of all processes are limited to 5% of " +
		"memory. It is not raised above what measurements show to be enough. One is the size of all databases " +
		"(--deep) + 25%, rounded up to a power of two. The other is the present value, if less than 0.1% of at least " +
		"1000 page requests per second missed over at least one day, or 10% of it was never used (pg_buffercache). " +
		"Measurements never lower it. A value of 20–40% of memory that was set explicitly stays while everything " +
		"else fits with all connections active.",
	Sources:   []string{"pg-config-resource", "pg-monitoring", "dalibo-j1", "linux-page-tables"},
	Needs:     sizing.After(sizing.SizedBefore, knob.PG("max_connections")),
	Risk:      knob.Low,
	Tolerance: sizing.BuffersNear,
	Decide: func(c *rule.Case) {
		b, ok := c.Basis()
		if !ok {
			return
		}
		conns, ok := c.Int(knob.PG("max_connections"))
		if !ok {
			return
		}
		f, ok := sizing.FitBuffers(c, b, conns)
		if !ok {
			return
		}
		if present, ok := sizing.KeptBuffers(c, b, f); ok && !rule.Near(c.Canonical(present), c.Canonical(f.Buffers),
			sizing.BuffersNear) {
			c.Keep(
				"{present} is 20–40% of {memory}, and everything else fits: {buffers} is not worth a restart",
				"present", present, "memory", sizing.SizeBase(c, b), "buffers", f.Buffers)
			return
		}
		percent := float64(int(1000*float64(f.Full)/float64(b.Part()))) / 10
		of := say.Template("{percent}% of {memory} RAM")
		if b.Limited {
			of = "{percent}% of {memory}"
		}
		share := []say.Message{say.M(of, "percent", percent, "memory", b.Part())}
		also := func(text say.Template, pairs ...any) { share = append(share, say.M(text, pairs...)) }
		if b.Total < 2*unit.GB {
			also("a smaller share than on larger hosts, because connections weigh more")
		}
		if b.Limited {
			also("the cgroup limit")
		}
		if b.Instances > 1 {
			also("an equal share of {total} for {instances}", "total", b.Total, "instances", say.N(b.Instances,
				"{n} instance", "{n} instances"))
		}
		if f.Outside {
			share = nil
			also("up to 40% of the host's {memory}, in huge pages that are not charged to the cgroup limit of {limit}",
				"limit", b.Total, "memory", b.Host.Part)
		}
		if c.Options.Shared {
			also("{others} reserved for other programs", "others", b.Others)
		}
		if f.Nominal < f.Full {
			also("but {full} is not needed: {why}", "full", f.Full, "why", f.Enough.Why)
		}
		var unseen, cut say.Message
		if dbs, _ := c.Instance.Server.Databases.Get(); len(dbs) > 0 && !f.Seen {
			unseen = say.M("run with --deep, or again after one day of statistics, to see whether less is enough")
		}
		open := connections(conns)
		switch f.Cut {
		case sizing.CutByMemory:
			cut = say.M("lowered from {nominal}: only this much, or the minimum for this memory, fits with "+
				"{connections} active, work_mem = {work} and maintenance", "nominal", f.Nominal,
				"connections", open, "work", f.Work)
		case sizing.CutByTables:
			cut = say.M("lowered from {nominal}: without huge pages ({why}), the page tables of {connections} would "+
				"exceed 5% of memory", "nominal", f.Nominal, "connections", open, "why",
				sizing.HugeRoom(c).Why)
		case sizing.CutByPool:
			cut = say.M("lowered from {nominal}: this much fits into the huge pages ({why})", "nominal", f.Nominal,
				"why",
				sizing.HugeRoom(c).Why)
		}
		c.SetAs(f.Buffers, say.All("; ", say.All(", ", share...), unseen, cut))
	},
}
