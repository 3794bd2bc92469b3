package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// The names of the parts of a host's memory, in the order of the picture. To a program they are values.
const (
	PartTables   = "page tables of PostgreSQL"
	PartPrivate  = "private memory of PostgreSQL"
	PartShared   = "shared memory and tmpfs"
	PartHuge     = "huge pages in use"
	PartOthers   = "private memory of other programs"
	PartTables2  = "page tables of other programs"
	PartKernel   = "kernel"
	PartIdleHuge = "huge pages not in use"
	PartCache    = "file cache"
	PartFree     = "free"
	// PartUntold is what lines that are missing would part: programs, page tables, the kernel.
	PartUntold = "programs and kernel, not separated"
)

// PartTitles are the parts for people.
var PartTitles = map[string]say.Message{
	PartTables:   say.M("page tables of PostgreSQL"),
	PartPrivate:  say.M("private memory of PostgreSQL"),
	PartShared:   say.M("shared memory and tmpfs"),
	PartHuge:     say.M("huge pages in use"),
	PartOthers:   say.M("private memory of other programs"),
	PartTables2:  say.M("page tables of other programs"),
	PartKernel:   say.M("kernel"),
	PartIdleHuge: say.M("unused huge pages"),
	PartCache:    say.M("page cache"),
	PartFree:     say.M("free"),
	PartUntold:   say.M("programs and kernel (not divided)"),
}

// roughly parts the memory of a host for which only some lines are known, as from free: what is not distinguished stays
// one part.
func roughly(m host.Memory) []Part {
	cache := max(m.Cached+m.Buffers+m.SlabReclaim-m.Shmem, 0)
	parts := []Part{{PartShared, m.Shmem}, {PartUntold, 0}, {PartCache, cache}, {PartFree, m.Free}}
	parts[1].Size = max(m.Total-m.Shmem-cache-m.Free, 0)
	return parts
}

// LayOut parts the memory of a host, given what the instances' processes have of
// it. What no line of meminfo claims counts with the kernel, so that the parts add
// up to the total.
func LayOut(m host.Memory, tables, private unit.Bytes) *Host {
	out := &Host{Total: m.Total}
	for to, name := range map[**unit.Bytes]string{&out.Available: "MemAvailable", &out.SwapTotal: "SwapTotal",
		&out.PageTables: "PageTables"} {
		if b, ok := m.Told(name).Get(); ok {
			*to = &b
		}
	}
	if left, ok := m.Told("SwapFree").Get(); ok && out.SwapTotal != nil {
		used := *out.SwapTotal - left
		out.SwapUsed = &used
	}
	if !m.Told("AnonPages").Known() || !m.Told("SUnreclaim").Known() {
		out.Parts = roughly(m)
		return out
	}
	// The processes were read one after the other and before or after meminfo:
	// no part of the whole is larger than the whole.
	tables, private = min(tables, m.PageTables), min(private, m.AnonPages)
	huge := unit.Bytes(m.HugeTotal-m.HugeFree) * m.HugePageSize
	pool := m.Hugetlb()
	huge = min(max(huge, 0), pool)
	cache := m.Cached + m.Buffers - m.Shmem + m.SlabReclaim
	parts := []Part{
		{PartTables, tables}, {PartPrivate, private}, {PartShared, m.Shmem}, {PartHuge, huge},
		{PartOthers, m.AnonPages - private},
		{PartTables2, m.PageTables - tables}, {PartKernel, 0}, {PartIdleHuge, pool - huge}, {PartCache, max(cache, 0)},
		{PartFree, m.Free},
	}
	rest := m.Total
	for _, p := range parts {
		rest -= p.Size
	}
	for i := range parts {
		if parts[i].Name == PartKernel {
			parts[i].Size = max(rest, 0)
		}
	}
	out.Parts = parts
	return out
}
