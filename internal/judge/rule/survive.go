package rule

import (
	"math"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// as returns the case as another profile would have it.
func (c *Case) as(p Profile) *Case {
	if c.Options.Profile == p {
		return c
	}
	other, opt := *c, *c.Options
	opt.Profile = p
	other.Options = &opt
	return &other
}

// upward are the profiles whose demands the case's work_mem has to meet: its own,
// and those above it on the scale, as none of them may get less than it does.
func (c *Case) upward() []Profile {
	own := c.Options.Profile
	if _, ok := priors[own]; !ok {
		own = Mixed
	}
	if at := slices.Index(ascending, own); at >= 0 {
		if _, ok := c.CPUs(); ok { // a report's sessions are reckoned from them
			return ascending[at:]
		}
	}
	return []Profile{own}
}

// demands returns the layouts that work_mem has to survive, with the ceilings of
// what was decided for less than the whole.
func (c *Case) demands(b Basis, conns int) ([]layout, bool) {
	var out []layout
	for _, p := range c.upward() {
		other := c.as(p)
		l, ok := other.ceiling(b, conns)
		if !ok {
			return nil, false
		}
		if exact, ok := other.demanded(conns); ok {
			l.instance.Active = int(exact)
			l.above.active = exact - float64(l.instance.Active)
		}
		l.of = p
		for _, m := range other.prior().Demands(l.instance) {
			one := l
			one.instance = m
			if m.Active >= m.Connections {
				one.above.active = 0
			}
			out = append(out, one)
		}
	}
	return out, true
}

// demanded is how many sessions with a whole query work_mem has to survive where
// not every connection has one: those expected at work, and never fewer than the
// profile expects, whatever a person says of them.
func (c *Case) demanded(conns int) (float64, bool) {
	exact, ok := c.atWork(conns)
	cpus, known := c.CPUs()
	if !ok || !known {
		return exact, ok
	}
	open := memory.OpenOf(c.Instance, conns)
	return min(max(exact, c.prior().AtWork(c.Instance, cpus, open, 0)), float64(open)), true
}

// claims returns how many times work_mem may be held at once in a layout.
func (l layout) claims() float64 {
	return (float64(l.instance.Working()) + l.above.active + l.above.parallel) * l.instance.Allowances()
}

// fits says whether shared memory of the given size on pages of the given size and
// a work_mem leave the layout within its share, and within what may be committed.
func (l layout) fits(shared, page, work unit.Bytes) bool {
	if l.charged(l.parts(shared, page, work), page).Sum() > l.share {
		return false
	}
	return l.commit == 0 || l.commits(shared, work) <= l.commit
}

// commits returns what the layout may have committed, the fractions as whole ones.
func (l layout) commits(shared, work unit.Bytes) unit.Bytes {
	m := l.on(shared, l.base, work)
	m.Processes += int(math.Ceil(l.above.processes))
	return m.Commits(true)
}

// workRoom is the largest work_mem that every demand survives.
type workRoom struct {
	work    unit.Bytes // in readable steps; 0: there is none
	fixed   unit.Bytes // what everything else takes
	binding layout     // the demand that allows no more
	strict  bool       // because of the commit limit

	committed unit.Bytes // what everything else may have committed, where strict
}

// surviving returns the largest work_mem that every demand survives beside the
// nominal shared memory. With more connections it never becomes more.
func (c *Case) surviving(b Basis, conns int) (room workRoom, ok bool) {
	list, ok := c.demands(b, conns)
	if !ok {
		return room, false
	}
	for i, l := range list {
		parts, shared, ok := c.beside(b, conns, l)
		if !ok {
			return room, false
		}
		work, strict := memory.WorkMemFor(l.share-parts.Sum(), l.claims()), false
		committed := unit.Bytes(0)
		if l.strict > 0 {
			committed = l.commits(shared, 0)
			commit := memory.WorkMemFor(l.strict-committed, l.claims())
			work, strict = min(work, commit), commit < work
		}
		if i == 0 || work < room.work {
			room = workRoom{work, parts.Sum(), l, strict, committed}
		}
	}
	return room, true
}

// leastWork is what work_mem is not planned below: 4 MB, and what it is now where
// nobody has seen that the memory does not suffice. What does not fit beside it is
// taken from shared_buffers first.
func (c *Case) leastWork() (work unit.Bytes, seen memory.Shortage) {
	if pin, ok := c.Options.Pins["pg:work_mem"]; ok {
		if kb, err := unit.ParseGUC(pin, "kB"); err == nil && kb > 0 && kb < 1<<31 {
			return unit.Bytes(kb) * unit.KB, seen
		}
	}
	seen, short := memory.ShortageOf(c.Snapshot, c.Instance)
	set, _ := c.Instance.Server.Settings.Get()
	present, ok := set.Bytes("work_mem")
	if short || !ok {
		return memory.WorkMemFloor, seen
	}
	return max(present, memory.WorkMemFloor), seen
}

// AtWork is what the memory has room for when the connections are at work: the
// figures that a plan, a check and a diagnosis tell of the same server.
type AtWork struct {
	WorkMem unit.Bytes // that is wanted whatever it is now: all connections fit with it, or it is 4 MB
	Planned unit.Bytes // that is planned
	Pinned  bool       // a person has fixed what is planned
	Buffers unit.Bytes // shared_buffers that is planned
	Open    int        // connections that may be open at once
	Fit     int        // of them that fit at work with what is planned
	FitBest int        // likewise with WorkMem, where what is planned is more
	Saved   unit.Bytes // private memory and page tables of the others: what a pooler saves
	Share   unit.Bytes // what the instance may have
}

// AtWork returns the figures of an instance; ok is false where a fact is missing.
func (o *Outcome) AtWork(key string) (AtWork, bool) {
	a, ok := o.atWork[key]
	return a, ok
}

// Buffers returns the shared_buffers that is planned for an instance; ok is false
// where nothing was decided.
func (o *Outcome) Buffers(key string) (unit.Bytes, bool) {
	d := o.Of(key, knob.PG("shared_buffers"))
	if d == nil {
		return 0, false
	}
	return size(d.Effective)
}

// reckonAtWork reckons how many connections fit at work with everything as it was
// decided, and warns where not all do.
func (o *Outcome) reckonAtWork(s *snapshot.Snapshot, in *snapshot.Instance, opt *Options) {
	if !s.HostSeen || !in.Server.Settings.Known() || !in.Server.Version.Known() {
		return
	}
	c := o.onInstance(s, in, opt)
	c.rule = &workMem
	unknown := o.Unknown
	defer func() { o.Unknown = unknown }() // the rules have noted them
	b, ok1 := c.Basis()
	conns, ok2 := c.Int(knob.PG("max_connections"))
	work, ok3 := c.Bytes(knob.PG("work_mem"))
	m, ok4 := o.Memory(s, in, opt)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return
	}
	room, ok := c.surviving(b, conns)
	if !ok {
		return
	}
	a := AtWork{Planned: work, Open: m.After.Connections, Share: b.Share()}
	a.WorkMem, _, _ = c.wantedWork(b, room)
	a.Buffers, _ = c.Bytes(knob.PG("shared_buffers"))
	if d := o.Of(in.Key, knob.PG("work_mem")); d != nil {
		a.Pinned = d.Pinned
	}
	commit, _ := c.commitRoom(b)
	i := m.After
	if exact, ok := c.demanded(conns); ok {
		i.Active = int(exact)
	}
	fits := func(i memory.Instance) bool {
		return room.binding.charged(i.Parts(), i.SharedPage).Sum() <= b.Share() && (commit == 0 || i.Commits(true) <= commit)
	}
	a.Fit = c.prior().ConnectionsThatFit(i, fits)
	a.FitBest = a.Fit
	if a.WorkMem < work {
		i.WorkMem = a.WorkMem
		a.FitBest = c.prior().ConnectionsThatFit(i, fits)
	}
	each := memory.BackendBase + memory.PageTables(i.Shared, i.SharedPage) + memory.ProcessPageTables
	a.Saved = unit.Bytes(a.Open-a.Fit) * each
	o.atWork[in.Key] = a
	tables := *c
	tables.rule = &hugePages
	tables.warnOfTables(m.After)
	if a.Fit >= a.Open {
		return
	}
	text := "Not all connections fit the memory at work: of {open} only {fit}, each with the query of the {profile} profile and work_mem = {work}, beside the rest in the {share} that the instance may have. " +
		"A pooler in front of the server (PgBouncer), with no more sessions than that, would save {saved} of private memory and page tables."
	if a.Fit == 0 {
		text = "None of {open} connections fits the memory at work with the query of the {profile} profile and work_mem = {work}: the rest fills the {share} that the instance may have. " +
			"A pooler in front of the server (PgBouncer) with few sessions, or more memory, is needed."
	}
	c.Warn(text, "open", a.Open, "fit", a.Fit, "profile", string(c.Options.Profile), "work", work.GUC(), "share", b.Share(), "saved", a.Saved)
}

