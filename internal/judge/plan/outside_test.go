package plan_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	hostfact "github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// inPool returns a described server in a cgroup of so much memory that runs on the huge pages of a pool with this much
// to spare.
func inPool(t fataler, spec string, limit, spare unit.Bytes, counts known.Fact[bool]) *snapshot.Snapshot {
	t.Helper()
	d, err := snapshot.ParseDescription(spec)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := host{spec: d}.snapshot(t)
	in := &s.Instances[0]
	in.CGroup = known.Is(hostfact.CGroup{Path: "/pg", Version: 2, Memory: known.Is(limit), HugeCounts: counts})
	set, _ := in.Server.Settings.Get()
	buffers, _ := set.Bytes("shared_buffers")
	shared, page := (buffers + buffers/20 + 64*unit.MB).RoundUp(2*unit.MB), 2*unit.MB
	total := (shared + spare).Pages(page)
	for name, value := range map[string]string{"huge_pages_status": "on",
		"shared_memory_size":               fmt.Sprint(shared / unit.MB),
		"shared_memory_size_in_huge_pages": fmt.Sprint(shared.Pages(page))} {
		v := pg.Setting{Name: name, Value: value, Context: "internal", Type: "integer"}
		if name == "shared_memory_size" {
			v.Unit = "MB"
		}
		set[name] = v
	}
	s.Host.Memory = known.Map(s.Host.Memory, func(m hostfact.Memory) hostfact.Memory {
		m.HugeTotal, m.HugeFree = total, spare.Pages(page)
		m.Free = max(m.Free-unit.Bytes(total)*page, 0)
		m.Available = max(m.Available-unit.Bytes(total)*page, 0)
		return m
	})
	s.Host.Sysctls["vm.nr_hugepages"] = known.Is(fmt.Sprint(total))
	return s
}

// TestHugePagesOutsideALimit: 40 GB of shared_buffers in huge pages under a limit of 40 GB stay, as huge pages are not
// charged to the group; if the hierarchy is mounted with memory_hugetlb_accounting, or that is unknown, they are judged
// by the limit, and beyond two fifths of the host they are lowered to that.
func TestHugePagesOutsideALimit(t *testing.T) {
	const spec = ",cpus=16,storage=nvme,pg=17,container=docker,set.huge_pages=on,set.shared_buffers=40GB"
	for _, c := range []struct {
		name   string
		ram    string
		counts known.Fact[bool]
		most   unit.Bytes
		stays  bool
	}{
		{"not charged", "ram=128GB", known.Is(false), 40 * unit.GB, true},
		{"charged", "ram=128GB", known.Is(true), 16 * unit.GB, false},
		{"nobody could see", "ram=128GB", known.Missed[bool](known.Gap{Fact: "cgroup memory", Reason: "no mounts"}),
			16 * unit.GB, false},
		{"more than two fifths of the host", "ram=80GB", known.Is(false), 32 * unit.GB, false},
	} {
		s := inPool(t, c.ram+spec, 40*unit.GB, unit.GB, c.counts)
		o := rule.Options{Profile: rule.OLTP}
		p := mustPlan(t, s, o)
		after := plan.Simulate(s, p)
		got := unit.Bytes(value(t, after, "shared_buffers")) * 8 * unit.KB
		if got > c.most || c.stays && got != c.most || !c.stays && got < 7*unit.GB {
			t.Errorf("%s: shared_buffers of 40 GB becomes %s, want at most %s: %+v", c.name, got, c.most, p.Changes)
		}
		if known, _ := c.counts.Get(); c.counts.Known() && !known &&
			(p.Budget.Outside < got || p.Budget.After.Shared != 0 || p.Budget.After.Shortfall > 0) {
			t.Errorf("%s: the budget %+v", c.name, p.Budget)
		}
		if work := value(t, after, "work_mem"); work < 4096 {
			t.Errorf("%s: work_mem = %d kB", c.name, work)
		}
		for _, ch := range mustPlan(t, after, o).Changes {
			t.Errorf("%s: carried out, %s would change again: %s → %s: %s", c.name, ch.Address, ch.From,
				ch.To, ch.Reason)
		}
	}
}

// TestOutsideIsSettled: of random sizes, limits and pools the plan of a server in huge pages under a limit changes
// nothing more once it was applied, and a shared_buffers that nothing but the limit spoke against is not lowered.
func TestOutsideIsSettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ram := unit.Bytes(rapid.IntRange(4, 2048).Draw(t, "GB")) * unit.GB
		limit := max(ram.Scale(rapid.Float64Range(0.05, 0.95).Draw(t, "limit")).RoundDown(unit.MB), 512*unit.MB)
		buffers := max(ram.Scale(rapid.Float64Range(0.02, 0.6).Draw(t, "buffers")).RoundDown(64*unit.MB), 128*unit.MB)
		conns := rapid.IntRange(10, 500).Draw(t, "connections")
		container := rapid.SampledFrom([]string{"", ",container=docker"}).Draw(t, "container")
		counts := rapid.Bool().Draw(t, "accounting")
		// Not a desktop, whose work_mem beside a pool that is there already is settled in a second plan only.
		profile := rapid.SampledFrom([]rule.Profile{rule.Web, rule.OLTP, rule.DW, rule.Mixed, rule.OneC}).Draw(t,
			"profile")
		spec := fmt.Sprintf(
			"ram=%dMB,cpus=16,storage=nvme,pg=17%s,set.huge_pages=on,set.shared_buffers=%dMB,set.max_connections=%d",
			ram/unit.MB, container, buffers/unit.MB, conns)
		s := inPool(t, spec, limit, unit.Bytes(rapid.IntRange(0, 2).Draw(t, "spare"))*unit.GB, known.Is(counts))
		o := rule.Options{Profile: profile}
		p := mustPlan(t, s, o)
		after := plan.Simulate(s, p)
		for _, c := range mustPlan(t, after, o).Changes {
			t.Fatalf("%s limit %s counts %v\nafter the plan %s would change again, %s → %s: %s", spec, limit, counts,
				c.Address, c.From, c.To, c.Reason)
		}
	})
}
