package sizing

import (
	"math"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// withProfile returns the case as another profile would have it.
func withProfile(c *rule.Case, p rule.Profile) *rule.Case {
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
func upward(c *rule.Case) []rule.Profile {
	own := c.Options.Profile
	if _, ok := rule.Priors[own]; !ok {
		own = rule.Mixed
	}
	if at := slices.Index(rule.Ascending, own); at >= 0 {
		if _, ok := c.CPUs(); ok { // a report's sessions are computed from them
			return rule.Ascending[at:]
		}
	}
	return []rule.Profile{own}
}

// demands returns the layouts that work_mem has to survive, with the ceilings of
// what was decided for less than the whole.
func demands(c *rule.Case, b rule.Basis, conns int) ([]layout, bool) {
	var out []layout
	for _, p := range upward(c) {
		other := withProfile(c, p)
		l, ok := ceiling(other, b, conns)
		if !ok {
			return nil, false
		}
		if exact, ok := Demanded(other, conns); ok {
			l.Instance.Active = int(exact)
			l.above.active = exact - float64(l.Instance.Active)
		}
		l.Of = p
		for _, m := range other.Prior().Demands(l.Instance) {
			one := l
			one.Instance = m
			if m.Active >= m.Connections {
				one.above.active = 0
			}
			out = append(out, one)
		}
	}
	return out, true
}

// demanded is how many sessions with a whole query work_mem has to survive if not every connection has one: those
// expected at work, and never fewer than the profile expects, whatever a person says of them.
func Demanded(c *rule.Case, conns int) (float64, bool) {
	exact, ok := c.AtWork(conns)
	cpus, known := c.CPUs()
	if !ok || !known {
		return exact, ok
	}
	open := memory.OpenOf(c.Instance, conns)
	return min(max(exact, c.Prior().AtWork(c.Instance, cpus, open, 0)), float64(open)), true
}

// claims returns how many times work_mem may be held at once in a layout.
func (l layout) claims() float64 {
	return (float64(l.Instance.Working()) + l.above.active + l.above.parallel) * l.Instance.Allowances()
}

// fits reports whether shared memory of the given size on pages of the given size and a work_mem leave the layout
// within its share, and within what may be committed.
func (l layout) fits(shared, page, work unit.Bytes) bool {
	return l.holdsWith(l.parts(shared, page, work), shared, page, work)
}

// holdsWith is fits, of parts that are known.
func (l layout) holdsWith(parts memory.Parts, shared, page, work unit.Bytes) bool {
	if l.Charged(parts, page).Sum() > l.share {
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

// WorkRoom is the largest work_mem that every demand survives.
type WorkRoom struct {
	Work    unit.Bytes // in readable steps; 0: there is none
	Fixed   unit.Bytes // what everything else takes
	Binding layout     // the demand that allows no more
	Strict  bool       // because of the commit limit

	Committed unit.Bytes // what everything else may have committed, if strict
}

// surviving returns the largest work_mem that every demand survives beside the
// nominal shared memory. With more connections it never becomes more.
func Surviving(c *rule.Case, b rule.Basis, conns int) (room WorkRoom, ok bool) {
	list, ok := demands(c, b, conns)
	if !ok {
		return room, false
	}
	for i, l := range list {
		parts, shared, ok := plannedWithoutWorkMem(c, b, conns, l)
		if !ok {
			return room, false
		}
		work, strict := memory.WorkMemFor(l.share-parts.Sum(), l.claims()), false
		committed := unit.Bytes(0)
		if l.Strict > 0 {
			committed = l.commits(shared, 0)
			commit := memory.WorkMemFor(l.Strict-committed, l.claims())
			work, strict = min(work, commit), commit < work
		}
		if i == 0 || work < room.Work {
			room = WorkRoom{work, parts.Sum(), l, strict, committed}
		}
	}
	return room, true
}

// leastWork is the least work_mem that is planned: 4 MB, or its present value unless the memory was seen to be
// insufficient. What does not fit next to it is taken from shared_buffers first.
func LeastWork(c *rule.Case) (work unit.Bytes, seen say.Message) {
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

// AtWork is what the memory has room for when the connections are at work: the figures that a plan, a check and a
// diagnosis give for the same server.
type AtWork struct {
	WorkMem unit.Bytes // that is wanted whatever it is now: all connections fit with it, or it is 4 MB
	Planned unit.Bytes // that is planned
	Pinned  bool       // a person has fixed what is planned
	Buffers unit.Bytes // shared_buffers that is planned
	Open    int        // connections that may be open at once
	Fit     int        // of them that fit at work with what is planned
	FitBest int        // likewise with WorkMem, if the planned value is higher
	Saved   unit.Bytes // private memory and page tables of the others: what a pooler saves
	Share   unit.Bytes // what the instance may have
}

// AtWorkOf returns the figures of an instance; ok is false if a fact is missing.
func AtWorkOf(o *rule.Outcome, key string) (AtWork, bool) { return rule.Noted[AtWork](o, key) }

// Buffers returns the shared_buffers that is planned for an instance; ok is false if nothing was decided.
func Buffers(o *rule.Outcome, key string) (unit.Bytes, bool) {
	d := o.Of(key, knob.PG("shared_buffers"))
	if d == nil {
		return 0, false
	}
	return size(d.Effective)
}

// commitRoom is what an instance may commit if the kernel is strict and a plan leaves it so, whatever fits (forced): on
// a shared host, beside ZFS, or if it was pinned; and if it becomes strict once all connections fit (wanted). 0: not
// bounded. Huge pages lower the limit by what they take out of the commits, so both are computed without them. It does
// not depend on how much swap there is or what is committed now: else more memory could turn the one into the other.
func CommitRoom(c *rule.Case, b rule.Basis) (forced, wanted unit.Bytes) {
	m, ok := c.Snapshot.Host.Memory.Get()
	if !ok || b.Limited {
		return 0, 0
	}
	room := func(limit unit.Bytes) unit.Bytes {
		usable := (memory.Commit{KBytes: limit}).Usable(AdminReserve, userReserveOf(c))
		return max((usable-b.Others)/unit.Bytes(max(b.Instances, 1)), 1)
	}
	planned := m.Total.Scale(memory.CommitShare)
	present, _ := c.Snapshot.Host.Sysctls.Int("vm.overcommit_memory").Get()
	mounts, seen := c.Snapshot.Host.Mounts.Get()
	virt, known := c.Snapshot.Host.Virt.Get()
	stays := c.Among() || rule.ZfsMounted(mounts)
	switch pin, pinned := c.Options.Pins["sysctl:vm.overcommit_memory"]; {
	case pinned && pin != "2":
		return 0, 0
	case stays && present == 2:
		forced = room(m.CommitLimit + m.Hugetlb()) // it is not raised there
		return forced, forced
	case pinned:
		return room(planned), room(planned)
	case !stays && seen && !ContainersHere(mounts) && known && virt.Container == "":
		return 0, room(planned)
	}
	return 0, 0
}
