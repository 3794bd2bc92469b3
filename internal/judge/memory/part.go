package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// PartOf returns an instance's equal part of the memory: of the host's among all instances, or of its cgroup's limit
// among those under the same limit, whichever is less; in both cases after the neighbors.
func PartOf(s *snapshot.Snapshot, in *snapshot.Instance) known.Fact[unit.Bytes] {
	part := known.Map(s.Host.Memory, func(m host.Memory) unit.Bytes {
		n := max(len(s.Instances), 1)
		return (m.Total - Beside(s, m.Total, n, "")) / unit.Bytes(n)
	})
	limit, limited := s.MemoryLimit(in)
	group, ok := limit.Get()
	if !limited || !ok {
		return part
	}
	sharing := Sharing(s, in)
	group = (group - Beside(s, group, sharing, LimitGroup(in))) / unit.Bytes(sharing)
	if whole, ok := part.Get(); ok && whole < group {
		return part
	}
	return known.Is(group)
}

// Sharing counts the instances whose memory is limited by the same cgroup as that of the given one, itself included.
func Sharing(s *snapshot.Snapshot, in *snapshot.Instance) int {
	n, group := 0, LimitGroup(in)
	for i := range s.Instances {
		if _, limited := s.MemoryLimit(&s.Instances[i]); limited && LimitGroup(&s.Instances[i]) == group {
			n++
		}
	}
	return max(n, 1)
}

// LimitGroup names the cgroup that limits an instance's memory.
func LimitGroup(in *snapshot.Instance) string {
	cg, _ := in.CGroup.Get()
	if p := cg.LimitedBy["memory"]; p != "" {
		return p
	}
	return cg.Path
}
