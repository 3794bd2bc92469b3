package rule

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// fitted is the answer to how large shared_buffers may be.
type fitted struct {
	buffers unit.Bytes
	nominal unit.Bytes
	cut     cut        // why it is less than the nominal
	full    unit.Bytes // the nominal before evidence said that less is enough
	enough  enough     // that evidence; full is above nominal then
	outside bool       // the nominal is what lies in huge pages outside of the limit already
	seen    bool       // something told how much is enough
	work    unit.Bytes // the work_mem that all connections were given beside it

	holds func(unit.Bytes) bool // whether all the rest, all connections at work included, fits beside the present value
}

// cut says what took from the nominal shared_buffers.
type cut string

const (
	uncut       cut = ""
	cutByMemory cut = "memory"      // it does not fit beside the connections
	cutByTables cut = "page tables" // of ordinary pages
	cutByPool   cut = "huge pages"  // no more huge pages can be had
)

// fitBuffers returns the largest shared_buffers up to the nominal that leaves
// room for the connections, on huge pages where they can be had, else with
// bounded page tables.
func (c *Case) fitBuffers(b Basis, conns int) (fitted, bool) {
	list, ok := c.demands(b, conns)
	if !ok {
		return fitted{}, false
	}
	l, above := list[0], list[0].above
	for _, d := range list {
		above.slots, above.vacuums = max(above.slots, d.above.slots), max(above.vacuums, d.above.vacuums)
	}
	f := fitted{nominal: c.nominalBuffers(b)}
	f.work, _ = c.leastWork()
	f.full = f.nominal
	e, told := c.enoughBuffers()
	f.seen = told
	if told && e.size < f.full {
		present, _ := c.Bytes(knob.PG("shared_buffers"))
		f.nominal = max(e.size, min(present, f.full)) // more that is there already is no reason for a restart
		f.enough = e
	}
	if most, ok := c.keptOutside(b); ok && most > f.nominal {
		f.nominal, f.outside = most, true
	}
	if _, ok := c.estimate(f.nominal, conns); !ok {
		return fitted{}, false
	}
	// bare is of a value that is there: it is kept as it is, and work_mem is given beside
	// it so. What is newly sized may come out larger in the next plan, by the tolerance.
	bare := func(sb unit.Bytes) unit.Bytes {
		shared, _ := c.estimateAbove(sb, conns, above)
		return shared
	}
	estimate := func(sb unit.Bytes) unit.Bytes { return bare(withTolerance(sb, buffersNear)) }
	leaves := func(shared, page unit.Bytes) bool {
		return !slices.ContainsFunc(list, func(d layout) bool { return !d.fits(shared, page, f.work) })
	}
	fits := func(sb, page unit.Bytes) bool { return leaves(estimate(sb), page) }
	small := func(sb unit.Bytes) bool {
		if sb <= hugeFrom {
			return true
		}
		return l.tables(estimate(sb)) <= l.part.Scale(tablesShare)
	}
	// Where page tables bound it there is no other remedy; else no less than what a
	// server needs to be one.
	least := min(f.nominal, max(buffersLeast, readable(c.sizeBase(b).Scale(buffersLeastShare))))
	ordinary := max(largest(f.nominal, func(sb unit.Bytes) bool { return fits(sb, l.base) && small(sb) }),
		largest(least, small), min(f.nominal, buffersLeast))
	huge := unit.Bytes(0)
	room := c.hugeRoom()
	present, _ := c.Bytes(knob.PG("shared_buffers"))
	inPool := func(shared unit.Bytes) bool { return shared.RoundUp(l.huge) <= room.most }
	pooled := func(sb unit.Bytes) bool {
		return inPool(estimate(sb)) || sb <= present && (f.outside || inPool(bare(sb)))
	}
	f.holds = func(sb unit.Bytes) bool {
		pages := room.most > 0 && pooled(sb) && (c.hugePays(sb, conns) || c.insistsOnHuge())
		return pages && leaves(bare(sb), l.huge) || small(sb) && leaves(bare(sb), l.base)
	}
	if room.most > 0 {
		huge = max(largest(f.nominal, func(sb unit.Bytes) bool { return fits(sb, l.huge) && pooled(sb) }), largest(least, pooled))
		if !c.hugePays(huge, conns) && !c.insistsOnHuge() {
			huge = 0
		}
	}
	f.buffers = max(ordinary, huge)
	if f.outside && present <= f.nominal && f.holds(present) {
		f.buffers = max(f.buffers, present)
	}
	switch {
	case f.buffers >= f.nominal:
	case huge == f.buffers && !pooled(f.nominal):
		f.cut = cutByPool
	case huge != f.buffers && !small(f.nominal) && fits(f.nominal, l.base):
		f.cut = cutByTables
	case huge != f.buffers && !small(f.nominal) && largest(f.nominal, func(sb unit.Bytes) bool { return fits(sb, l.base) }) > f.buffers:
		f.cut = cutByTables
	default:
		f.cut = cutByMemory
	}
	return f, true
}

// keptBuffers returns the present shared_buffers where somebody has chosen it, it
// is as good a share as the one that would be planned, and everything fits beside it.
func (c *Case) keptBuffers(b Basis, f fitted) (unit.Bytes, bool) {
	present, ok := c.Bytes(knob.PG("shared_buffers"))
	if !ok || !c.chosen() || present == buffersLeast { // which initdb writes
		return 0, false
	}
	share := float64(present) / float64(max(c.sizeBase(b), 1))
	return present, share >= buffersKeptFrom && share < buffersKeptTo && f.holds(present)
}

// beside returns the memory that is planned for beside work_mem: the profile's full
// share for the shared memory or what is kept beyond it, the page tables that it may at most cost, and all the rest,
// whose parts are returned. With more connections it never becomes less.
func (c *Case) beside(b Basis, conns int, l layout) (parts memory.Parts, shared unit.Bytes, ok bool) {
	wanted := c.fullBuffers(b)
	sb := withTolerance(wanted, buffersNear)
	d := c.out.Of(c.Instance.Key, "pg:shared_buffers")
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
	shared, ok = c.estimateAbove(sb, conns, l.above)
	if !ok {
		return parts, 0, false
	}
	// Whether they are wanted is asked of the size itself, as in fitBuffers, and
	// not of the tolerance on top.
	if room := c.hugeRoom(); wanted >= hugeFrom && room.most > 0 && shared.RoundUp(l.huge) <= room.most {
		return l.charged(l.parts(shared, l.huge, 0), l.huge), shared, true
	}
	parts = l.parts(shared, l.base, 0)
	if pinned {
		return parts, shared, true
	}
	// Beyond 1 GB the rule of shared_buffers bounds them.
	least, _ := c.estimateAbove(min(sb, withTolerance(hugeFrom, buffersNear)), conns, l.above)
	all := l.tables(shared)
	bound := max(min(all, l.part.Scale(tablesShare)), l.tables(least))
	parts.PageTables += min(bound, all) - all
	return parts, shared, true
}

// admits returns the largest number of connections, up to most, with which the
// nominal or the least shared_buffers fits beside the sessions that are expected at work with the
// least work_mem.
func (c *Case) admits(b Basis, most int) (int, bool) {
	sb := min(c.nominalBuffers(b), max(buffersLeast, readable(c.sizeBase(b).Scale(buffersLeastShare))))
	known := true
	fits := func(conns int) bool {
		l, ok1 := c.ceiling(b, conns)
		shared, ok2 := c.estimateAbove(sb, conns, l.above)
		nominal, _, ok3 := c.beside(b, conns, l)
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
