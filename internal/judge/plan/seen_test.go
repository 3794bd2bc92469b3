package plan_test

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// What was seen of plans that were wrong, each as a separate test. The promises over random hosts (atwork_test.go) hold
// the class of each.

// planned is a described host with its plan.
type planned struct {
	before, after *snapshot.Snapshot
	plan          *plan.Plan
}

func planFor(t *testing.T, spec string, profile rule.Profile) planned {
	t.Helper()
	a, err := snapshot.Describe(spec)
	if err != nil {
		t.Fatal(err)
	}
	s := read(t, a)
	p := mustPlan(t, s, rule.Options{Profile: profile})
	return planned{s, plan.Simulate(s, p), p}
}

func (p planned) size(t *testing.T, name string, base unit.Bytes) unit.Bytes {
	t.Helper()
	return unit.Bytes(value(t, p.after, name)) * base
}

// allFit verifies that a sort and a hash (three times work_mem, as hash_mem_multiplier is 2 from 15 on) in every
// connection, and the buffers, are within the memory.
func (p planned) allFit(t *testing.T, memory unit.Bytes, connections int) {
	t.Helper()
	work, buffers := p.size(t, "work_mem", unit.KB), p.size(t, "shared_buffers", 8*unit.KB)
	if sum := unit.Bytes(3*connections)*work + buffers; work < 4*unit.MB || sum > memory {
		t.Errorf("%d connections with a work_mem of %s and shared_buffers of %s may take %s of %s", connections, work,
			buffers, sum, memory)
	}
	if p.plan.Budget.Fit != connections || p.plan.Budget.Open != connections {
		t.Errorf("of %d connections %d fit: %q", p.plan.Budget.Open, p.plan.Budget.Fit, p.plan.Warnings)
	}
}

// The OOM killer ended a server that was planned so: 36MB for each sort.
func TestSeenWebIn4GB(t *testing.T) {
	planFor(t, "ram=16GB,cpus=4,pg=17,cgroup=4GB,container=docker,set.max_connections=100", rule.Web).allFit(t,
		4*unit.GB, 100)
}

// 208MB were planned, while 1,000 sessions of three leave 6.
func TestSeenWebOn2ProcessorsAnd1000Connections(t *testing.T) {
	p := planFor(t, "ram=24GB,cpus=2,pg=17,set.max_connections=1000", rule.Web)
	if work := p.size(t, "work_mem", unit.KB); work < 4*unit.MB || work > 6*unit.MB {
		t.Errorf("work_mem = %s", work)
	}
	b, warned := p.plan.Budget, strings.Contains(strings.Join(say.Strings(p.plan.Warnings), "\n"), "Memory suffices")
	if b.Fit < 900 || warned != (b.Fit < b.Open) {
		t.Errorf("of %d connections %d fit with 4 MB: %q", b.Open, b.Fit, p.plan.Warnings)
	}
}

// 960MB were planned: few CPUs bound the speed, not the memory.
func TestSeenWebOn2ProcessorsAnd64GB(t *testing.T) {
	p := planFor(t, "ram=64GB,cpus=2,pg=17,set.max_connections=200", rule.Web)
	p.allFit(t, 64*unit.GB, 200)
	if work := p.size(t, "work_mem", unit.KB); work > 64*unit.MB {
		t.Errorf("work_mem = %s for web", work)
	}
}

// web was given more than dw from 4 GB up.
func TestSeenWebAboveWarehouse(t *testing.T) {
	for _, ram := range []string{"2GB", "4GB", "8GB", "16GB", "64GB", "256GB"} {
		for _, cpus := range []string{"2", "8", "64"} {
			spec := "pg=17,ram=" + ram + ",cpus=" + cpus
			web, dw := planFor(t, spec, rule.Web).size(t, "work_mem", unit.KB),
				planFor(t, spec, rule.DW).size(t, "work_mem", unit.KB)
			if web > dw {
				t.Errorf("%s: web gets %s and dw %s", spec, web, dw)
			}
		}
	}
}

// 64kB were planned, and shared_buffers raised beside them.
func TestSeen60ConnectionsOn2GB(t *testing.T) {
	for _, profile := range rule.Profiles {
		p := planFor(t, "ram=2GB,cpus=2,pg=17,set.max_connections=60", profile)
		if work := p.size(t, "work_mem", unit.KB); work < 4*unit.MB {
			t.Errorf("%s: work_mem = %s beside shared_buffers of %s", profile, work,
				p.size(t, "shared_buffers", 8*unit.KB))
		}
	}
}

