package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// auxiliary is how many processes of a server no setting counts: checkpointer, background writer, WAL writer,
// autovacuum launcher, logical replication launcher, archiver, logger, and startup process or WAL summarizer; 13 and 14
// also have the statistics collector. Not every server has all of them at once, but the worst case is what counts.
const auxiliary = 9

const (
	// tempDefault is temp_buffers as every version since 8.1 has it.
	tempDefault = 8 * unit.MB
	// tempChosen: a site that changed temp_buffers has sessions that use temporary tables. How many is unknown; half of
	// those at work is between the one job that it was set for and all of them.
	tempChosen = 0.5
)

// Lookup returns a setting of a server by name: its value in the base unit, and that unit. ok is false if it is not
// known.
type Lookup func(name string) (value, base string, ok bool)

// Present looks settings up as a server has them.
func Present(set pg.Settings) Lookup {
	return func(name string) (string, string, bool) {
		s, ok := set[name]
		return s.Value, s.Unit, ok
	}
}

// Figures reads from settings what an instance's memory depends on, in addition to the shared memory and the number of
// active sessions. ok is false if a setting is not known.
//
// Only those background workers count that any query may start, the parallel ones: the other slots of
// max_worker_processes stay empty unless an extension or a subscription asks for them, and plans never lower their
// number. I/O workers count only where io_method = worker starts them.
func Figures(get Lookup, load Load) (m Instance, ok bool) {
	r := reading{get: get, ok: true}
	m = Instance{
		Sorts: load.Sorts, Hashes: load.Hashes,
		Connections: r.int("max_connections"),
		Parallel:    min(r.int("max_parallel_workers"), r.int("max_worker_processes")),
		Workers:     r.int("autovacuum_max_workers"),
		WorkMem:     r.bytes("work_mem"),
		HashFactor:  r.float("hash_mem_multiplier"),
		TempBuffers: r.bytes("temp_buffers"),
		TempTables:  load.TempTables,
		Maintenance: r.bytes("maintenance_work_mem"),
	}
	if m.TempBuffers != tempDefault {
		m.TempTables = max(m.TempTables, tempChosen)
	}
	ok = r.ok
	if m.Autovacuum = r.bytes("autovacuum_work_mem"); !r.ok {
		m.Autovacuum = m.Maintenance // -1
	}
	r.ok = true
	m.Processes = auxiliary + m.Workers + m.Parallel
	if method, _, has := get("io_method"); has && method == "worker" { // 18+
		if _, _, has := get("io_max_workers"); has { // 19 starts them as they are needed
			m.Processes += r.int("io_max_workers")
		} else {
			m.Processes += r.int("io_workers")
		}
	}
	return m, ok && r.ok
}

// AsItIs returns an instance's memory as its present settings let it grow, with its shared memory where it is now.
// Active is left at 0.
func AsItIs(s *snapshot.Snapshot, in *snapshot.Instance, load Load) known.Fact[Instance] {
	segment := SegmentOf(in)
	seg, ok := segment.Get()
	if !ok {
		return known.Without[Instance](segment.State(), segment.Gap())
	}
	set, _ := in.Server.Settings.Get()
	m, ok := Figures(Present(set), load)
	if !ok {
		return known.Missed[Instance](known.Gap{Fact: "pg/" + in.Key + "/settings",
			Reason: "the server does not show all settings that determine its memory"})
	}
	m.Shared, m.SharedPage = seg.Size, BasePage(s)
	page, _ := HugePageSize(s, in).Get()
	if takenForHuge(s, in, page) {
		m.Shared, m.SharedPage = seg.Size.RoundUp(page), page
	}
	return known.Is(m)
}

// AtPeak is AsItIs with as many sessions open as may be, and at work as the load
// expects.
func AtPeak(s *snapshot.Snapshot, in *snapshot.Instance, load Load) known.Fact[Instance] {
	m := AsItIs(s, in, load)
	cpus := Processors(s, in)
	n, ok := cpus.Get()
	if m.Known() && !ok {
		return known.Without[Instance](cpus.State(), cpus.Gap())
	}
	part, _ := PartOf(s, in).Get()
	return known.Map(m, func(m Instance) Instance {
		m.Active = load.Active(in, n, m.Connections, part)
		m.Connections = OpenOf(in, m.Connections)
		m.Active = min(m.Active, m.Connections)
		return m
	})
}

// reading reads settings; ok turns false at one that is missing or makes no
// sense.
type reading struct {
	get Lookup
	ok  bool
}

// Bounds of what is computed with: no server accepts a number above 2^31 or has a petabyte of memory.
const (
	mostNumber = 1 << 31
	mostBytes  = 1 << 50
)

func (r *reading) int(name string) int { return int(r.float(name)) }

func (r *reading) float(name string) float64 {
	v, _, ok := r.get(name)
	f, err := unit.Figure(v)
	if !ok || err != nil || !(f >= -mostNumber && f <= mostNumber) {
		r.ok = false
		return 0
	}
	return f
}

// bytes reads an amount of memory; a special value below zero is none.
func (r *reading) bytes(name string) unit.Bytes {
	_, base, _ := r.get(name)
	size, isMem := unit.MemoryUnit(base)
	f := r.float(name)
	if !isMem || f < 0 || f*float64(size) > mostBytes {
		r.ok = false
		return 0
	}
	return unit.Bytes(f) * size
}
