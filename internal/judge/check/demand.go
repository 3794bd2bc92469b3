package check

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// segment is the size of the main shared memory segment.
type segment struct {
	Size  unit.Bytes
	Exact bool // false: only shared_buffers is known, the segment is a few percent larger
}

// sharedMemory returns the segment's size: shared_memory_size (15+), else the
// sum of pg_shmem_allocations, else shared_buffers as its lower bound (13 and
// 14 show the rest to superusers only).
func sharedMemory(in *snapshot.Instance) known.Fact[segment] {
	set, ok := in.Server.Settings.Get()
	if !ok {
		return known.Without[segment](in.Server.Settings.State(), in.Server.Settings.Gap())
	}
	if b, ok := set.Bytes("shared_memory_size"); ok && b > 0 {
		return known.Is(segment{b, true})
	}
	if parts, ok := in.Server.Shmem.Get(); ok && len(parts) > 0 {
		var sum unit.Bytes
		for _, p := range parts {
			sum += p.Size
		}
		return known.Is(segment{sum, true})
	}
	if b, ok := set.Bytes("shared_buffers"); ok {
		return known.Is(segment{b, false})
	}
	return known.Missed[segment](known.Gap{Fact: "pg/" + in.Key + "/shmem", Reason: "the server did not show the size of its shared memory"})
}

// hugePagesUsed says whether the running server has its shared memory in huge
// pages: huge_pages_status (17+), else the postmaster's HugetlbPages, which are
// never zero when it has, as it initialises the segment itself.
func hugePagesUsed(in *snapshot.Instance) known.Fact[bool] {
	if set, ok := in.Server.Settings.Get(); ok {
		switch v, _ := set.Text("huge_pages_status"); v {
		case "on":
			return known.Is(true)
		case "off":
			return known.Is(false)
		}
	}
	return known.Map(in.Postmaster(), func(p host.Process) bool { return p.Huge > 0 })
}

// hugePageSize returns the size of huge page that the server asks for:
// huge_page_size (14+), where 0 and its absence mean the kernel's default.
func hugePageSize(s *snapshot.Snapshot, set pg.Settings) known.Fact[unit.Bytes] {
	if b, ok := set.Bytes("huge_page_size"); ok && b > 0 {
		return known.Is(b)
	}
	return known.Map(s.Host.Memory, func(m host.Memory) unit.Bytes { return m.HugePageSize })
}

// hugePagesNeeded returns how many huge pages of a size the server's shared
// memory fills: its own answer (15+), else the segment's size rounded up.
// exact is false when that is only the lower bound.
func hugePagesNeeded(in *snapshot.Instance, size unit.Bytes) (pages int64, exact, ok bool) {
	if set, known := in.Server.Settings.Get(); known {
		if n, has := set.Int("shared_memory_size_in_huge_pages"); has && n > 0 {
			return n, true, true
		}
	}
	seg, known := sharedMemory(in).Get()
	if !known || size <= 0 {
		return 0, false, false
	}
	return seg.Size.Pages(size), seg.Exact, true
}

// poolOf returns the huge page pool of a size.
func poolOf(pools []host.Pool, size unit.Bytes) host.Pool {
	for _, p := range pools {
		if p.Size == size {
			return p
		}
	}
	return host.Pool{Size: size}
}

// basePage is the size of an ordinary page: not 4 kB on every arm64 or ppc64le
// kernel. Where it was not seen, 4 kB is what x86 has.
func basePage(s *snapshot.Snapshot) unit.Bytes {
	if p, ok := s.Host.PageSize.Get(); ok && p > 0 {
		return p
	}
	return 4 * unit.KB
}

// processors returns how many processors the instance may use: those of the
// host, or the quota of its control group.
func processors(s *snapshot.Snapshot, in *snapshot.Instance) known.Fact[int] {
	n := known.Map(s.Host.CPU, func(c host.CPU) int { return c.Logical })
	cpus, ok := n.Get()
	cg, limited := in.CGroup.Get()
	if !ok || !limited {
		return n
	}
	if q, ok := cg.CPUs.Get(); ok {
		cpus = min(cpus, max(int(math.Ceil(q)), 1))
	}
	if set, ok := cg.CPUSet.Get(); ok && set > 0 {
		cpus = min(cpus, set)
	}
	return known.Is(cpus)
}

// auxiliary is how many processes stand beside the backends on any server:
// checkpointer, background writer, WAL writer, archiver, autovacuum launcher,
// logical replication launcher.
const auxiliary = 6

// perCPU is how many sessions for each processor are taken to be at work at
// once at the peak. Beyond 2 to 4 of them the processors are saturated and more
// sessions only wait, whatever max_connections allows.
const perCPU = 3

// demand lays out what the instance's settings let it take with that many
// sessions at work, each with one sort and one hash at a time: the plan's
// assumptions for a mixed load.
func demand(s *snapshot.Snapshot, in *snapshot.Instance, set pg.Settings, active int) memory.Instance {
	bytes := func(name string) unit.Bytes { b, _ := set.Bytes(name); return b }
	whole := func(name string) int { n, _ := set.Int(name); return int(n) }
	m := memory.Instance{
		SharedPage:  basePage(s),
		Connections: whole("max_connections"),
		Active:      min(active, whole("max_connections")),
		Processes:   auxiliary + whole("autovacuum_max_workers") + whole("max_worker_processes") + whole("io_workers"),
		Parallel:    min(whole("max_parallel_workers"), whole("max_worker_processes")),
		WorkMem:     bytes("work_mem"),
		Sorts:       1,
		Hashes:      1,
		TempBuffers: bytes("temp_buffers"),
		Maintenance: bytes("maintenance_work_mem"),
		Autovacuum:  bytes("maintenance_work_mem"),
		Workers:     whole("autovacuum_max_workers"),
	}
	m.HashFactor, _ = set.Float("hash_mem_multiplier")
	if b, ok := set.Bytes("autovacuum_work_mem"); ok {
		m.Autovacuum = b
	}
	seg, _ := sharedMemory(in).Get()
	m.Shared = seg.Size
	if used, _ := hugePagesUsed(in).Get(); used {
		if size, ok := hugePageSize(s, set).Get(); ok && size > 0 {
			m.SharedPage = size
		}
	}
	return m
}

// pageTables returns the page tables that all processes of the instance have now.
func pageTables(in *snapshot.Instance) known.Fact[unit.Bytes] {
	return known.Map(in.Processes, func(ps []host.Process) unit.Bytes {
		var sum unit.Bytes
		for _, p := range ps {
			sum += p.PageTables
		}
		return sum
	})
}
