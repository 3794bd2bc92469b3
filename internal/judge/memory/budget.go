package memory

import "github.com/pgfettle/pgfettle/internal/base/unit"

// BackendBase is the private memory of a backend that has run ordinary queries:
// catalog, relation and plan caches, the executor's small change. An idle one
// was measured at 3 MB (RssAnon), one with caches at 5 to 50 MB; 5 MB is the
// low end of the warm ones, and thousands of tables or partitions need more.
const BackendBase = 5 * unit.MB

// Instance holds the numbers of one instance that its memory depends on, as
// they are or as they are planned.
type Instance struct {
	Shared      unit.Bytes // the whole main shared memory segment, not only shared_buffers
	SharedPage  unit.Bytes // page size that backs it: 4 kB, 2 MB, 1 GB
	Connections int        // that may be open at once: max_connections, or fewer by a history (OpenOf)
	Active      int        // sessions that hold the memory of a query at once
	Processes   int        // in addition to client backends: auxiliary, autovacuum, I/O and parallel workers
	Parallel    int        // max_parallel_workers
	WorkMem     unit.Bytes // work_mem
	HashFactor  float64    // hash_mem_multiplier; 1 if the version has none
	Sorts       float64    // sort-like nodes of one query that hold work_mem at once
	Hashes      float64    // hash-like nodes, each of work_mem × HashFactor
	TempBuffers unit.Bytes // temp_buffers
	TempTables  float64    // the share of the active sessions that use temporary tables, and take it
	Maintenance unit.Bytes // maintenance_work_mem of one manual command
	Autovacuum  unit.Bytes // autovacuum_work_mem (maintenance_work_mem if -1), of each worker
	Workers     int        // autovacuum_max_workers
}

// Parts is where an instance's memory goes with every connection open, Active of
// them at work with full node memory,
// all parallel workers busy, every backend having touched all shared memory,
// one maintenance command, all autovacuum workers.
type Parts struct {
	Shared     unit.Bytes `json:"shared_bytes"`
	PageTables unit.Bytes `json:"page_tables_bytes"`
	// private base of every connection and process, temp_buffers of those that use them
	Backends    unit.Bytes `json:"backends_bytes"`
	Work        unit.Bytes `json:"work_bytes"`        // work_mem × nodes × active sessions and parallel workers
	Maintenance unit.Bytes `json:"maintenance_bytes"` // one command and autovacuum
}

// Sum adds the parts.
func (p Parts) Sum() unit.Bytes {
	return p.Shared + p.PageTables + p.Backends + p.Work + p.Maintenance
}

// Add adds two sets of parts.
func (p Parts) Add(q Parts) Parts {
	return Parts{p.Shared + q.Shared, p.PageTables + q.PageTables, p.Backends + q.Backends, p.Work + q.Work,
		p.Maintenance + q.Maintenance}
}

// Allowances returns how many times work_mem one working process may hold: a
// sort-like node holds work_mem, a hash-like one work_mem × hash_mem_multiplier.
func (i Instance) Allowances() float64 { return i.Sorts + i.Hashes*max(i.HashFactor, 1) }

// Working returns how many processes may hold work_mem at once: the sessions at
// work and the parallel workers that help them, each with allowances of its own.
func (i Instance) Working() int { return i.Active + i.Parallel }

// Claims returns how many times work_mem may be held at once by all processes.
func (i Instance) Claims() float64 { return float64(i.Working()) * i.Allowances() }

// temporary returns the temp_buffers of the sessions at work that use temporary
// tables: a session that never touches one allocates none.
func (i Instance) temporary() unit.Bytes {
	return i.TempBuffers.Scale(float64(i.Active) * i.TempTables)
}

// Parts computes where the memory goes.
func (i Instance) Parts() Parts {
	procs := i.Connections + i.Processes
	return Parts{
		Shared:      i.Shared,
		PageTables:  PageTablesOfAll(i.Shared, i.SharedPage, procs),
		Backends:    unit.Bytes(procs)*BackendBase + i.temporary(),
		Work:        i.WorkMem.Scale(i.Claims()),
		Maintenance: i.Maintenance + unit.Bytes(i.Workers)*i.Autovacuum,
	}
}

// Budget is the memory of the host (or of its cgroup) laid out.
type Budget struct {
	Total   unit.Bytes `json:"total_bytes"`
	Reserve unit.Bytes `json:"reserve_bytes"` // for the kernel and for the unforeseen
	// other programs, measured or, without --dedicated, kept free
	Others unit.Bytes `json:"others_bytes"`
	// what other instances may grow to that the plan does not change
	Beside unit.Bytes `json:"neighbours_bytes,omitempty"`
	Parts
	PoolUnused unit.Bytes `json:"huge_pool_unused_bytes"` // huge pages that no instance will use
	FileCache  unit.Bytes `json:"file_cache_bytes"`       // what is left in the worst case
	Shortfall  unit.Bytes `json:"shortfall_bytes"`        // what is missing in the worst case; 0 when it fits
}

// Lay adds up a budget: FileCache or Shortfall is what remains or is missing.
func Lay(total, reserve, others, poolUnused unit.Bytes, p Parts) Budget {
	b := Budget{Total: total, Reserve: reserve, Others: others, Parts: p, PoolUnused: poolUnused}
	left := total - reserve - others - poolUnused - p.Sum()
	if left >= 0 {
		b.FileCache = left
	} else {
		b.Shortfall = -left
	}
	return b
}

// ReserveOf returns what is kept for the kernel, its caches and the unforeseen:
// 5 % of the memory and at least 1 GB (facts.md 4d), but never more than a
// fifth of a small machine.
func ReserveOf(total unit.Bytes) unit.Bytes {
	return min(max(total/20, unit.GB), total/5)
}

// ReserveOfGroup returns the reserve of a cgroup's limit. The kernel and the daemons of the system live outside it;
// what is charged to the group in addition to the server's own memory is kernel memory on its behalf (sockets, dentries
// and inodes, kernel stacks) and the file pages that are being written: 10 %, and at least 64 MB, as an allowance below
// a few tens of megabytes would be gone with the WAL files in flight. Of a limit of less than 128 MB it is half.
func ReserveOfGroup(limit unit.Bytes) unit.Bytes {
	return min(max(limit/10, 64*unit.MB), limit/2)
}

// With returns the budget with neighbors: counted is what Others contains for them, take what they can grow to.
func (b Budget) With(counted, take unit.Bytes) Budget {
	out := Lay(b.Total, b.Reserve, max(b.Others-counted, 0)+take, b.PoolUnused, b.Parts)
	out.Others, out.Beside = max(b.Others-counted, 0), take
	return out
}
