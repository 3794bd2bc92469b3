package plan_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	hostfact "github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// named leaves the first instance to the plan, as a TARGET does, and makes the others its neighbors.
func named(s *snapshot.Snapshot) *snapshot.Snapshot {
	t := *s
	t.Instances, t.Neighbours = s.Instances[:1], s.Instances[1:]
	return &t
}

// set gives a setting of an instance another value.
func set(in *snapshot.Instance, name, value string) {
	in.Server.Settings = known.Map(in.Server.Settings, func(m pg.Settings) pg.Settings {
		out := pg.Settings{}
		for n, v := range m {
			out[n] = v
		}
		v := out[name]
		v.Value = value
		out[name] = v
		return out
	})
}

// TestNeighbours: with one TARGET the other instances of the host are in the budget, each with what its settings let it
// grow to, and the plan fits beside them or says that they leave no room; applied it changes nothing more.
func TestNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		h.spec.Container, h.spec.CGroup = "", 0
		s := named(several(t, h, rapid.IntRange(2, 4).Draw(t, "instances"), 0, 0))
		p := mustPlan(t, s, h.opt)
		if !p.Budget.Known {
			return
		}
		var sum unit.Bytes
		for i, n := range p.Budget.Neighbours {
			in := &s.Neighbours[i]
			set, _ := in.Server.Settings.Get()
			buffers, _ := set.Bytes("shared_buffers")
			work, _ := set.Bytes("work_mem")
			conns, _ := set.Int("max_connections")
			if n.Instance != in.Label() || !n.Known || n.Take < buffers+work.Scale(float64(conns)) {
				t.Fatalf("%v\n%+v may take shared_buffers of %s and work_mem of %s in each of %d connections", h,
					n, buffers, work, conns)
			}
			sum += n.Take
		}
		if len(p.Budget.Neighbours) != len(s.Neighbours) || p.Budget.After.Beside != sum ||
			p.Budget.Before.Beside != sum {
			t.Fatalf("%v\n%d neighbours that may take %s are in the budget as %+v", h, len(s.Neighbours), sum, p.Budget)
		}
		warned := strings.Join(say.Strings(p.Warnings), "\n")
		if p.Budget.After.Shortfall > 0 && !strings.Contains(warned, "connections") &&
			!strings.Contains(warned, "other instances of this host") {
			t.Fatalf("%v\nshort of %s, and nothing says why: %+v", h, p.Budget.After.Shortfall, p.Budget.After)
		}
		for _, c := range mustPlan(t, plan.Simulate(s, p), h.opt).Changes {
			t.Fatalf("%v\nafter the plan %s would change again, %s → %s: %s", h, c.Address, c.From, c.To, c.Reason)
		}
	})
}

// TestNeighbourGrows: a neighbour counts with what it may grow to and not with what it holds, within the limit of its
// cgroup; more of it leaves less to the planned instance, but never less than an equal part.
func TestNeighbourGrows(t *testing.T) {
	spec, err := snapshot.ParseDescription("ram=64GB,cpus=16,storage=nvme,pg=17")
	if err != nil {
		t.Fatal(err)
	}
	fresh := func() *snapshot.Snapshot { return named(several(t, host{spec: spec}, 2, 0, 0)) }
	alone := fresh()
	alone.Neighbours = nil
	small, large, huge := fresh(), fresh(), fresh()
	set(&large.Neighbours[0], "shared_buffers", "1048576") // 8 GB
	set(&huge.Neighbours[0], "work_mem", "1048576")        // 1 GB × 100 connections
	buffers := func(s *snapshot.Snapshot) int64 {
		p := mustPlan(t, s, host{}.opt)
		return value(t, plan.Simulate(s, p), "shared_buffers")
	}
	a, b, c, d := buffers(alone), buffers(small), buffers(large), buffers(huge)
	if !(a >= b && b > c && c > d && 2*d >= a-a/16) {
		t.Errorf(
			"shared_buffers alone %d, beside a small neighbour %d, one of 8 GB of buffers %d, one that may take "+
				"everything %d (8 kB)", a, b, c, d)
	}
	if w := strings.Join(say.Strings(mustPlan(t, huge, host{}.opt).Warnings), "\n"); !strings.Contains(w,
		"other instances of this host can use") {
		t.Errorf("a neighbour that may take everything is not told: %s", w)
	}
	limited := fresh()
	set(&limited.Neighbours[0], "work_mem", "1048576")
	limited.Neighbours[0].CGroup = known.Is(hostfact.CGroup{Path: "/neighbour", Memory: known.Is(4 * unit.GB),
		HugeCounts: known.Is(false)})
	if n := memory.Neighbours(limited)[0]; n.Take != 4*unit.GB || n.Limit != 4*unit.GB {
		t.Errorf("a neighbour within a limit of 4 GB: %+v", n)
	}
	stopped := fresh()
	in := &stopped.Neighbours[0]
	in.Running = known.Is(false)
	in.Server.Settings = known.Missed[pg.Settings](known.Gap{Fact: "pg/2/settings.json",
		Reason: "the server does not run"})
	if n := memory.Neighbours(stopped)[0]; n.Known || n.Running || n.Reason == "" {
		t.Errorf("a neighbour that does not run and of which nothing is known: %+v", n)
	}
}
