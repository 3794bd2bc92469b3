package sizing

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Planned is an instance's memory as it is and as it is planned.
type Planned struct {
	Before, After memory.Instance
	Load          memory.Load // of the profile
}

// All returns the instance with every connection at work: with a query of the
// profile each, of reports with one node.
func (l Planned) All(i memory.Instance) memory.Instance {
	list := l.Load.Demands(i)
	return list[len(list)-1]
}

// SharedMemory returns the planned shared memory of an instance; ok is false if its settings are not known.
func PlannedSharedMemory(o *rule.Outcome, s *snapshot.Snapshot, in *snapshot.Instance,
	opt *rule.Options) (SharedMemory, bool) {
	if !in.Server.Settings.Known() || !in.Server.Version.Known() {
		return SharedMemory{}, false
	}
	return SharedMemoryOf(o.OnInstance(s, in, opt))
}

// Memory returns how an instance's memory is used before and after; ok is false if its settings or the CPUs are not
// known.
func PlannedMemory(o *rule.Outcome, s *snapshot.Snapshot, in *snapshot.Instance, opt *rule.Options) (Planned, bool) {
	c := o.OnInstance(s, in, opt)
	before, ok1 := memory.AsItIs(s, in, c.Prior().Load).Get()
	after, ok2 := memory.Figures(settings(c), c.Prior().Load)
	shared, ok3 := PlannedSharedMemory(o, s, in, opt)
	if !ok1 || !ok2 || !ok3 {
		return Planned{}, false
	}
	before.Active, ok1 = c.ActiveOf(before.Connections)
	after.Active, ok2 = c.ActiveOf(after.Connections)
	before.Connections, after.Connections = memory.OpenOf(in, before.Connections), memory.OpenOf(in, after.Connections)
	before.Active, after.Active = min(before.Active, before.Connections), min(after.Active, after.Connections)
	after.Shared, after.SharedPage = shared.Bytes, memory.BasePage(s)
	if page := rule.HugePageSize(s, in); onHuge(o, s, in, opt) && page > 0 {
		after.Shared, after.SharedPage = shared.Bytes.RoundUp(page), page
	}
	return Planned{Before: before, After: after, Load: c.Prior().Load}, ok1 && ok2
}

// onHuge reports whether an instance will run on huge pages: it asks for them, and the pool as it is planned holds the
// shared memory of every instance that does.
func onHuge(o *rule.Outcome, s *snapshot.Snapshot, in *snapshot.Instance, opt *rule.Options) bool {
	if asked, ok := o.OnInstance(s, in, opt).Text("pg:huge_pages"); !ok || asked == "off" {
		return false
	}
	mem, ok := s.Host.Memory.Get()
	if !ok || mem.HugePageSize == 0 {
		return false
	}
	if rule.HugePageSize(s, in) != mem.HugePageSize {
		return rule.OnHugePages(in) // pools of other sizes are made at boot and not planned
	}
	need := rule.ForeignPages(s, mem)
	for i := range s.Instances {
		other := &s.Instances[i]
		c := o.OnInstance(s, other, opt)
		if asked, ok := c.Text("pg:huge_pages"); !ok || asked == "off" ||
			rule.HugePageSize(s, other) != mem.HugePageSize {
			continue
		}
		sh, ok := PlannedSharedMemory(o, s, other, opt)
		if !ok {
			return false
		}
		need += sh.Pages
	}
	return need <= pool(o, s, opt)
}

// pool returns the planned number of huge pages of the default size, those that
// the kernel may add on demand included.
func pool(o *rule.Outcome, s *snapshot.Snapshot, opt *rule.Options) int64 {
	mem, _ := s.Host.Memory.Get()
	n := mem.HugeTotal - mem.HugeSurp
	c := &rule.Case{Snapshot: s, Options: opt, Rule: &rule.Rule{}, Outcome: o}
	if v, ok := c.Int("sysctl:vm.nr_hugepages"); ok {
		n = int64(v)
	}
	if v, ok := c.Int("sysctl:vm.nr_overcommit_hugepages"); ok {
		n += int64(v)
	}
	return n
}

// PoolUnused returns the memory in huge pages that are unused, as it is and as planned. If the memory is that of
// cgroups, it is 0: the host's pool is charged to none of them.
func PoolUnused(o *rule.Outcome, s *snapshot.Snapshot, opt *rule.Options) (before, after unit.Bytes) {
	if b, ok := o.Basis(s, opt); ok && b.Limited {
		return 0, 0
	}
	mem, ok := s.Host.Memory.Get()
	if !ok || mem.HugePageSize == 0 {
		return 0, 0
	}
	before = unit.Bytes(max(mem.HugeTotal-mem.HugeUsed(), 0)) * mem.HugePageSize
	n := mem.HugeTotal - mem.HugeSurp
	c := &rule.Case{Snapshot: s, Options: opt, Rule: &rule.Rule{}, Outcome: o}
	if v, ok := c.Int("sysctl:vm.nr_hugepages"); ok {
		n = int64(v)
	}
	n -= rule.ForeignPages(s, mem)
	for i := range s.Instances {
		in := &s.Instances[i]
		if sh, ok := PlannedSharedMemory(o, s, in, opt); ok && rule.HugePageSize(s, in) == mem.HugePageSize &&
			onHuge(o, s, in, opt) {
			n -= sh.Pages
		}
	}
	return before, unit.Bytes(max(n, 0)) * mem.HugePageSize
}
