package rule

import (
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

	holds func(unit.Bytes) bool // whether all the rest, with a work_mem of workMemKept, fits beside so much
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
	l, ok := c.ceiling(b, conns)
	if !ok {
		return fitted{}, false
	}
	f := fitted{nominal: c.nominalBuffers(b)}
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
	estimate := func(sb unit.Bytes) unit.Bytes {
		shared, _ := c.estimateAbove(withTolerance(sb, buffersNear), conns, l.above)
		return shared
	}
	fits := func(sb, page unit.Bytes) bool {
		return l.charged(l.parts(estimate(sb), page, workMemLeast), page).Sum() <= l.share
	}
	small := func(sb unit.Bytes) bool {
		if sb <= hugeFrom {
			return true
		}
		return l.tables(estimate(sb)) <= l.part.Scale(tablesShare)
	}
	work := memory.LeftForWork(l.parts(0, l.base, workMemKept).Work)
	beside := func(sb, page unit.Bytes) bool {
		return l.charged(l.parts(estimate(sb), page, 0), page).Sum()+work <= l.share
	}
	least := min(f.nominal, buffersLeast)
	ordinary := max(largest(f.nominal, func(sb unit.Bytes) bool { return fits(sb, l.base) && small(sb) }), least)
	huge := unit.Bytes(0)
	room := c.hugeRoom()
	present, _ := c.Bytes(knob.PG("shared_buffers"))
	pooled := func(sb unit.Bytes) bool {
		// What lies in the pool fits it, whatever an estimate with its tolerance says.
		return estimate(sb).RoundUp(l.huge) <= room.most || f.outside && sb <= present
	}
	f.holds = func(sb unit.Bytes) bool {
		pages := room.most > 0 && pooled(sb) && (sb >= hugeFrom || c.insistsOnHuge())
		return pages && beside(sb, l.huge) || small(sb) && beside(sb, l.base)
	}
	if room.most > 0 {
		huge = largest(f.nominal, func(sb unit.Bytes) bool { return fits(sb, l.huge) && pooled(sb) })
		if huge < hugeFrom && !c.insistsOnHuge() {
			huge = 0
		}
	}
	f.buffers = max(ordinary, huge)
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

// beside returns the memory that is planned for beside work_mem: the nominal
// shared memory or what is kept beyond it, the page tables that it may at most cost, and all the rest,
// whose parts are returned. With more connections it never becomes less.
func (c *Case) beside(b Basis, conns int, l layout) (parts memory.Parts, ok bool) {
	wanted := c.nominalBuffers(b)
	sb := withTolerance(wanted, buffersNear)
	d := c.out.Of(c.Instance.Key, "pg:shared_buffers")
	pinned := d != nil && d.Pinned
	if pinned {
		if sb, ok = size(d.Effective); !ok {
			return parts, false
		}
		wanted = sb
	} else if d != nil {
		if kept, ok := size(d.Effective); ok && kept > sb {
			sb, wanted = kept, kept
		}
	}
	shared, ok := c.estimateAbove(sb, conns, l.above)
	if !ok {
		return parts, false
	}
	// Whether they are wanted is asked of the size itself, as in fitBuffers, and
	// not of the tolerance on top.
	if room := c.hugeRoom(); wanted >= hugeFrom && room.most > 0 && shared.RoundUp(l.huge) <= room.most {
		return l.charged(l.parts(shared, l.huge, 0), l.huge), true
	}
	parts = l.parts(shared, l.base, 0)
	if pinned {
		return parts, true
	}
	// Beyond 1 GB the rule of shared_buffers bounds them.
	least, _ := c.estimateAbove(min(sb, withTolerance(hugeFrom, buffersNear)), conns, l.above)
	all := l.tables(shared)
	bound := max(min(all, l.part.Scale(tablesShare)), l.tables(least))
	parts.PageTables += min(bound, all) - all
	return parts, true
}

// admits returns the largest number of connections, up to most, with which the
// nominal shared_buffers fits and work_mem can be the given one.
func (c *Case) admits(b Basis, most int, work unit.Bytes) (int, bool) {
	fits := func(conns int) bool {
		l, ok1 := c.ceiling(b, conns)
		parts, ok2 := c.beside(b, conns, l)
		return ok1 && ok2 && parts.Sum()+memory.LeftForWork(l.parts(0, l.base, work).Work) <= l.share
	}
	l, ok1 := c.ceiling(b, most)
	if _, ok2 := c.beside(b, most, l); !ok1 || !ok2 {
		return 0, false
	}
	lo, hi := 0, most+1
	for lo+1 < hi {
		if mid := (lo + hi) / 2; fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, true
}
