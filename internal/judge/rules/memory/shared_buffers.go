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
	Title:   "the server's own cache of table and index pages",
	Why: "A page found in shared_buffers costs neither a system call nor a copy. Memory given to it is lost to " +
		"sorts, hashes and the kernel's cache, which holds the same files; " +
		"a quarter of the memory is where most loads do well, and above 40 % both caches hold the same pages twice. " +
		"On ordinary 4 kB pages every process needs page tables of its own for what it touches, a 512th of it: 16 " +
		"GB cost 32 MB in each of the connections.",
	Formula: "A quarter of the memory (of the control group's limit where that is less; desktop: a sixteenth), half " +
		"of that share up to 1 GB and in between up to 2 GB, " +
		"divided by the number of instances, rounded down to a 32nd of the power of two below. Less, down to 15 % " +
		"of the memory and at least 128 MB, where all connections at work with a work_mem of 4 MB (or with the " +
		"present one, see pg:work_mem), maintenance and workers (before they are rounded) would not fit beside it; " +
		"where huge pages cannot be had and it is above 1 GB, only as much as keeps the page tables of all " +
		"processes within 5 % of the memory. " +
		"Where evidence says that less is enough it is not raised beyond that: the size of all databases (--deep) " +
		"with a quarter on top, rounded up to a power of two; or what it has now, where in a day or more " +
		"less than one page in a thousand was missed at a thousand pages a second, or a tenth of it was never used " +
		"(pg_buffercache). It is never lowered on such evidence. A present value that somebody has chosen stays " +
		"from 20 up to 40 % of the memory while all the rest, with all connections at work, fits beside it.",
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
				"{present} is within 20 to 40 % of {memory}, and the rest fits beside it: {buffers} is not worth a "+
					"restart",
				"present", present, "memory", sizing.SizeBase(c, b), "buffers", f.Buffers)
			return
		}
		percent := float64(int(1000*float64(f.Full)/float64(b.Part()))) / 10
		share := []say.Message{say.M("{percent} % of {memory}", "percent", percent, "memory", b.Part())}
		also := func(text say.Template, pairs ...any) { share = append(share, say.M(text, pairs...)) }
		if b.Total < 2*unit.GB {
			also("a smaller share than on a larger machine, as connections weigh more")
		}
		if b.Limited {
			also("the limit of the control group")
		}
		if b.Instances > 1 {
			also("its part of {total} for {instances} instances", "total", b.Total, "instances", b.Instances)
		}
		if f.Outside {
			share = nil
			also("in huge pages, which are not charged to the {limit} of the control group, it may be up to 40 % "+
				"of the host's {memory}", "limit", b.Total, "memory", b.Host.Part)
		}
		if c.Options.Shared {
			also("as other programs are left {others}", "others", b.Others)
		}
		if f.Nominal < f.Full {
			also("would be {full}, but {why}", "full", f.Full, "why", f.Enough.Why)
		}
		var unseen, cut say.Message
		if dbs, _ := c.Instance.Server.Databases.Get(); len(dbs) > 0 && !f.Seen {
			unseen = say.M("the sizes of the databases (--deep), or a day of counting, would tell whether less is " +
				"enough")
		}
		open := say.N(conns, "{n} connection", "{n} connections")
		switch f.Cut {
		case sizing.CutByMemory:
			cut = say.M("it would be {nominal}; beside {connections} at work with a work_mem of {work} and the "+
				"maintenance only this much of it fits, or it is the least for this memory", "nominal", f.Nominal,
				"connections", open, "work", f.Work)
		case sizing.CutByTables:
			cut = say.M("it would be {nominal}; without huge pages ({why}) the page tables of {connections} would "+
				"take more than 5 % of the memory beyond this", "nominal", f.Nominal, "connections", open, "why",
				sizing.HugeRoom(c).Why)
		case sizing.CutByPool:
			cut = say.M("it would be {nominal}; this much fits the huge pages ({why})", "nominal", f.Nominal, "why",
				sizing.HugeRoom(c).Why)
		}
		c.SetAs(f.Buffers, say.All("; ", say.All(", ", share...), unseen, cut))
	},
}
