package sizing

import (
	"math"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// What the memory is shared out to is decided in steps: maintenance_work_mem in eighths of a power of two, a worker for
// each 512 MB, and a server's default is kept if it is close enough. At such a step a megabyte more of memory takes
// twelve of them from what shared_buffers could have. So shared_buffers, and the connections that are admitted next to
// it, are not sized next to those values but next to their ceilings: what the memory suggests before it is rounded,
// which is never less and grows evenly.

// fractions is what a ceiling has beyond the whole numbers of an instance.
type fractions struct {
	active    float64 // sessions at work
	parallel  float64 // parallel workers
	processes float64 // processes: those parallel, autovacuum and I/O workers
	slots     float64 // max_worker_processes, in the shared memory
	vacuums   float64 // autovacuum_max_workers, likewise
}

// of returns how the memory of an instance is used with the fractions.
func (f fractions) of(m memory.Instance) memory.Parts {
	p := m.Parts()
	if f == (fractions{}) {
		return p
	}
	add := func(share float64, change func(*memory.Instance)) {
		if share <= 0 {
			return
		}
		more := m
		change(&more)
		q := more.Parts()
		p.PageTables += (q.PageTables - m.Parts().PageTables).Scale(share)
		p.Backends += (q.Backends - m.Parts().Backends).Scale(share)
		p.Work += (q.Work - m.Parts().Work).Scale(share)
	}
	add(f.active, func(m *memory.Instance) { m.Active++ })
	add(f.parallel, func(m *memory.Instance) { m.Parallel++ })
	add(f.processes, func(m *memory.Instance) { m.Processes++ })
	return p
}

// ceiling returns the layout that shared_buffers and max_connections are sized
// in: with the ceilings of what was decided for less than the whole.
func ceiling(c *rule.Case, b rule.Basis, conns int) (layout, bool) {
	l, ok := layoutOf(c, b, conns)
	if !ok {
		return l, false
	}
	m := &l.Instance
	if exact, ok := c.AtWork(conns); ok {
		l.above.active = exact - float64(m.Active)
	}
	fed := func(least, want int) float64 { return min(float64(want), fedExactly(b, least)) }
	vacuums := float64(m.Workers)
	if p, ok := ParallelWorkers(c); ok {
		parallel := fed(parallelLeast, p.chosen)
		if now, ok := c.Int(MaxWorkerProcessesAddress); ok {
			slots := ceilingOf(c, MaxWorkerProcessesAddress, parallel+WorkerOthers, SlotsNear)
			l.above.slots = slots - float64(now)
			parallel = min(ceilingOf(c, MaxParallelWorkersAddress, parallel, WorkersNear), slots)
		}
		vacuums = ceilingOf(c, "pg:autovacuum_max_workers", fed(AutovacuumDefault, VacuumsFor(c, p.Cpus)), 0)
		l.above.parallel = max(parallel-float64(m.Parallel), 0)
		l.above.vacuums = max(vacuums-float64(m.Workers), 0)
		l.above.processes = l.above.parallel + l.above.vacuums
		for address, least := range map[knob.Address]int{ // a version has one of them
			"pg:io_workers": IoWorkersDefault, "pg:io_max_workers": IoMaxWorkersDefault,
		} {
			if now, ok := c.Int(address); ok {
				want := fed(least, IoWorkersFor(p.Cpus, least))
				l.above.processes += max(ceilingOf(c, address, want, 0)-float64(now), 0)
			}
		}
		if _, bySlots := c.Int("pg:autovacuum_worker_slots"); bySlots { // 18+
			l.above.vacuums = 0
		}
	}
	base := float64(SizeBase(c, b))
	part, most, _ := MaintenanceShare(c)
	maintenance := m.Maintenance
	m.Maintenance = ceilingSize(c, "pg:maintenance_work_mem", min(max(base/float64(part), float64(MaintenanceLeast)),
		float64(most)), MaintenanceNear, m.Maintenance)
	switch now, fixed := c.Bytes("pg:autovacuum_work_mem"); {
	case !fixed: // -1
		m.Autovacuum += m.Maintenance - maintenance
	case m.Workers > 0:
		// All workers at their ceiling, laid on those that there are.
		all := float64(now) * vacuums
		if d := c.Outcome.Of(c.Instance.Key, "pg:autovacuum_work_mem"); d != nil && !d.Pinned {
			version, _ := c.Instance.Server.Version.Get()
			each := min(max(base/AutovacuumPart/vacuums, float64(AutovacuumLeast)),
				float64(AutovacuumUseful(version.Major())), float64(m.Maintenance))
			all = max(each*vacuums, float64(now)*float64(m.Workers))
		}
		m.Autovacuum = unit.Bytes(math.Ceil(all / float64(m.Workers)))
	}
	if c.Options.Profile == rule.OneC {
		m.TempBuffers = tempCeiling(c, b, conns, m.TempBuffers)
	}
	return l, true
}

// tempCeiling is what the rule of temp_buffers gives a session of 1C before it is
// rounded.
func tempCeiling(c *rule.Case, b rule.Basis, conns int, now unit.Bytes) unit.Bytes {
	most := min(max(float64(TempEach(c, b, conns)), float64(TempDefault)), float64(TempOneC))
	return ceilingSize(c, "pg:temp_buffers", min(max(float64(SizeBase(c, b))/TempPart, float64(TempDefault)), most),
		0, now)
}

// ceilingOf returns the ceiling of a number that was decided from the memory: exact is the number before it was
// rounded. If a default is kept that is off by no more than near, the ceiling includes it in advance. A pin, and a
// setting without a decision, are used as they are.
func ceilingOf(c *rule.Case, a knob.Address, exact, near float64) float64 {
	v, _ := c.Value(a)
	now, _ := Number(v)
	d := c.Outcome.Of(c.Instance.Key, a)
	if d == nil || d.Pinned {
		return now
	}
	p, _ := c.Param(a.Name())
	if boot, err := strconv.ParseFloat(p.Boot, 64); err == nil && boot > exact {
		exact = min(exact*(1+near), boot)
	}
	return max(now, exact)
}

// ceilingSize is ceilingOf for an amount of memory that is now so much.
func ceilingSize(c *rule.Case, a knob.Address, exact, near float64, now unit.Bytes) unit.Bytes {
	v, _ := c.Value(a)
	size, ok := unit.MemoryUnit(v.Unit)
	if !ok {
		return now
	}
	return max(now, unit.Bytes(math.Ceil(ceilingOf(c, a, exact/float64(size), near)*float64(size))))
}

// estimateAbove is estimate with the fractions of a ceiling.
func estimateAbove(c *rule.Case, buffers unit.Bytes, conns int, f fractions) (unit.Bytes, bool) {
	s := shapeOf(c)
	s.params.SharedBuffers, s.params.Connections = buffers, conns
	slots, vacuums := float64(s.params.WorkerProcesses)+max(f.slots, 0), float64(s.params.Autovacuum)+max(f.vacuums, 0)
	sum := interpolated(slots, func(slots int) float64 {
		return interpolated(vacuums, func(vacuums int) float64 {
			s.params.WorkerProcesses, s.params.Autovacuum = slots, vacuums
			return float64(memory.EstimateShared(s.major, s.params))
		})
	})
	return unit.Bytes(math.Ceil(sum)), s.ok
}

// interpolated returns the value between those of the whole numbers around x.
func interpolated(x float64, of func(int) float64) float64 {
	lo := math.Floor(x)
	if lo == x {
		return of(int(lo))
	}
	low, high := of(int(lo)), of(int(lo)+1)
	return low + (high-low)*(x-lo)
}
