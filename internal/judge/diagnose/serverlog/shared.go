package serverlog

import (
	"bytes"
	"math"

	"github.com/pgfettle/pgfettle/internal/base/say"
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

// larger is the larger of two sizes; if below 0, the new one is unknown.
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
		for _, src := range c.sources {
			if b := unit.Bytes(src.Shmmax); b > 0 {
				own.Shmmax = &b
			}
		}
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
		"Server could not start without its shared memory: {n} attempt",
		"Server could not start without its shared memory: {n} attempts")
	if !ok {
		return f, false
	}
	m := r.SharedMemory
	if m.Call == "semget" {
		f.Verdict = say.N(f.Count, "Server could not start without its semaphores: {n} attempt",
			"Server could not start without its semaphores: {n} attempts")
	}
	if m.Request != nil {
		f.Evidence = append(f.Evidence, say.M("it requested {size} with {call}", "size", inBytes(*m.Request), "call",
			m.Call))
	}
	fits := m.Shmmax != nil && m.Request != nil && *m.Request <= *m.Shmmax
	if m.Limit == "SHMMAX" && m.Shmmax != nil && *m.Shmmax < math.MaxInt64 {
		f.Evidence = append(f.Evidence, say.M("kernel.shmmax in the input: {size}", "size", inBytes(*m.Shmmax)))
	}
	switch {
	case m.Limit == "SHMMAX" && fits:
		f.Do = append(f.Do, say.M("The kernel.shmmax in the input allows the request, so something else refused it: "+
			"the limits where the server runs (ipcs -lm in its container), another segment with the same key (ipcs "+
			"-m), or a sandbox."))
	case m.Limit == "SHMMAX":
		f.Do = append(f.Do, say.M("The segment exceeds SHMMAX. Raise kernel.shmmax, and kernel.shmall in pages "+
			"(sysctl), or lower shared_buffers and max_connections. Since PostgreSQL 9.3, the server maps its memory "+
			"and needs only 56 bytes of System V memory (shared_memory_type = mmap)."))
	case m.Limit == "SHMMNI":
		f.Do = append(f.Do, say.M("All IDs of System V segments, or all of their memory, are in use; no disk is "+
			"full. ipcs -m lists them. Remove the segments of servers that no longer run with ipcrm -m ID, or raise "+
			"the limits (sysctl kernel.shmmni, kernel.shmall; on macOS kern.sysv.shmmni)."))
	case m.Limit == "SHMALL":
		f.Do = append(f.Do, say.M("All System V shared memory is in use: raise kernel.shmall (in pages), or lower "+
			"shared_buffers."))
	case m.Call == "semget":
		f.Do = append(f.Do, say.M("All semaphores of the kernel are in use. ipcs -s lists them. Remove those of "+
			"servers that no longer run with ipcrm -s ID, or raise kernel.sem (SEMMNS, SEMMNI). RemoveIPC=no in "+
			"logind.conf prevents systemd from removing those of a running server."))
	case m.Error == "Function not implemented":
		f.Do = append(f.Do, say.M("This kernel has no System V shared memory (a phone, an emulation, a sandbox): "+
			"PostgreSQL cannot run on it."))
	case m.Call == "shmget" && m.Error != "Cannot allocate memory" && m.Error != "Out of memory":
		f.Do = append(f.Do, say.M("ipcs -lm shows the limits of the kernel for System V memory, ipcs -m what is in "+
			"use."))
	default:
		f.Do = append(f.Do,
			say.M("With huge_pages = on, the pool is probably too small: compare vm.nr_hugepages with postgres -C "+
				"shared_memory_size_in_huge_pages (15 and later). pgfettle plan shows both for the host."),
			say.M("With huge_pages = try or off, shared_buffers exceeds the free memory or the commit limit."))
	}
	return f, true
}

func (c *Collector) dynamicShared(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.DynamicShared, "dynamic_shared_memory", Critical,
		"Dynamic shared memory (/dev/shm) not available: {n} error",
		"Dynamic shared memory (/dev/shm) not available: {n} errors")
	if !ok {
		return f, false
	}
	d := r.DynamicShared
	if d.Largest != nil {
		f.Evidence = append(f.Evidence, say.M("largest refused request: {size}", "size", inBytes(*d.Largest)))
	}
	f.Evidence = append(f.Evidence, said(d.Statements)...)
	if d.NoSpace == 0 {
		f.Do = append(f.Do, say.M("Parallel queries and the statistics keep files in /dev/shm. \"Permission denied\" "+
			"and \"No such file\" mean that another process created or removed them: set RemoveIPC=no in "+
			"logind.conf, and run the server as a system account."))
		return f, true
	}
	f.Do = append(f.Do,
		say.M("/dev/shm is a filesystem in memory, in which parallel queries share hash tables. It was full; no disk "+
			"was. Containers have 64 MB of it by default: use docker run --shm-size=1g, shm_size in a Compose file, "+
			"or in Kubernetes an emptyDir with medium: Memory at /dev/shm. It counts toward the memory limit of the "+
			"container."),
		say.M("It must hold what parallel queries need at the same time: work_mem × hash_mem_multiplier for each "+
			"process of a parallel hash. Until it is larger, max_parallel_workers_per_gather = 0 avoids parallel "+
			"queries."))
	return f, true
}
