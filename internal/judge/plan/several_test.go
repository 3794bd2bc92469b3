package plan_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// several returns the described host with copies of its instance and a pool of
// huge pages of which another program uses some.
func several(t fataler, h host, instances, pool, used int) *snapshot.Snapshot {
	t.Helper()
	d, err := h.spec.Evidence()
	if err != nil {
		t.Fatalf("%v", err)
	}
	a := evidence.New()
	add := func(name, text string) {
		if err := a.Add(name, []byte(text)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var list []string
	for i := 1; i <= instances; i++ {
		list = append(list, fmt.Sprintf(`{"key":"%d","data_directory":"/data/%d","port":%d,"running":true}`,
			i, i, 5431+i))
	}
	for _, name := range d.Names() {
		b, err := d.ReadFile(name)
		if err != nil {
			t.Fatalf("%v", err)
		}
		text := string(b)
		if rest, ok := strings.CutPrefix(name, "pg/1/"); ok {
			for i := 1; i <= instances; i++ {
				add("pg/"+strconv.Itoa(i)+"/"+rest, text)
			}
			continue
		}
		switch name {
		case "instances.json":
			text = "[" + strings.Join(list, ",") + "]"
		case "proc/sys/vm/nr_hugepages":
			text = strconv.Itoa(pool) + "\n"
		case "proc/meminfo":
			text = strings.NewReplacer("HugePages_Total: 0", "HugePages_Total: "+strconv.Itoa(pool),
				"HugePages_Free: 0", "HugePages_Free: "+strconv.Itoa(pool-used), "Hugetlb: 0",
				"Hugetlb: "+strconv.Itoa(pool*2048)).Replace(text)
		}
		add(name, text)
	}
	for _, m := range d.MissingFiles() {
		a.AddMissing(m)
	}
	return read(t, a)
}

// TestSeveralInstances: several instances on a host whose pool of huge pages
// another program uses too fit together, and planning the result changes
// nothing; no page of the other program is taken.
func TestSeveralInstances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		h.spec.Container, h.spec.CGroup = "", 0
		pool := int(min(h.spec.RAM/8/(2*unit.MB), 20000))
		used := 0
		if pool > 0 {
			pool = rapid.IntRange(0, pool).Draw(t, "pool")
			used = rapid.IntRange(0, pool).Draw(t, "used")
		}
		s := several(t, h, rapid.IntRange(1, 4).Draw(t, "instances"), pool, used)
		p := mustPlan(t, s, h.opt)
		if p.Budget.After.Shortfall > 0 && !strings.Contains(strings.Join(say.Strings(p.Warnings), "\n"),
			"connections") {
			t.Fatalf("%v, pool %d, used %d\nshort of %s and no warning says how many connections fit: %+v", h, pool,
				used, p.Budget.After.Shortfall, p.Budget.After)
		}
		after := plan.Simulate(s, p)
		if n, ok := after.Host.Sysctls.Int("vm.nr_hugepages").Get(); ok && n < int64(used) {
			t.Fatalf("%v\nthe pool of %d pages is lowered to %d, of which another program uses %d", h, pool, n, used)
		}
		for _, c := range mustPlan(t, after, h.opt).Changes {
			t.Fatalf("%v, pool %d, used %d\nafter the plan %s would change again, %s → %s: %s", h, pool, used,
				c.Address, c.From, c.To, c.Reason)
		}
	})
}
