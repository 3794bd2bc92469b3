package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// reckonAtWork computes how many active connections fit with everything as decided, and warns if not all do.
func reckonAtWork(c *rule.Case) {
	s, in, opt, o := c.Snapshot, c.Instance, c.Options, c.Outcome
	if !s.HostSeen || !in.Server.Settings.Known() || !in.Server.Version.Known() {
		return
	}
	unknown := o.Unknown
	defer func() { o.Unknown = unknown }() // the rules have noted them
	b, ok1 := c.Basis()
	conns, ok2 := c.Int(knob.PG("max_connections"))
	work, ok3 := c.Bytes(knob.PG("work_mem"))
	m, ok4 := sizing.PlannedMemory(o, s, in, opt)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return
	}
	room, ok := sizing.Surviving(c, b, conns)
	if !ok {
		return
	}
	a := sizing.AtWork{Planned: work, Open: m.After.Connections, Share: b.Share()}
	a.WorkMem, _ = wantedWork(c, b, room)
	a.Buffers, _ = c.Bytes(knob.PG("shared_buffers"))
	if d := o.Of(in.Key, knob.PG("work_mem")); d != nil {
		a.Pinned = d.Pinned
	}
	commit, _ := sizing.CommitRoom(c, b)
	i := m.After
	if exact, ok := sizing.Demanded(c, conns); ok {
		i.Active = int(exact)
	}
	fits := func(i memory.Instance) bool {
		return room.Binding.Charged(i.Parts(), i.SharedPage).Sum() <= b.Share() &&
			(commit == 0 || i.Commits(true) <= commit)
	}
	a.Fit = c.Prior().ConnectionsThatFit(i, fits)
	a.FitBest = a.Fit
	if a.WorkMem < work {
		i.WorkMem = a.WorkMem
		a.FitBest = c.Prior().ConnectionsThatFit(i, fits)
	}
	each := memory.BackendBase + memory.PageTables(i.Shared, i.SharedPage) + memory.ProcessPageTables
	a.Saved = unit.Bytes(a.Open-a.Fit) * each
	rule.Note(o, in.Key, a)
	if a.Fit >= a.Open {
		return
	}
	text := say.Template("Memory suffices for only {fit} of {open} if all are active with a query of the {profile} " +
		"profile and work_mem = {work}; everything else fills the budget of {share}. A connection pooler (PgBouncer) " +
		"with no more server connections than that saves {saved} of private memory and page tables.")
	if a.Fit == 0 {
		text = "Memory suffices for none of {open} with a query of the {profile} profile and work_mem = {work}, " +
			"because everything else fills the budget of {share}. Use a connection pooler (PgBouncer) with few " +
			"server connections, or add memory."
	}
	c.Warn(text, "open", connections(a.Open), "fit", a.Fit, "profile", string(c.Options.Profile), "work", work.GUC(),
		"share",
		b.Share(), "saved", a.Saved)
}

// warnOfTables says that page tables stay large: if huge pages are unavailable, or if so many processes have large ones
// even with them.
func warnOfTables(c *rule.Case) {
	if !c.Snapshot.HostSeen {
		return
	}
	unknown := c.Outcome.Unknown
	defer func() { c.Outcome.Unknown = unknown }() // the rules have noted them
	m, ok := sizing.PlannedMemory(c.Outcome, c.Snapshot, c.Instance, c.Options)
	if !ok {
		return
	}
	i := m.After
	limit, _ := c.Snapshot.MemoryLimit(c.Instance)
	total, ok := limit.Get()
	tables := i.Parts().PageTables
	if c.Outcome.Of(c.Instance.Key, knob.PG("huge_pages")) == nil { // the page size was not requested
		return
	}
	if !ok || tables < total.Scale(limits.TablesTooMuch/100.0) {
		return
	}
	pairs := []any{"tables", tables, "total", total, "processes",
		say.N(i.Connections+i.Processes, "{n} process", "{n} processes"), "shared", i.Shared}
	if i.SharedPage > memory.BasePage(c.Snapshot) {
		c.Warn("Page tables can take {tables} of {total} memory, even with huge pages: each of {processes} has its "+
			"own. A connection pooler (PgBouncer) with fewer server connections reduces them.", pairs...)
		return
	}
	text := say.M("Page tables can take {tables} of {total} memory: on regular pages, each of {processes} has its "+
		"own for {shared} of shared memory. A connection pooler (PgBouncer) with fewer server connections reduces "+
		"them.",
		pairs...)
	if why := sizing.HugeRoom(c).Why; !why.IsZero() {
		text = say.All(" ", text, say.M("Huge pages: {why}.", "why", why))
	}
	c.WarnAs(text)
}
