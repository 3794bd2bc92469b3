package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Laid is an instance's memory as it is and as it is planned.
type Laid struct {
	Before, After memory.Instance
	Load          memory.Load // of the profile
}

// All returns the instance with every connection at work: with a query of the
// profile each, of reports with one node.
func (l Laid) All(i memory.Instance) memory.Instance {
	list := l.Load.Demands(i)
	return list[len(list)-1]
}

// onInstance returns a case that looks at an instance with everything decided.
func (o *Outcome) onInstance(s *snapshot.Snapshot, in *snapshot.Instance, opt *Options) *Case {
	return &Case{Snapshot: s, Instance: in, Options: opt, rule: &Rule{}, out: o}
}

// SharedMemory returns the planned shared memory of an instance; ok is false
// where its settings are not known.
func (o *Outcome) SharedMemory(s *snapshot.Snapshot, in *snapshot.Instance, opt *Options) (SharedMemory, bool) {
	if !in.Server.Settings.Known() || !in.Server.Version.Known() {
		return SharedMemory{}, false
	}
	return o.onInstance(s, in, opt).SharedMemory()
}

// Memory returns where an instance's memory goes before and after; ok is false
// where its settings or the processors are not known.
func (o *Outcome) Memory(s *snapshot.Snapshot, in *snapshot.Instance, opt *Options) (Laid, bool) {
	c := o.onInstance(s, in, opt)
	before, ok1 := memory.AsItIs(s, in, c.prior().Load).Get()
	after, ok2 := memory.Figures(c.lookup, c.prior().Load)
	shared, ok3 := o.SharedMemory(s, in, opt)
	if !ok1 || !ok2 || !ok3 {
		return Laid{}, false
	}
	before.Active, ok1 = c.activeOf(before.Connections)
	after.Active, ok2 = c.activeOf(after.Connections)
	before.Connections, after.Connections = memory.OpenOf(in, before.Connections), memory.OpenOf(in, after.Connections)
	before.Active, after.Active = min(before.Active, before.Connections), min(after.Active, after.Connections)
	after.Shared, after.SharedPage = shared.Bytes, memory.BasePage(s)
	if page := hugePageSize(s, in); o.onHuge(s, in, opt) && page > 0 {
		after.Shared, after.SharedPage = shared.Bytes.RoundUp(page), page
	}
	return Laid{Before: before, After: after, Load: c.prior().Load}, ok1 && ok2
}

// onHuge says whether an instance will run on huge pages: it asks for them, and
// the pool as it is planned holds the shared memory of every instance that does.
func (o *Outcome) onHuge(s *snapshot.Snapshot, in *snapshot.Instance, opt *Options) bool {
	if asked, ok := o.onInstance(s, in, opt).Text("pg:huge_pages"); !ok || asked == "off" {
		return false
	}
	mem, ok := s.Host.Memory.Get()
	if !ok || mem.HugePageSize == 0 {
		return false
	}
	if hugePageSize(s, in) != mem.HugePageSize {
		return onHugePages(in) // pools of other sizes are made at boot and not planned
	}
	need := foreignPages(s, mem)
	for i := range s.Instances {
		other := &s.Instances[i]
		c := o.onInstance(s, other, opt)
		if asked, ok := c.Text("pg:huge_pages"); !ok || asked == "off" || hugePageSize(s, other) != mem.HugePageSize {
			continue
		}
		sh, ok := o.SharedMemory(s, other, opt)
		if !ok {
			return false
		}
		need += sh.Pages
	}
	return need <= o.pool(s, opt)
}

// pool returns the planned number of huge pages of the default size, those that
// the kernel may add on demand included.
func (o *Outcome) pool(s *snapshot.Snapshot, opt *Options) int64 {
	mem, _ := s.Host.Memory.Get()
	n := mem.HugeTotal - mem.HugeSurp
	c := &Case{Snapshot: s, Options: opt, rule: &Rule{}, out: o}
	if v, ok := c.Int("sysctl:vm.nr_hugepages"); ok {
		n = int64(v)
	}
	if v, ok := c.Int("sysctl:vm.nr_overcommit_hugepages"); ok {
		n += int64(v)
	}
	return n
}

// PoolUnused returns the memory in huge pages that nobody uses, as it is and as
// planned. Where the memory is that of control groups it is 0: the host's pool
// is charged to none of them.
func (o *Outcome) PoolUnused(s *snapshot.Snapshot, opt *Options) (before, after unit.Bytes) {
	if b, ok := o.Basis(s, opt); ok && b.Limited {
		return 0, 0
	}
	mem, ok := s.Host.Memory.Get()
	if !ok || mem.HugePageSize == 0 {
		return 0, 0
	}
	before = unit.Bytes(max(mem.HugeTotal-mem.HugeUsed(), 0)) * mem.HugePageSize
	n := mem.HugeTotal - mem.HugeSurp
	c := &Case{Snapshot: s, Options: opt, rule: &Rule{}, out: o}
	if v, ok := c.Int("sysctl:vm.nr_hugepages"); ok {
		n = int64(v)
	}
	n -= foreignPages(s, mem)
	for i := range s.Instances {
		in := &s.Instances[i]
		if sh, ok := o.SharedMemory(s, in, opt); ok && hugePageSize(s, in) == mem.HugePageSize && o.onHuge(s, in, opt) {
			n -= sh.Pages
		}
	}
	return before, unit.Bytes(max(n, 0)) * mem.HugePageSize
}
