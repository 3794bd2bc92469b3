package cgroup

import (
	"io/fs"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// noHierarchy is the gap of a controller without a hierarchy in the evidence.
func (r *cgroupReader) noHierarchy() known.Gap {
	return known.Gap{Fact: "cgroup " + r.controller, Reason: "no mounted hierarchy contains the cgroup " +
		strconv.Quote(host.Short(r.h.path))}
}

func (r *cgroupReader) memory() {
	cg := &r.cg
	cg.Path, cg.Version = r.h.path, r.h.version
	cg.HugeCounts = known.Is(r.h.hugeCounts)
	if !r.mounted {
		g := r.noHierarchy()
		cg.Memory, cg.MemoryHigh, cg.Swap = known.Missed[unit.Bytes](g), known.Missed[unit.Bytes](g),
			known.Missed[unit.Bytes](g)
		cg.OOMGroup, cg.OOMKills = known.Missed[bool](g), known.Missed[int64](g)
		cg.HugeCounts = known.Missed[bool](g)
		return
	}
	if r.h.version == 2 {
		cg.Memory = bytesOf(r.smallest("memory", "memory.max"))
		cg.MemoryHigh = bytesOf(r.smallest("memory_high", "memory.high"))
		cg.Swap = bytesOf(r.smallest("swap", "memory.swap.max"))
		cg.OOMGroup = readOwn(r, "memory.oom.group", host.ParseFlag)
		cg.OOMKills = readOwn(r, "memory.events", ParseOOMKills)
		return
	}
	cg.Memory = bytesOf(r.smallest("memory", "memory.limit_in_bytes"))
	if !host.Exists(r.fsys, r.h.levels[0].dir+"/memory.limit_in_bytes") && cg.Memory.State() == known.Absent {
		// every group of version 1 has this file: it was not collected
		cg.Memory = known.Missed[unit.Bytes](known.Gap{Fact: r.h.levels[0].dir + "/memory.limit_in_bytes",
			Reason: "not in the evidence"})
	}
	cg.MemoryHigh = known.None[unit.Bytes](known.Gap{Fact: "memory.high", Reason: "version 1 has no such limit"})
	cg.Swap = r.swapV1()
	cg.OOMGroup = known.None[bool](known.Gap{Fact: "memory.oom.group", Reason: "version 1 has no such switch"})
	cg.OOMKills = readOwn(r, "memory.oom_control", ParseOOMKills)
}

// swapV1 is what memory and swap together may hold beyond what memory may.
func (r *cgroupReader) swapV1() known.Fact[unit.Bytes] {
	both := r.smallest("swap", "memory.memsw.limit_in_bytes")
	sum, ok := both.Get()
	mem, limited := r.cg.Memory.Get()
	switch {
	case !ok:
		return bytesOf(both)
	case limited:
		return known.Is(max(unit.Bytes(sum)-mem, 0))
	case r.cg.Memory.State() == known.Absent:
		return known.Is(unit.Bytes(sum)) // all of it may be swap
	}
	delete(r.cg.LimitedBy, "swap")
	return known.Without[unit.Bytes](r.cg.Memory.State(), r.cg.Memory.Gap())
}

func (r *cgroupReader) cpu() {
	if !r.mounted {
		r.cg.CPUs = known.Missed[float64](r.noHierarchy())
		return
	}
	r.cg.CPUs = known.None[float64](known.Gap{Fact: "cgroup cpu", Reason: "no limit is set"})
	for _, l := range r.h.levels {
		f := r.quota(l.dir)
		q, ok := f.Get()
		best, have := r.cg.CPUs.Get()
		switch {
		case ok && (!have || q < best):
			r.cg.CPUs = f
			r.cg.LimitedBy["cpus"] = l.cgroup
		case !ok && f.State() != known.Absent:
			delete(r.cg.LimitedBy, "cpus")
			r.cg.CPUs = f
			return
		}
	}
}

func (r *cgroupReader) quota(dir string) known.Fact[float64] {
	if r.h.version == 2 {
		return limit(evidence.Read(r.fsys, dir+"/cpu.max", ParseCPUMax), dir+"/cpu.max")
	}
	quota := limit(evidence.Read(r.fsys, dir+"/cpu.cfs_quota_us", ParseLimit), dir+"/cpu.cfs_quota_us")
	q, ok := quota.Get()
	if !ok {
		return known.Without[float64](quota.State(), quota.Gap())
	}
	return known.Try(evidence.Read(r.fsys, dir+"/cpu.cfs_period_us", ParseLimit), dir+"/cpu.cfs_period_us",
		func(p int64) (float64, error) { return cpusOf(q, p) })
}

// cpuset reads the nearest level that has the file: it holds what all above
// leave over.
func (r *cgroupReader) cpuset() {
	if !r.mounted {
		r.cg.CPUSet = known.Missed[int](r.noHierarchy())
		return
	}
	r.cg.CPUSet = known.None[int](known.Gap{Fact: "cgroup cpuset", Reason: "no limit is set"})
	online := evidence.Read(r.fsys, "sys/devices/system/cpu/online", host.ParseCPUList)
	if !online.Known() {
		online = known.Map(host.ReadCPU(r.fsys), func(c host.CPU) int { return c.Logical })
	}
	for _, l := range r.h.levels {
		for _, file := range limitFiles("cpuset", r.h.version) {
			f := evidence.Read(r.fsys, l.dir+"/"+file, host.ParseCPUList)
			n, ok := f.Get()
			if !ok && f.State() == known.Absent || ok && n == 0 { // an empty cpuset.cpus of version 1 sets nothing
				continue
			}
			all, whole := online.Get()
			switch {
			case ok && !whole:
				r.cg.CPUSet = known.Without[int](online.State(), online.Gap())
			case !ok:
				r.cg.CPUSet = f
			case n < all:
				r.cg.CPUSet = f
				r.cg.LimitedBy["cpuset"] = l.cgroup
			}
			return
		}
	}
}

func (r *cgroupReader) hugetlb() {
	if !r.mounted {
		return
	}
	for _, s := range hugetlbSizes {
		files := hugetlbFiles(s.name, r.h.version)
		seen := false
		for _, l := range r.h.levels {
			for _, f := range files {
				_, err := fs.ReadFile(r.fsys, l.dir+"/"+f)
				if err == nil {
					seen = true
				} else if st, _ := evidence.GapOf(f, err); st != known.Absent {
					seen = true
				}
			}
		}
		if seen {
			kb := int64(s.size / unit.KB)
			r.cg.Hugetlb[kb] = bytesOf(r.smallest("hugetlb."+strconv.FormatInt(kb, 10)+"kB", files...))
		}
	}
}

// smallest reads files at every level and returns the smallest limit that is
// set, the nearest one of equal ones; which names it in LimitedBy.
func (r *cgroupReader) smallest(which string, files ...string) known.Fact[int64] {
	if !r.mounted {
		return known.Missed[int64](r.noHierarchy())
	}
	best := known.None[int64](known.Gap{Fact: "cgroup " + which, Reason: "no limit is set"})
	by := ""
	for _, l := range r.h.levels {
		for _, file := range files {
			f := limit(evidence.Read(r.fsys, l.dir+"/"+file, ParseLimit), l.dir+"/"+file)
			n, ok := f.Get()
			least, have := best.Get()
			switch {
			case ok && (!have || n < least):
				best, by = f, l.cgroup
			case !ok && f.State() != known.Absent:
				return f
			}
		}
	}
	if best.Known() {
		r.cg.LimitedBy[which] = by
	}
	return best
}

// readOwn reads a file of the process's own group.
func readOwn[T any](r *cgroupReader, file string, parse func([]byte) (T, error)) known.Fact[T] {
	return evidence.Read(r.fsys, r.h.levels[0].dir+"/"+file, parse)
}

func bytesOf(f known.Fact[int64]) known.Fact[unit.Bytes] {
	return known.Map(f, func(n int64) unit.Bytes { return unit.Bytes(n) })
}
