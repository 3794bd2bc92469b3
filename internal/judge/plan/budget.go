package plan

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// Shared is the shared memory of one instance as planned.
type Shared struct {
	Instance string     `json:"instance"`
	Bytes    unit.Bytes `json:"bytes"`
	Pages    int64      `json:"huge_pages"` // of the default size; 0 if huge pages are not planned
	Exact    bool       `json:"exact"`      // the server or its binary said so; false: estimated, never below the truth
	Key      string     `json:"-"`
}

func sharedOf(s *snapshot.Snapshot, out *rule.Outcome, o *rule.Options) []Shared {
	list := []Shared{}
	for i := range s.Instances {
		in := &s.Instances[i]
		if sh, ok := sizing.PlannedSharedMemory(out, s, in, o); ok {
			list = append(list, Shared{Instance: in.Label(), Bytes: sh.Bytes, Pages: sh.Pages, Exact: sh.Exact,
				Key: in.Key})
		}
	}
	return list
}

// budgetOf breaks down the memory before and after. Without the memory of the host there is nothing to lay out, and
// Known says so.
func budgetOf(s *snapshot.Snapshot, out *rule.Outcome, o *rule.Options) Budget {
	b := Budget{Limit: "host", None: len(s.Instances) == 0}
	base, ok := out.Basis(s, o)
	if !ok {
		return b
	}
	if base.Limited {
		b.Limit = "cgroup"
	}
	if b.Known = !b.None; b.None { // there is nothing that the memory would be divided among
		return b
	}
	if from := out.Others(s); !base.Limited && !o.Shared && from.Source != memory.OthersDescribed {
		b.Others, b.OthersHeld, b.OthersReason = from.Source, from.Held, rule.OthersReason(from)
	}
	var before, after, allBefore, allAfter memory.Parts
	for i := range s.Instances {
		in := &s.Instances[i]
		m, ok := sizing.PlannedMemory(out, s, in, o)
		if !ok {
			b.Known = false
			return b
		}
		parts := func(m memory.Instance) memory.Parts {
			p := m.Parts()
			if base.Limited && !memory.HugeCharged(in) {
				outside(&p, m, s)
			}
			return p
		}
		if base.Limited && !memory.HugeCharged(in) {
			will := m.After.Parts()
			b.Outside += outside(&will, m.After, s)
		}
		before, after = before.Add(parts(m.Before)), after.Add(parts(m.After))
		allBefore, allAfter = allBefore.Add(parts(m.All(m.Before))), allAfter.Add(parts(m.All(m.After)))
		if a, ok := sizing.AtWorkOf(out, in.Key); ok {
			b.Open += a.Open
			b.Fit += a.Fit
		}
	}
	poolBefore, poolAfter := sizing.PoolUnused(out, s, o)
	b.Neighbours = memory.Neighbours(s)
	take := out.NeighboursTake(s, base)
	lay := func(pool unit.Bytes, p memory.Parts) memory.Budget {
		return memory.Lay(base.Total, base.Reserve, base.Others, pool, p).With(base.Beside, take)
	}
	b.Before, b.After = lay(poolBefore, before), lay(poolAfter, after)
	b.AllBefore, b.AllAfter = lay(poolBefore, allBefore), lay(poolAfter, allAfter)
	return b
}

// outside takes shared memory in huge pages out of what a cgroup's limit bounds: they are not charged to it. It returns
// how much that is.
func outside(p *memory.Parts, m memory.Instance, s *snapshot.Snapshot) (shared unit.Bytes) {
	if m.SharedPage > memory.BasePage(s) {
		shared, p.Shared = p.Shared, 0
	}
	return shared
}