// warnOfTables says that page tables stay large: where huge pages cannot be had, or where
// so many processes have even with them.
func (c *Case) warnOfTables(i memory.Instance) {
	limit, _ := c.Snapshot.MemoryLimit(c.Instance)
	total, ok := limit.Get()
	tables := i.Parts().PageTables
	if c.out.Of(c.Instance.Key, knob.PG("huge_pages")) == nil { // nobody asked what the pages will be
		return
	}
	if !ok || tables < total.Scale(limits.TablesTooMuch/100.0) {
		return
	}
	text := "Page tables may take {tables} of {total}: on ordinary pages each of {processes} has its own for the {shared} of shared memory. A pooler in front of the server (PgBouncer) with fewer sessions lessens them."
	pairs := []any{"tables", tables, "total", total, "processes", countOf(i.Connections+i.Processes, "process", "processes"), "shared", i.Shared}
	if why := c.hugeRoom().why; i.SharedPage > memory.BasePage(c.Snapshot) {
		text = "Page tables may take {tables} of {total}: each of {processes} has some of its own, with huge pages too. A pooler in front of the server (PgBouncer) with fewer sessions lessens them."
	} else if why.String() != "" {
		text += " Huge pages: {why}."
		pairs = append(pairs, "why", why.String())
	}
	c.Warn(text, pairs...)
}

