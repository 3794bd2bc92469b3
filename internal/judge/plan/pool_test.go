package plan_test

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/test/golden"
	"github.com/pgfettle/pgfettle/test/hostcase"

	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// TestSettledPool: a server that runs on huge pages beside another program that
// does too gets a larger pool, and the other one's 700 pages are in it before
// and after; planning the result changes nothing.
func TestSettledPool(t *testing.T) {
	d, err := snapshot.Describe("ram=64GB,cpus=8,pg=17,set.shared_buffers=1GB,set.huge_pages=on")
	if err != nil {
		t.Fatal(err)
	}
	a := evidence.New()
	for _, name := range d.Names() {
		data, err := d.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		switch name {
		case "proc/meminfo": // 1,240 pages in use: 540 by the server, 700 by the other
			text = strings.ReplaceAll(text, "HugePages_Total: 0", "HugePages_Total: 1300")
			text = strings.ReplaceAll(text, "HugePages_Free: 0", "HugePages_Free: 60")
		case "proc/sys/vm/nr_hugepages":
			text = "1300\n"
		case "pg/1/settings.json":
			row := func(name, value, typ string) string {
				return `["` + name + `","` + value + `",null,"` + typ +
					`","internal","default",null,null,null,null,"f"],`
			}
			text = strings.Replace(text, `"rows":[`, `"rows":[`+row("huge_pages_status", "on", "enum")+
				row("shared_memory_size_in_huge_pages", "540", "integer")+
				`["shared_memory_size","1080","MB","integer","internal","default",null,null,null,null,"f"],`, 1)
		}
		if err := a.Add(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range d.MissingFiles() {
		a.AddMissing(m)
	}
	s := read(t, a)
	p := mustPlan(t, s, rule.Options{Profile: rule.Mixed, Pins: map[knob.Address]string{}})
	var pages string
	for _, c := range p.Changes {
		if c.Address == "sysctl:vm.nr_hugepages" {
			pages = c.To
			if !strings.Contains(c.Reason.String(), "used by other programs now: 700") {
				t.Errorf("the reason does not tell of the others: %s", c.Reason)
			}
		}
	}
	if pages == "" || len(p.Shared) != 1 || p.Shared[0].Pages < 8192 {
		t.Fatalf("no larger pool is planned: %q for %+v", pages, p.Shared)
	}
	again := mustPlan(t, plan.Simulate(s, p), rule.Options{Profile: rule.Mixed, Pins: map[knob.Address]string{}})
	for _, c := range again.Changes {
		t.Errorf("after the plan %s would change again, %s → %s: %s", c.Address, c.From, c.To, c.Reason)
	}
}

// TestPoolOfTheHostIsNotTheGroups: the idle pool of the host is no part of a cgroup's memory, because it is charged to
// none; on the host it is.
func TestPoolOfTheHostIsNotTheGroups(t *testing.T) {
	const pool = "\nfile proc/meminfo MemTotal: 67108864 kB\\nMemFree: 50000000 kB\\nMemAvailable: 50000000 " +
		"kB\\nHugePages_Total: 2000\\n" +
		"HugePages_Free: 2000\\nHugePages_Rsvd: 0\\nHugePages_Surp: 0\\nHugepagesize: 2048 kB\\nHugetlb: 4096000 " +
		"kB\nfile proc/sys/vm/nr_hugepages 2000\n"
	for spec, want := range map[string]unit.Bytes{
		"host ram=64GB,cpus=8,pg=17,cgroup=4GB,container=docker" + pool: 0,
		"host ram=64GB,cpus=8,pg=17" + pool:                             4000 * unit.MB,
	} {
		h := hostcase.Of(t, &golden.Case{Lines: spec})
		if b := mustPlan(t, h.Snapshot, h.Options).Budget; b.Before.PoolUnused != want || b.Before.FileCache == 0 {
			t.Errorf("%.60s: %s of the pool lie idle, want %s (%+v)", spec, b.Before.PoolUnused, want, b.Before)
		}
	}
}