// 4MB were planned for 1,600 connections, and 64kB for 1,700.
func TestSeen1600And1700Connections(t *testing.T) {
	few := planFor(t, "ram=16GB,cpus=8,pg=17,set.max_connections=1600", rule.Mixed)
	many := planFor(t, "ram=16GB,cpus=8,pg=17,set.max_connections=1700", rule.Mixed)
	a, b := few.size(t, "work_mem", unit.KB), many.size(t, "work_mem", unit.KB)
	if a < 4*unit.MB || b < 4*unit.MB || 2*b < a {
		t.Errorf("work_mem is %s for 1,600 connections and %s for 1,700", a, b)
	}
	if few.plan.Budget.Fit < many.plan.Budget.Fit || many.plan.Budget.Fit == 0 {
		t.Errorf("%d of 1,600 fit, and %d of 1,700", few.plan.Budget.Fit, many.plan.Budget.Fit)
	}
}

// 14 sessions idle in transaction with an open cursor held 3.25 GB, while 8 active ones were assumed: a waiting session
// keeps its memory, and counts in any state.
func TestSeenIdleInTransactionHoldsItsMemory(t *testing.T) {
	spec := "ram=4GB,cpus=2,pg=17,set.max_connections=30,set.work_mem=78MB"
	p := planFor(t, spec, rule.Mixed)
	p.before.Described = false
	p.before.Instances[0].Server.Activity = known.Is(pg.Activity{Clients: 14,
		States: map[string]pg.StateCount{"idle in transaction": {Count: 14}}})
	p.plan = mustPlan(t, p.before, rule.Options{Profile: rule.Mixed})
	b := p.plan.Budget
	if held := unit.Bytes(14*3) * 78 * unit.MB; b.Open != 30 || b.AllBefore.Work < held {
		t.Errorf("all %d connections at work hold %s, and 14 in transaction were seen to hold up to %s", b.Open,
			b.AllBefore.Work, held)
	}
	if b.AllBefore.Shortfall == 0 || b.Fit >= 14 {
		t.Errorf("%d connections with 78MB are said to fit 4 GB", b.Fit)
	}
	if len(workMemFound(p.before)) == 0 && len(check.Run(p.before, checks.All(),
		check.Options{Only: []string{"work_mem_vs_memory"}}).Findings) == 0 {
		t.Error("check has nothing to say of it")
	}
}

// dw was given 16 GB of WAL on a host of 512 MB, and oltp 8 GB on 256 CPUs and 4 TB.
func TestSeenWALThatDoesNotLookAtTheMachine(t *testing.T) {
	if wal := planFor(t, "ram=512MB,cpus=1,pg=17", rule.DW).size(t, "max_wal_size", unit.MB); wal > unit.GB {
		t.Errorf("max_wal_size = %s on 512 MB", wal)
	}
	if wal := planFor(t, "ram=4TB,cpus=256,storage=nvme,pg=17", rule.OLTP).size(t, "max_wal_size",
		unit.MB); wal <= 8*unit.GB {
		t.Errorf("max_wal_size = %s on 256 processors and 4 TB", wal)
	}
	if wal := planFor(t, "ram=4TB,cpus=256,storage=nvme,disk=100GB,pg=17", rule.OLTP).size(t, "max_wal_size",
		unit.MB); wal > 20*unit.GB {
		t.Errorf("max_wal_size = %s on a disk of 100 GB", wal)
	}
}

// A plan for ram=8GB alone said that the memory is not known, as the CPUs were not.
func TestSeenHostWithoutProcessors(t *testing.T) {
	d, err := snapshot.ParseDescription("ram=8GB")
	if err != nil {
		t.Fatal(err)
	}
	p := planFor(t, "ram=8GB", rule.Mixed)
	if cpus, ok := p.before.Host.CPU.Get(); !d.NoCPUs || !ok || cpus.Logical != 4 || !p.plan.Budget.Known ||
		len(p.plan.AtWork) != 1 {
		t.Errorf("of a host of 8 GB %d processors are assumed, and planned is %+v", cpus.Logical, p.plan.Changes)
	}
}
