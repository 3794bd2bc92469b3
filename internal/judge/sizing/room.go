package sizing

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// fitted is the answer to how large shared_buffers may be.
type fitted struct {
	Buffers unit.Bytes
	Nominal unit.Bytes
	Cut     cut        // why it is less than the nominal
	Full    unit.Bytes // the nominal before evidence said that less is enough
	Enough  enough     // that evidence; full is above nominal then
	Outside bool       // the nominal is what is already in huge pages outside the limit
	Seen    bool       // something showed how much is enough
	Work    unit.Bytes // the work_mem that all connections were given next to it

	holds func(unit.Bytes) bool // whether all the rest, all connections at work included, fits beside the present value
}

// cut says what took from the nominal shared_buffers.
type cut string

const (
	uncut       cut = ""
	CutByMemory cut = "memory"      // it does not fit beside the connections
	CutByTables cut = "page tables" // of regular pages
	CutByPool   cut = "huge pages"  // no more huge pages are available
)

// fitBuffers returns the largest shared_buffers up to the nominal that leaves room for the connections, in huge pages
// if available, otherwise with limited page tables.
func FitBuffers(c *rule.Case, b rule.Basis, conns int) (fitted, bool) {
	list, ok := demands(c, b, conns)
	if !ok {
		return fitted{}, false
	}
	l, above := list[0], list[0].above
	for _, d := range list {
		above.slots, above.vacuums = max(above.slots, d.above.slots), max(above.vacuums, d.above.vacuums)
	}
	f := fitted{Nominal: nominalBuffers(c, b)}
	f.Work, _ = LeastWork(c)
	f.Full = f.Nominal
	e, told := enoughBuffers(c)
	f.Seen = told
	if told && e.size < f.Full {
		present, _ := c.Bytes(knob.PG("shared_buffers"))
		f.Nominal = max(e.size, min(present, f.Full)) // more that is there already is no reason for a restart
		f.Enough = e
	}
	if most, ok := keptOutside(c, b); ok && most > f.Nominal {
		f.Nominal, f.Outside = most, true
	}
	if _, ok := estimate(c, f.Nominal, conns); !ok {
		return fitted{}, false
	}
	// bare is for an existing value: it is kept as it is, and work_mem is sized next to it. A newly sized value may
	// turn out larger in the next plan, by the tolerance.
	bare := func(sb unit.Bytes) unit.Bytes {
		shared, _ := estimateAbove(c, sb, conns, above)
		return shared
	}
	estimate := func(sb unit.Bytes) unit.Bytes { return bare(WithTolerance(sb, BuffersNear)) }
	leastHuge, _ := estimateAbove(c, WithTolerance(hugeFrom, BuffersNear), conns, above)
	leaves := func(shared, page unit.Bytes) bool {
		return !slices.ContainsFunc(list, func(d layout) bool {
			if page == d.base && d.Of != l.Of {
				// work_mem was given what is left beside the tables that this rule would allow that
				// profile: more of them here would take from shared_buffers what the plan before gave.
				return !d.holdsWith(d.boundTables(d.parts(shared, page, f.Work), shared, leastHuge), shared, page,
					f.Work)
			}
			return !d.fits(shared, page, f.Work)
		})
	}
	fits := func(sb, page unit.Bytes) bool { return leaves(estimate(sb), page) }
	small := func(sb unit.Bytes) bool {
		if sb <= hugeFrom {
			return true
		}
		return l.tables(estimate(sb)) <= l.part.Scale(tablesShare)
	}
	// If page tables bound it, there is no other remedy; otherwise no less than the minimum of a server.
	least := min(f.Nominal, max(buffersLeast, readable(SizeBase(c, b).Scale(buffersLeastShare))))
	ordinary := max(largest(f.Nominal, func(sb unit.Bytes) bool { return fits(sb, l.base) && small(sb) }),
		largest(least, small), min(f.Nominal, buffersLeast))
	huge := unit.Bytes(0)
	room := HugeRoom(c)
	present, _ := c.Bytes(knob.PG("shared_buffers"))
	inPool := func(shared unit.Bytes) bool { return shared.RoundUp(l.huge) <= room.Most }
	pooled := func(sb unit.Bytes) bool {
		return inPool(estimate(sb)) || sb <= present && (f.Outside || inPool(bare(sb)))
	}
	f.holds = func(sb unit.Bytes) bool {
		pages := room.Most > 0 && pooled(sb) && (HugePays(c, sb, conns) || insistsOnHuge(c))
		return pages && leaves(bare(sb), l.huge) || small(sb) && leaves(bare(sb), l.base)
	}
	if room.Most > 0 {
		huge = max(largest(f.Nominal, func(sb unit.Bytes) bool { return fits(sb, l.huge) && pooled(sb) }),
			largest(least, pooled))
		if !HugePays(c, huge, conns) && !insistsOnHuge(c) {
			huge = 0
		}
	}
	f.Buffers = max(ordinary, huge)
	if f.Outside && present <= f.Nominal && f.holds(present) {
		f.Buffers = max(f.Buffers, present)
	}
	switch {
	case f.Buffers >= f.Nominal:
	case huge == f.Buffers && !pooled(f.Nominal):
		f.Cut = CutByPool
	case huge != f.Buffers && !small(f.Nominal) && fits(f.Nominal, l.base):
		f.Cut = CutByTables
	case huge != f.Buffers && !small(f.Nominal) && largest(f.Nominal,
		func(sb unit.Bytes) bool { return fits(sb, l.base) }) > f.Buffers:
		f.Cut = CutByTables
	default:
		f.Cut = CutByMemory
	}
	return f, true
}

