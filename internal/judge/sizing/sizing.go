package sizing

import (
	"math"
	"math/bits"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// The memory of an instance is shared out in this order, so that two promises
// hold: more memory never lowers shared_buffers, and more connections never
// raise work_mem.
//
//  1. A nominal shared_buffers is taken from the memory alone (nominalBuffers).
//  2. max_connections is lowered where the least shared_buffers and a work_mem of
//     4 MB for the sessions expected at work do not fit beside the connections and
//     the ceilings of maintenance and workers (see ceiling.go), but never below what
//     was seen open.
//  3. shared_buffers is the nominal one, or as much of it as fits beside the
//     connections, all of them at work with the least work_mem (survive.go), their
//     page tables included, and the same ceilings; down to 15 % of the memory.
//     A present value that somebody has chosen stays where it is a fifth to two
//     fifths of the memory and all the rest fits beside it; a fresh instance has none.
//  4. work_mem is what is left beside the full share of shared_buffers, divided among all
//     connections at work: what 3 took away from shared_buffers makes room for the
//     least work_mem and for no more.
const (
	// BuffersNear is how far shared_buffers may be from the wanted value and be
	// as good: a machine sold as 64 GB has 62.7 GB, and 16 GB for 15.5 GB is
	// not worth a restart. Sizes are checked with this much on top.
	BuffersNear = 1.0 / 16
	// buffersKeptFrom and buffersKeptTo bound the shares of the memory between which a chosen value stays: the manual
	// names 25 % to start with and sees little use in more than 40 %, the value from which a check fires; below a fifth
	// more is worth a restart.
	buffersKeptFrom, buffersKeptTo = 0.2, limits.BuffersMuch / 100.0
	// WorkMemNear is how much less a work_mem may be than what is wanted and be as
	// good: it is an estimate by nature. One that is larger is another matter.
	WorkMemNear = 0.2
	// tablesShare is limits.TablesPlanned as a share.
	tablesShare = limits.TablesPlanned / 100.0
	// buffersLeast and buffersLeastShare, of the memory, are what shared_buffers is
	// not lowered below to make room for connections: the default that initdb writes,
	// and a share below which a server lives from the kernel's cache alone.
	buffersLeast      = limits.InitdbBuffers
	buffersLeastShare = 0.15
)

// sizeBase is the memory that sizes are taken from: the instance's part of the
// whole, or of what other programs leave on a shared host.
func SizeBase(c *rule.Case, b rule.Basis) unit.Bytes {
	if c.Options.Shared {
		return min(max(b.Total-b.Others, 0)/unit.Bytes(max(b.Instances, 1)), b.Part())
	}
	return b.Part()
}

// nominalBuffers is the shared_buffers that the memory alone suggests: the
// profile's share, half of that share on a machine of 1 GB or less, as the
// connections weigh more there, and in between from 1 to 2 GB.
func nominalBuffers(c *rule.Case, b rule.Basis) unit.Bytes {
	whole := float64(b.Total)
	full := min(1, max(0.5, (whole/2+max(whole-float64(unit.GB), 0))/whole))
	return readable(SizeBase(c, b).Scale(c.Prior().BufferShare * full))
}

// fullBuffers is nominalBuffers without less of it on a small machine: next to it work_mem grows evenly with the
// memory, and not less for a share that grows.
func fullBuffers(c *rule.Case, b rule.Basis) unit.Bytes {
	return readable(SizeBase(c, b).Scale(c.Prior().BufferShare))
}

// readable rounds down to a 32nd of the power of two below, at least 1 MB: 16057
// MB is 15.5 GB. A larger amount never becomes a smaller one by it.
func readable(b unit.Bytes) unit.Bytes { return RoundDown(b, 32, unit.MB) }

// RoundDown rounds down to steps of the power of two below, divided by parts,
// but at least least.
func RoundDown(b unit.Bytes, parts, least unit.Bytes) unit.Bytes {
	if b <= 0 {
		return 0
	}
	top := unit.Bytes(1) << (bits.Len64(uint64(b)) - 1)
	return b.RoundDown(max(top/parts, least))
}

// figures returns what the instance's memory depends on in addition to the shared memory, as decided so far, for a
// number of connections.
func figures(c *rule.Case, conns int) (memory.Instance, bool) {
	active, ok := c.ActiveOf(conns)
	if !ok {
		return memory.Instance{}, false
	}
	m, ok := memory.Figures(settings(c), c.Prior().Load)
	m.Connections = memory.OpenOf(c.Instance, conns)
	m.Active = min(active, m.Connections)
	return m, ok
}

// settings returns what looks up the value that a setting of the instance will have.
func settings(c *rule.Case) func(name string) (value, base string, ok bool) {
	return func(name string) (value, base string, ok bool) {
		v, ok := c.Value(knob.PG(name))
		return v.Setting, v.Unit, ok
	}
}

// Number reads a value as a number.
func Number(v rule.Value) (float64, bool) {
	f, err := unit.Figure(v.Setting)
	return f, err == nil
}

// size reads a value as an amount of memory; ok is false for special values
// below zero.
func size(v rule.Value) (unit.Bytes, bool) {
	f, ok := Number(v)
	mult, mem := unit.MemoryUnit(v.Unit)
	if !ok || !mem || f < 0 || f*float64(mult) >= math.MaxInt64 {
		return 0, false
	}
	return unit.Bytes(f) * mult, true
}

// layout is an instance's memory with a given size of shared_buffers, sized in
// the worst case: with the estimate of the shared memory, which is never below
// the truth, and with the tolerance that the engine leaves on top. above is what
// a ceiling has beyond whole numbers.
type layout struct {
	Instance memory.Instance
	share    unit.Bytes // what the instance may have
	part     unit.Bytes // its part of the whole memory
	base     unit.Bytes // size of regular pages
	huge     unit.Bytes // of huge pages
	commit   unit.Bytes // what it may commit under strict overcommit that stays; 0: not bounded
	Strict   unit.Bytes // likewise where it is strict if work_mem lets it be
	above    fractions
	Of       rule.Profile // whose demand it is
	outside  outside
}

// layout returns the memory with the settings as they were decided.
func layoutOf(c *rule.Case, b rule.Basis, conns int) (layout, bool) {
	m, ok := figures(c, conns)
	if !ok {
		// If the CPUs are unknown, every session may be active: enough to see that shared_buffers fits, not to size
		// work_mem.
		m, ok = memory.Figures(settings(c), c.Prior().Load)
		m.Connections = memory.OpenOf(c.Instance, conns)
		m.Active = m.Connections
	}
	forced, wanted := CommitRoom(c, b)
	return layout{Instance: m, share: b.Share(), part: b.Part(), commit: forced, Strict: wanted,
		base: memory.BasePage(c.Snapshot), huge: rule.HugePageSize(c.Snapshot, c.Instance),
		outside: outsideOf(c, b, conns)}, ok
}

// on returns the memory with shared memory of the given size on pages of the
// given size.
func (l layout) on(shared, page, work unit.Bytes) memory.Instance {
	m := l.Instance
	m.Shared, m.SharedPage, m.WorkMem = shared.RoundUp(page), page, work
	return m
}

// parts returns how the memory is used with shared memory of the given size, the fractions included.
func (l layout) parts(shared, page, work unit.Bytes) memory.Parts {
	return l.above.of(l.on(shared, page, work))
}

// tables returns the page tables for shared memory on regular pages that depend on its size, of all processes.
func (l layout) tables(shared unit.Bytes) unit.Bytes {
	n := float64(l.Instance.Connections+l.Instance.Processes) + l.above.processes
	return memory.PageTables(shared, l.base).Scale(n)
}

// largest returns the largest whole number of megabytes from 1 MB to most for which ok holds, in readable steps, and 0
// if it holds for none; ok must hold for everything below an amount for which it holds.
func largest(most unit.Bytes, ok func(unit.Bytes) bool) unit.Bytes {
	if ok(most) {
		return most
	}
	lo, hi := int64(0), int64(most/unit.MB)+1
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		if ok(unit.Bytes(mid) * unit.MB) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return readable(unit.Bytes(lo) * unit.MB)
}

// WithTolerance adds a tolerance to a size.
func WithTolerance(b unit.Bytes, tolerance float64) unit.Bytes {
	return b + unit.Bytes(math.Ceil(float64(b)*tolerance))
}
