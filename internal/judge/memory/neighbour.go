package memory

import (
	"math/bits"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Neighbour is another instance of the host, which the plan does not change, with
// the memory that it may grow to.
type Neighbour struct {
	Instance string     `json:"instance"`
	Running  bool       `json:"running"`
	Known    bool       `json:"known"`            // false: Take is what it holds now, or nothing
	Take     unit.Bytes `json:"may_take_bytes"`   // with every connection at work, within its limit
	Shared   unit.Bytes `json:"shared_bytes"`     // of it the shared memory
	Huge     unit.Bytes `json:"huge_pages_bytes"` // the part of it in huge pages
	Limit    unit.Bytes `json:"limit_bytes"`      // of its cgroup; 0: none is known
	Reason   string     `json:"reason,omitempty"` // why it is not known
	Group    string     `json:"-"`                // the cgroup that limits it
}

// Neighbours returns what the other instances of the host may take.
func Neighbours(s *snapshot.Snapshot) []Neighbour {
	var out []Neighbour
	for i := range s.Neighbours {
		out = append(out, neighbourOf(s, &s.Neighbours[i]))
	}
	return out
}

// neighbourOf takes the settings of a neighbour for what it may grow to: its shared memory, and every connection at
// work with the sorts and hashes of mixed work, because its workload was not specified. What it holds at this moment
// does not count, so that the plan does not change with its load. A limit of its cgroup, or of its unit if it is not
// running, bounds everything except huge pages.
func neighbourOf(s *snapshot.Snapshot, in *snapshot.Instance) Neighbour {
	n := Neighbour{Instance: in.Label()}
	n.Running, _ = in.Running.Get()
	n.Limit = limitOf(s, in)
	if n.Limit > 0 {
		n.Group = LimitGroup(in)
	}
	as := AsItIs(s, in, Mixed)
	m, ok := as.Get()
	switch {
	case ok:
		m.Active = m.Connections
		seg, _ := SegmentOf(in).Get()
		m.Shared, m.SharedPage = seg.Size, BasePage(s)
		if page, _ := HugePageSize(s, in).Get(); page > 0 && hugeForSure(in) {
			m.Shared, m.SharedPage = seg.Size.RoundUp(page), page
		}
		p := m.Parts()
		n.Known, n.Take, n.Shared = true, p.Sum(), p.Shared
		if m.SharedPage > BasePage(s) {
			n.Huge = p.Shared
		}
	case n.Limit > 0:
		n.Known, n.Take = true, n.Limit // the most it can have, whatever its settings are
		return n
	default:
		n.Reason = as.Gap().Reason
		n.Take = coarse(heldBy(in))
		return n
	}
	if private := n.Take - n.Huge; n.Limit > 0 && !HugeCharged(in) {
		n.Take = n.Huge + min(private, n.Limit)
	} else if n.Limit > 0 {
		n.Take = min(n.Take, n.Limit)
	}
	return n
}

// hugeForSure reports whether a neighbour is in huge pages whatever a plan does to the pool: it runs on them, or does
// not start without them.
func hugeForSure(in *snapshot.Instance) bool {
	if on, told := OnHugePages(in).Get(); told {
		return on
	}
	set, _ := in.Server.Settings.Get()
	asked, _ := set.Text("huge_pages")
	return asked == "on"
}

// limitOf returns the memory limit of the cgroup of an instance; of one that does not run, that of its unit. 0 if there
// is none or none is known.
func limitOf(s *snapshot.Snapshot, in *snapshot.Instance) unit.Bytes {
	if limit, limited := s.MemoryLimit(in); limited {
		b, _ := limit.Get()
		return b
	}
	if running, ok := in.Running.Get(); !ok || running {
		return 0
	}
	u, _ := in.Unit.Get()
	n, err := strconv.ParseInt(u.Properties["MemoryMax"], 10, 64) // "infinity" is none
	m, known := s.Host.Memory.Get()
	if err != nil || n <= 0 || known && unit.Bytes(n) >= m.Total {
		return 0
	}
	return unit.Bytes(n)
}

// heldBy is what the processes of an instance hold now: what each has for itself,
// and the shared memory that one of them has touched.
func heldBy(in *snapshot.Instance) unit.Bytes {
	ps, _ := in.Processes.Get()
	var private, shared unit.Bytes
	for _, p := range ps {
		private += p.Anon
		shared = max(shared, p.Shmem+p.Huge)
	}
	return private + shared
}

// coarse rounds what is measured up to a power of two: a plan must not move with
// what a program holds at the moment.
func coarse(b unit.Bytes) unit.Bytes {
	if b <= 0 {
		return 0
	}
	return 1 << bits.Len64(uint64(b-1))
}

// HugeCharged reports whether the huge pages of an instance are charged to the memory limit of its cgroup: only with
// the mount option memory_hugetlb_accounting (6.6+), and if that is not known, as an instance that is taken for smaller
// than it may be still starts.
func HugeCharged(in *snapshot.Instance) bool {
	cg, ok := in.CGroup.Get()
	charged, told := cg.HugeCounts.Get()
	return ok && (charged || !told)
}

// Outside reports whether the shared memory of an instance is in huge pages that the memory limit of its cgroup does
// not bound.
func Outside(s *snapshot.Snapshot, in *snapshot.Instance) bool {
	_, limited := s.MemoryLimit(in)
	on, _ := OnHugePages(in).Get()
	return limited && on && !HugeCharged(in)
}

// Beside returns the part of a memory reserved for the neighbors: what they can take, but no more than leaves an equal
// part to each instance, as a plan for all of them would. group limits it to those under one cgroup; "" is the host.
func Beside(s *snapshot.Snapshot, total unit.Bytes, instances int, group string) unit.Bytes {
	var sum unit.Bytes
	n := 0
	for _, nb := range Neighbours(s) {
		if group != "" && nb.Group != group {
			continue
		}
		n++
		if group != "" {
			sum += nb.Take - nb.Huge
		} else {
			sum += nb.Take
		}
	}
	if n == 0 {
		return 0
	}
	return min(sum, total/unit.Bytes(n+instances)*unit.Bytes(n))
}