// keptBuffers returns the present shared_buffers if it was set explicitly, is as good a share as the one that would be
// planned, and everything else fits.
func KeptBuffers(c *rule.Case, b rule.Basis, f fitted) (unit.Bytes, bool) {
	present, ok := c.Bytes(knob.PG("shared_buffers"))
	if !ok || !c.Chosen() || present == buffersLeast { // which initdb writes
		return 0, false
	}
	share := float64(present) / float64(max(SizeBase(c, b), 1))
	return present, share >= buffersKeptFrom && share < buffersKeptTo && f.holds(present)
}

// plannedWithoutWorkMem returns the memory that is planned in addition to work_mem: the profile's full share for the
// shared memory or what is kept beyond it, the page tables that it may at most cost, and all the rest, whose parts are
// returned. With more connections it never becomes less.
func plannedWithoutWorkMem(c *rule.Case, b rule.Basis, conns int, l layout) (parts memory.Parts, shared unit.Bytes,
	ok bool) {
	wanted := fullBuffers(c, b)
	sb := WithTolerance(wanted, BuffersNear)
	d := c.Outcome.Of(c.Instance.Key, "pg:shared_buffers")
	pinned := d != nil && d.Pinned
	if pinned {
		if sb, ok = size(d.Effective); !ok {
			return parts, 0, false
		}
		wanted = sb
	} else if d != nil {
		if kept, ok := size(d.Effective); ok && kept > sb {
			sb, wanted = kept, kept
		}
	}
	shared, ok = estimateAbove(c, sb, conns, l.above)
	if !ok {
		return parts, 0, false
	}
	// Whether they are wanted is asked of the size itself, as in fitBuffers, and
	// not of the tolerance on top.
	if room := HugeRoom(c); wanted >= hugeFrom && room.Most > 0 && shared.RoundUp(l.huge) <= room.Most {
		return l.Charged(l.parts(shared, l.huge, 0), l.huge), shared, true
	}
	parts = l.parts(shared, l.base, 0)
	if pinned {
		return parts, shared, true
	}
	least, _ := estimateAbove(c, min(sb, WithTolerance(hugeFrom, BuffersNear)), conns, l.above)
	return l.boundTables(parts, shared, least), shared, true
}

// boundTables lowers the page tables among the parts to what the rule of shared_buffers leaves of them: on regular
// pages beyond 1 GB, whose shared memory is least, it bounds them.
func (l layout) boundTables(parts memory.Parts, shared, least unit.Bytes) memory.Parts {
	all := l.tables(shared)
	bound := max(min(all, l.part.Scale(tablesShare)), l.tables(min(shared, least)))
	parts.PageTables += min(bound, all) - all
	return parts
}

// admits returns the largest number of connections, up to most, with which the
// nominal or the least shared_buffers fits beside the sessions that are expected at work with the
// least work_mem.
func Admits(c *rule.Case, b rule.Basis, most int) (int, bool) {
	sb := min(nominalBuffers(c, b), max(buffersLeast, readable(SizeBase(c, b).Scale(buffersLeastShare))))
	known := true
	fits := func(conns int) bool {
		l, ok1 := ceiling(c, b, conns)
		shared, ok2 := estimateAbove(c, sb, conns, l.above)
		nominal, _, ok3 := plannedWithoutWorkMem(c, b, conns, l)
		known = known && ok1 && ok2 && ok3
		work := l.parts(0, l.base, memory.WorkMemFloor).Work
		return nominal.Sum()+work <= l.share || l.parts(shared, l.base, 0).Sum()+work <= l.share
	}
	lo, hi := 0, most+1
	for lo+1 < hi {
		if mid := (lo + hi) / 2; fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, known
}