// commitRoom is what an instance may commit where the kernel is strict and a plan
// leaves it so, whatever fits (forced): on a shared host, beside ZFS, or where a person
// pinned it; and where it becomes strict if only all connections fit (wanted). 0: not
// bounded. Huge pages lower the limit by what they take out of the commits, so both are
// reckoned without them. It does not hang on how much swap there is or what is
// committed now: else more memory could turn the one into the other.
func (c *Case) commitRoom(b Basis) (forced, wanted unit.Bytes) {
	m, ok := c.Snapshot.Host.Memory.Get()
	if !ok || b.Limited {
		return 0, 0
	}
	room := func(limit unit.Bytes) unit.Bytes {
		usable := (memory.Commit{KBytes: limit}).Usable(adminReserve, c.userReserve())
		return max((usable-b.Others)/unit.Bytes(max(b.Instances, 1)), 1)
	}
	planned := m.Total.Scale(memory.CommitShare)
	present, _ := c.Snapshot.Host.Sysctls.Int("vm.overcommit_memory").Get()
	mounts, seen := c.Snapshot.Host.Mounts.Get()
	virt, known := c.Snapshot.Host.Virt.Get()
	stays := c.among() || zfsMounted(mounts)
	switch pin, pinned := c.Options.Pins["sysctl:vm.overcommit_memory"]; {
	case pinned && pin != "2":
		return 0, 0
	case stays && present == 2:
		forced = room(m.CommitLimit + m.Hugetlb()) // nobody raises it there
		return forced, forced
	case pinned:
		return room(planned), room(planned)
	case !stays && seen && !containersHere(mounts) && known && virt.Container == "":
		return 0, room(planned)
	}
	return 0, 0
}
