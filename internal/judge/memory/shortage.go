package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

const (
	// AvailableLow is the percentage of the memory that has to be available: below
	// it what is kept for the kernel and the unforeseen (ReserveOf) is in use.
	AvailableLow = 5
	// PressureMuch is the share of the last five minutes in percent in which some task waited for memory. A healthy
	// database host shows 0 to 1; at 10 % a tenth of some task's time is lost.
	PressureMuch = 10
	// SwappedMuch is the private memory of a dozen backends: less in swap is unneeded start-up memory of processes.
	SwappedMuch = 64 * unit.MB
)

// ShortageOf returns what says that an instance's memory does not suffice: kills,
// private memory in swap, waiting for memory, hardly any available. Of a described
// host nothing was seen.
func ShortageOf(s *snapshot.Snapshot, in *snapshot.Instance) (say.Message, bool) {
	if s.Described {
		return say.Message{}, false
	}
	cg, _ := in.CGroup.Get()
	if n, ok := cg.OOMKills.Get(); ok && n > 0 {
		return say.M("OOM kills in its cgroup: {seen}", "seen", n), true
	}
	swapped := unit.Bytes(0)
	ps, _ := in.Processes.Get()
	for _, p := range ps {
		swapped += p.Swap
	}
	if swapped >= SwappedMuch {
		return say.M("{seen} of its private memory is swapped out", "seen", swapped), true
	}
	if _, limited := s.MemoryLimit(in); limited {
		return say.Message{}, false // what follows is of the whole host
	}
	if vm, ok := s.Host.VMStat.Get(); ok && vm["oom_kill"] > 0 {
		return say.M("OOM kills on this host since boot: {seen}", "seen", vm["oom_kill"]), true
	}
	if p, ok := s.Host.Pressure.Memory.Get(); ok && p.Some300 >= PressureMuch {
		return say.M("memory pressure (PSI some, avg300) is {seen}%", "seen",
			int(p.Some300)), true
	}
	if m, ok := s.Host.Memory.Get(); ok {
		// Free huge pages are there for the servers of the plan.
		left := m.Available + unit.Bytes(max(m.HugeFree, 0))*m.HugePageSize
		if m.Available > 0 && left < m.Total*AvailableLow/100 {
			return say.M("only {seen} of memory is available", "seen", left), true
		}
	}
	return say.Message{}, false
}
