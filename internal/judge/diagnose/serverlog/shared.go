package serverlog

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// sharedMemory gathers what of shared memory was refused.
type sharedMemory struct {
	own     SharedMemory
	dynamic DynamicShared
	by      few
}

func (s *sharedMemory) take(c *Collector, e *pglog.Entry, k pglog.Kind) {
	if k == pglog.NoSharedMemory {
		r := e.SharedRequest()
		s.own.Refused++
		if s.own.Refused == 1 {
			s.own.Call, s.own.Error, s.own.Limit = r.Call, r.Error, r.Limit
		}
		s.own.Request = larger(s.own.Request, r.Size)
		return
	}
	size, why := e.SegmentRequest()
	s.dynamic.Refused++
	if bytes.HasPrefix([]byte(why), []byte("No space left")) {
		s.dynamic.NoSpace++
	}
	s.dynamic.Largest = larger(s.dynamic.Largest, size)
	s.by.add(c, e)
}

// larger is the larger of two sizes; below 0: the new one is not told.
func larger(have *unit.Bytes, size int64) *unit.Bytes {
	if size < 0 || have != nil && int64(*have) >= size {
		return have
	}
	b := unit.Bytes(size)
	return &b
}

func (s *sharedMemory) report(c *Collector, r *Report) {
	if s.own.Refused > 0 {
		own := s.own
		r.SharedMemory = &own
	}
	if s.dynamic.Refused > 0 {
		d := s.dynamic
		d.Statements = s.by.list(c)
		r.DynamicShared = &d
	}
}

func (c *Collector) noShared(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.NoSharedMemory, "no_shared_memory", Critical,
		"the server did not get its shared memory, {n}, and could not start")
	if !ok {
		return f, false
	}
	m := r.SharedMemory
	if m.Call == "semget" {
		f.Verdict = "the server did not get its semaphores, " + times(f.Count) + ", and could not start"
	}
	if m.Request != nil {
		f.Evidence = append(f.Evidence, "it asked for "+inBytes(*m.Request)+" by "+m.Call)
	}
	switch {
	case m.Limit == "SHMMAX":
		f.Do = append(f.Do, "The segment is larger than the kernel's SHMMAX: raise it (sysctl kernel.shmmax, and "+
			"kernel.shmall in pages), or lower shared_buffers and max_connections. Since 9.3 the server maps its "+
			"memory and needs 56 bytes of System V memory only (shared_memory_type = mmap).")
	case m.Limit == "SHMMNI":
		f.Do = append(f.Do, "All IDs of System V segments, or all of their memory, are taken: ipcs -m lists them. "+
			"Remove those of servers that do not run any more with ipcrm -m ID, or raise them (sysctl kernel.shmmni, "+
			"kernel.shmall; on macOS kern.sysv.shmmni). It is no disk that is full.")
	case m.Limit == "SHMALL":
		f.Do = append(f.Do,
			"All of System V's memory is taken: raise kernel.shmall (in pages), or lower shared_buffers.")
	case m.Call == "semget":
		f.Do = append(f.Do, "The kernel's semaphores are taken: ipcs -s lists them, ipcrm -s ID removes those of "+
			"servers that do not run any more; kernel.sem (SEMMNS, SEMMNI) raises them. RemoveIPC=no in logind.conf "+
			"keeps systemd from taking those of a server that runs.")
	case m.Error == "Function not implemented":
		f.Do = append(f.Do, "This kernel has no System V shared memory (a phone, an emulation, a sandbox): "+
			"PostgreSQL cannot run on it.")
	case m.Call == "shmget" && m.Error != "Cannot allocate memory" && m.Error != "Out of memory":
		f.Do = append(f.Do, "ipcs -lm tells the kernel's limits of System V memory, ipcs -m what is taken.")
	default:
		f.Do = append(f.Do,
			"With huge_pages = on the pool is too small: compare vm.nr_hugepages with 'postgres -C "+
				"shared_memory_size_in_huge_pages'. pgfettle plan gives both for this host.",
			"Without: shared_buffers is beyond the memory, the control group's limit or the commit limit.")
	}
	return f, true
}

func (c *Collector) dynamicShared(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.DynamicShared, "dynamic_shared_memory", Critical,
		"queries did not get memory in /dev/shm, {n}: each failed, the server went on")
	if !ok {
		return f, false
	}
	d := r.DynamicShared
	if d.Largest != nil {
		f.Evidence = append(f.Evidence, "the largest request that was refused is "+inBytes(*d.Largest))
	}
	f.Evidence = append(f.Evidence, said(d.Statements)...)
	if d.NoSpace == 0 {
		f.Do = append(f.Do, "Parallel queries and the statistics keep files in /dev/shm. «Permission denied» and «No "+
			"such file» mean that somebody else removed or made them: RemoveIPC=no in logind.conf, and the server's "+
			"account a system account.")
		return f, true
	}
	f.Do = append(f.Do,
		"/dev/shm is a filesystem in memory, where parallel queries share hash tables: it was full, and no disk. A "+
			"container has 64 MB of it unless told: docker run --shm-size=1g, shm_size in a compose file, in "+
			"Kubernetes an emptyDir with medium: Memory at /dev/shm. It counts for the container's memory limit.",
		"It has to hold what parallel queries take at once: work_mem × hash_mem_multiplier for each process of a "+
			"parallel hash. max_parallel_workers_per_gather = 0 goes without, until it is larger.")
	return f, true
}
