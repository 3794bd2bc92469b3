package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Basis is the memory that instances may count on. It depends on nothing that a plan changes, so that planning the
// planned host gives the same plan.
type Basis struct {
	Total   unit.Bytes // of the host, or the limit of the cgroup
	Limited bool       // a cgroup limits the memory, not the host
	Reserve unit.Bytes // memory.ReserveOf(Total), or memory.ReserveOfGroup(Total)
	// other programs, see othersOf, or half of the memory on a shared host; of a cgroup's limit what the host cannot
	// give
	Others    unit.Bytes
	Beside    unit.Bytes // of Others what is taken for the neighbors: other instances that the plan does not change
	Measured  unit.Bytes // other programs before they were rounded up; 0 within a cgroup's limit
	Host      Room       // of an instance within a cgroup's limit what the host leaves it
	Instances int        // that share what is left, equally
	Bound     unit.Bytes // what an instance may have at most, as a person wants it; 0: what there is
}

// Room is what the host has for an instance whose cgroup has a limit: huge pages are not charged to the group, so that
// this bounds them.
type Room struct {
	Share, Part, Most unit.Bytes // Basis.Share and Basis.Part of the host, and its memory without the reserve
}

// Share is the memory of one instance: an equal part of what is left.
func (b Basis) Share() unit.Bytes {
	return b.bounded(max(b.Total-b.Reserve-b.Others, 0) / unit.Bytes(max(b.Instances, 1)))
}

// Part is an equal part of the whole memory after the neighbors, from which the sizes are taken that should not move
// when another program grows a little.
func (b Basis) Part() unit.Bytes {
	return b.bounded((b.Total - b.Beside) / unit.Bytes(max(b.Instances, 1)))
}

func (b Basis) bounded(m unit.Bytes) unit.Bytes {
	if b.Bound > 0 {
		return min(m, b.Bound)
	}
	return m
}

// Basis returns the memory that the case's instance may count on; for a rule of
// the host, what all of its instances may. Without the host's memory there is
// none, which is noted among the unknowns.
func (c *Case) Basis() (Basis, bool) {
	if !c.Snapshot.HostSeen {
		return Basis{}, false
	}
	if limit, limited := c.Snapshot.MemoryLimit(c.Instance); !limited {
		if _, ok := Need(c, limit); !ok {
			return Basis{}, false
		}
	}
	return BasisOf(c.Snapshot, c.Instance, c.Options, c.Outcome)
}

// Basis returns the memory that all instances of the snapshot share: the host's, or the sum of the limits if every
// instance is limited.
func (o *Outcome) Basis(s *snapshot.Snapshot, opt *Options) (Basis, bool) {
	if len(s.Instances) == 0 {
		return BasisOf(s, nil, opt, o)
	}
	all := Basis{Limited: true}
	seen := map[string]bool{}
	for i := range s.Instances {
		in := &s.Instances[i]
		b, ok := BasisOf(s, in, opt, o)
		if !ok {
			return Basis{}, false
		}
		if !b.Limited {
			return BasisOf(s, nil, opt, o)
		}
		all.Instances++
		if g := memory.LimitGroup(in); !seen[g] {
			seen[g] = true
			all.Total += b.Total
			all.Reserve += b.Reserve
			all.Others += b.Others
			all.Beside += b.Beside
		}
	}
	return all, true
}

// NeighboursTake is what the neighbors may take of the memory of a budget: of the host's, or of the limits of the
// cgroups that they share.
func (o *Outcome) NeighboursTake(s *snapshot.Snapshot, b Basis) (sum unit.Bytes) {
	groups := map[string]bool{}
	for i := range s.Instances {
		groups[memory.LimitGroup(&s.Instances[i])] = true
	}
	for _, n := range memory.Neighbours(s) {
		switch {
		case !b.Limited:
			sum += n.Take
		case n.Group != "" && groups[n.Group]:
			sum += n.Take - n.Huge
		}
	}
	return sum
}

// BasisOf takes, of the host and the instance's cgroup, the one that leaves the instance less. in is nil for the host
// as a whole.
func BasisOf(s *snapshot.Snapshot, in *snapshot.Instance, opt *Options, out *Outcome) (Basis, bool) {
	mem, hostOK := s.Host.Memory.Get()
	var whole Basis
	if hostOK {
		whole = Basis{Total: mem.Total, Instances: max(len(s.Instances), 1)}
		foreign := foreignHuge(s, mem)
		others := OthersOf(s, out)
		whole.Beside = memory.Beside(s, mem.Total, whole.Instances, "")
		whole.Measured, whole.Others = others.Held+foreign, others.Counted+foreign+whole.Beside
	}
	limit, limited := s.MemoryLimit(in)
	group, groupOK := limit.Get()
	switch {
	case limited && groupOK:
		g := Basis{Total: group, Limited: true, Instances: memory.Sharing(s, in)}
		g.Beside = memory.Beside(s, group, g.Instances, memory.LimitGroup(in))
		g.Others = g.Beside
		// What is kept for the kernel is another share of a limit than of a host,
		// so it has no say in which of the two is smaller: else more memory might
		// turn the choice round, to a smaller part.
		free := max(whole.Total-whole.Others, 0) / unit.Bytes(max(whole.Instances, 1))
		whole.finish(opt)
		g.finish(opt)
		if hostOK && g.Part() > free {
			return whole, true
		}
		g.Host = Room{whole.Share(), whole.Part(), whole.Total - whole.Reserve}
		if lack := g.Share() - whole.Share(); hostOK && lack > 0 {
			g.Others += lack * unit.Bytes(g.Instances)
		}
		return g, true
	case !hostOK:
		return Basis{}, false
	}
	whole.finish(opt)
	return whole, true
}

func (b *Basis) finish(opt *Options) {
	b.Bound = opt.Memory
	b.Reserve = memory.ReserveOf(b.Total)
	if b.Limited {
		b.Reserve = memory.ReserveOfGroup(b.Total)
	}
	if opt.Shared {
		b.Others = max(b.Others, b.Total/2)
	}
}

// CPUs returns the CPUs that the instance may use.
func (c *Case) CPUs() (int, bool) { return Need(c, memory.Processors(c.Snapshot, c.Instance)) }

// Active returns how many sessions are at work at once at the peak: what the user said, otherwise what the profile
// assumes for so many CPUs and so much memory, more if more are active now, and never more than there are connections.
func (c *Case) Active() (int, bool) {
	conns, ok := c.Int("pg:max_connections")
	if !ok {
		return 0, false
	}
	return c.ActiveOf(conns)
}

// ActiveOf is Active with another number of connections.
func (c *Case) ActiveOf(conns int) (int, bool) {
	n, ok := c.AtWork(conns)
	return int(n), ok
}

// AtWork is activeOf before it is rounded down; see memory.Load.AtWork.
func (c *Case) AtWork(conns int) (float64, bool) {
	if c.Options.Active > 0 {
		return float64(min(c.Options.Active, conns)), true
	}
	cpus, ok := c.CPUs()
	if !ok {
		return 0, false
	}
	part, _ := memory.PartOf(c.Snapshot, c.Instance).Get()
	return c.Prior().AtWork(c.Instance, cpus, conns, part), true
}
