package plan_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	random "github.com/pgfettle/pgfettle/test/hosts"
)

// host is a random host with the questions asked of it.
type host struct {
	spec snapshot.Description
	opt  rule.Options
}

func (h host) String() string { return random.Host{Spec: h.spec, Opt: h.opt}.String() }

// hosts draws hosts from a 128 MB container to a machine of 24 TB and 1,024 CPUs, versions 13 to 18.
func hosts() *rapid.Generator[host] {
	return rapid.Map(random.Any(), func(h random.Host) host { return host{h.Spec, h.Opt} })
}

type fataler interface {
	Fatalf(string, ...any)
	Helper()
}

func read(t fataler, a *evidence.Archive) *snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatalf("reading the described evidence: %v", err)
	}
	return s
}

func (h host) snapshot(t fataler) *snapshot.Snapshot {
	t.Helper()
	a, err := h.spec.Evidence()
	if err != nil {
		t.Fatalf("evidence of %v: %v", h, err)
	}
	return read(t, a)
}

func mustPlan(t fataler, s *snapshot.Snapshot, o rule.Options) *plan.Plan {
	t.Helper()
	p, err := plan.Make(s, rules.All(), o)
	if err != nil {
		t.Fatalf("plan: %v", err)
	}
	return p
}

func value(t fataler, s *snapshot.Snapshot, name string) int64 {
	t.Helper()
	set, ok := s.Instances[0].Server.Settings.Get()
	if !ok {
		t.Fatalf("no settings")
	}
	n, ok := set.Int(name)
	if !ok {
		t.Fatalf("no setting %s", name)
	}
	return n
}

// TestFits: what is expected at once ≤ memory − reserve, huge pages and page tables included; if even the least
// settings cannot fit, the plan says so.
func TestFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		s := h.snapshot(t)
		p := mustPlan(t, s, h.opt)
		if !p.Budget.Known {
			t.Fatalf("the memory of %v is known, the budget is not", h)
		}
		if p.Budget.After.Shortfall == 0 {
			return
		}
		after := plan.Simulate(s, p)
		// 128 MB or 15 % of the memory is the least that is planned; a present value a sixteenth above it stays.
		sb := unit.Bytes(value(t, after, "shared_buffers")) * 8 * unit.KB
		if least := max(128*unit.MB, p.Budget.After.Total.Scale(0.15)); sb > least.Scale(1+1.0/16) {
			t.Fatalf("%v\nshort of %s with shared_buffers = %s: %+v", h, p.Budget.After.Shortfall, sb, p.Budget.After)
		}
		// 4 MB is the least that is planned, or the present value if no shortage was seen.
		if wm := value(t, after, "work_mem"); wm > max(4096, value(t, s, "work_mem")) {
			t.Fatalf("%v\nshort of %s with work_mem = %d kB: %+v", h, p.Budget.After.Shortfall, wm, p.Budget.After)
		}
		if !strings.Contains(strings.Join(say.Strings(p.Warnings), "\n"), "connections") {
			t.Fatalf("%v\nshort of %s and no warning says how many connections fit: %q", h, p.Budget.After.Shortfall,
				p.Warnings)
		}
	})
}

// TestLegal: every value is within that version's bounds, every parameter exists there.
func TestLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		s := h.snapshot(t)
		for _, c := range mustPlan(t, s, h.opt).Changes {
			if c.Layer != knob.Instance {
				legalQueue(t, h, s, &c)
				continue
			}
			p, ok := params.Lookup(h.spec.Major, c.Address.Name())
			if !ok {
				t.Fatalf("%s does not exist in %d", c.Address, h.spec.Major)
			}
			switch p.Type {
			case "integer", "real":
				v, err := unit.ParseGUC(c.To, p.Unit)
				if err != nil {
					t.Fatalf("%s = %s: %v", c.Address, c.To, err)
				}
				lo, err1 := strconv.ParseFloat(p.Min, 64)
				hi, err2 := strconv.ParseFloat(p.Max, 64)
				if err1 != nil || err2 != nil || v < lo || v > hi {
					t.Fatalf("%s = %s (%v %s) is outside of %s..%s", c.Address, c.To, v, p.Unit, p.Min, p.Max)
				}
				if base, err := strconv.ParseFloat(c.ToBase, 64); err != nil || base != v {
					t.Fatalf("%s: %s and %s %s are not the same value", c.Address, c.To, c.ToBase, p.Unit)
				}
			case "bool":
				if c.To != "on" && c.To != "off" {
					t.Fatalf("%s = %s", c.Address, c.To)
				}
			case "enum":
				if !strings.Contains(","+strings.Join(p.Enum, ",")+",", ","+c.To+",") {
					t.Fatalf("%s = %s is not one of %v", c.Address, c.To, p.Enum)
				}
			}
		}
	})
}

// TestSettled: planning the simulated result changes nothing.
func TestSettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		s := h.snapshot(t)
		p := mustPlan(t, s, h.opt)
		again := mustPlan(t, plan.Simulate(s, p), h.opt)
		for _, c := range again.Changes {
			t.Fatalf("%v\nafter the plan %s would change again, %s → %s: %s", h, c.Address, c.From, c.To, c.Reason)
		}
	})
}

// TestSameInSameOut: the same snapshot and options give the same bytes.
func TestSameInSameOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		one, err1 := json.Marshal(mustPlan(t, h.snapshot(t), h.opt))
		two, err2 := json.Marshal(mustPlan(t, h.snapshot(t), h.opt))
		if err1 != nil || err2 != nil || !bytes.Equal(one, two) {
			t.Fatalf("%v\ntwo plans of the same snapshot differ (%v, %v)", h, err1, err2)
		}
	})
}

// TestMonotone: for as many connections more memory never lowers shared_buffers, more connections never
// raise work_mem.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		// A present value that is close enough stays, which is not the rule's
		// doing: ask it on a fresh instance.
		delete(h.spec.Settings, "shared_buffers")
		delete(h.spec.Settings, "work_mem")
		delete(h.spec.Settings, "maintenance_work_mem")
		s := h.snapshot(t)
		small := plan.Simulate(s, mustPlan(t, s, h.opt))
		more := h
		grown := h.spec
		grown.RAM += unit.Bytes(rapid.Int64Range(1, 1<<20).Draw(t, "more MB")) * unit.MB
		if grown.CGroup > 0 {
			grown.CGroup += grown.RAM - h.spec.RAM
		}
		more.spec = grown
		s2 := more.snapshot(t)
		big := plan.Simulate(s2, mustPlan(t, s2, more.opt))
		// A small host may keep fewer of many connections, whose page tables leave
		// more to shared_buffers: so many are kept on both.
		if n := value(t, small, "max_connections"); n != value(t, big, "max_connections") {
			h.opt.Connections, more.opt.Connections = int(n), int(n)
			small, big = plan.Simulate(s, mustPlan(t, s, h.opt)), plan.Simulate(s2, mustPlan(t, s2, more.opt))
		}
		if a, b := value(t, small, "shared_buffers"), value(t, big, "shared_buffers"); b < a {
			t.Fatalf("%v\nshared_buffers falls from %d to %d blocks with %s more", h, a, b, grown.RAM-h.spec.RAM)
		}
		h.opt.Connections = rapid.IntRange(10, 2000).Draw(t, "fewer")
		few := plan.Simulate(s, mustPlan(t, s, h.opt))
		h.opt.Connections += rapid.IntRange(1, 3000).Draw(t, "more connections")
		many := plan.Simulate(s, mustPlan(t, s, h.opt))
		if a, b := value(t, few, "work_mem"), value(t, many, "work_mem"); b > a {
			t.Fatalf("%v\nwork_mem rises from %d to %d kB with more connections", h, a, b)
		}
	})
}

// TestCoherent: workers nest, WAL sizes are in order, huge_pages=on means enough pages.
func TestCoherent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		s := h.snapshot(t)
		p := mustPlan(t, s, h.opt)
		after := plan.Simulate(s, p)
		if g, w, m := value(t, after, "max_parallel_workers_per_gather"), value(t, after, "max_parallel_workers"),
			value(t, after, "max_worker_processes"); g > w || w > m {
			t.Fatalf("%v\nworkers do not nest: %d per gather, %d parallel, %d processes", h, g, w, m)
		}
		if lo, hi := value(t, after, "min_wal_size"), value(t, after, "max_wal_size"); lo > hi {
			t.Fatalf("%v\nmin_wal_size %d MB is above max_wal_size %d MB", h, lo, hi)
		} else if h.spec.Disk > 0 && unit.Bytes(hi)*unit.MB > h.spec.Disk && changed(p, "pg:max_wal_size") {
			t.Fatalf("%v\nmax_wal_size %d MB does not fit a disk of %s", h, hi, h.spec.Disk)
		}
		set, _ := after.Instances[0].Server.Settings.Get()
		if hp, _ := set.Text("huge_pages"); hp == "on" {
			pool, ok := after.Host.Sysctls.Int("vm.nr_hugepages").Get()
			if !ok || len(p.Shared) != 1 || pool < p.Shared[0].Pages || p.Shared[0].Pages == 0 {
				t.Fatalf("%v\nhuge_pages = on with %d pages for %+v", h, pool, p.Shared)
			}
		}
	})
}

func changed(p *plan.Plan, a knob.Address) bool {
	for _, c := range p.Changes {
		if c.Address == a {
			return true
		}
	}
	return false
}

// TestExplained: each change has a reason without gaps and a source that exists.
func TestExplained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		for _, c := range mustPlan(t, h.snapshot(t), h.opt).Changes {
			if len(c.Reason.String()) < 10 || strings.ContainsAny(c.Reason.String(), "{}") || c.Title == "" {
				t.Fatalf("%s: title %q, reason %q", c.Address, c.Title, c.Reason)
			}
			if len(c.Sources) == 0 {
				t.Fatalf("%s has no source", c.Address)
			}
			for _, id := range c.Sources {
				if _, ok := say.SourceByID(id); !ok {
					t.Fatalf("%s: no source %q", c.Address, id)
				}
			}
			if c.From == c.To {
				t.Fatalf("%s: from %s to %s", c.Address, c.From, c.To)
			}
		}
	})
}

// TestModest: hide any facts: no panic, and a plan still comes; with everything
// hidden it has no changes.
func TestModest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		a, err := h.spec.Evidence()
		if err != nil {
			t.Fatalf("%v", err)
		}
		names := a.Names()
		keep := rapid.SampledFrom([]float64{0, 0.3, 0.7, 0.95}).Draw(t, "share kept")
		hidden := evidence.New()
		for i, n := range names {
			data, err := a.ReadFile(n)
			if err != nil {
				t.Fatalf("%v", err)
			}
			if n == "evidence.json" || n == "instances.json" ||
				rapid.Float64Range(0, 1).Draw(t, "keep "+strconv.Itoa(i)) < keep {
				if err := hidden.Add(n, data); err != nil {
					t.Fatalf("%v", err)
				}
			} else {
				hidden.AddMissing(evidence.Missing{Name: n, State: known.Forbidden, Reason: "hidden by the test",
					Reveal: "show it"})
			}
		}
		p := mustPlan(t, read(t, hidden), h.opt)
		if keep == 0 && len(p.Changes) > 0 {
			t.Fatalf("with every fact hidden the plan changes %s", p.Changes[0].Address)
		}
		if keep == 0 && len(p.Unknown) == 0 {
			t.Fatalf("with every fact hidden nothing is said to be unknown")
		}
		for _, g := range p.Unknown {
			if g.Fact == "" || g.Reason == "" {
				t.Fatalf("an unknown without a name or a reason: %+v", g)
			}
		}
	})
}

// TestObedient: a pinned value is the planned value.
func TestObedient(t *testing.T) {
	pins := []struct {
		a         knob.Address
		v, inBase string
	}{
		{"pg:work_mem", "64MB", "65536"}, {"pg:shared_buffers", "256MB", "32768"}, {"pg:max_connections", "37", "37"},
		{"pg:random_page_cost", "2.5", "2.5"}, {"pg:huge_pages", "off", "off"}, {"pg:temp_buffers", "64MB", "8192"},
		{"pg:wal_recycle", "off", "off"}, {"sysctl:vm.swappiness", "7", "7"}, {"pg:checkpoint_timeout", "9min", "540"},
	}
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		pin := rapid.SampledFrom(pins).Draw(t, "pin")
		h.opt.Pins = map[knob.Address]string{pin.a: pin.v}
		s := h.snapshot(t)
		after := plan.Simulate(s, mustPlan(t, s, h.opt))
		var got string
		if pin.a.Layer() == knob.Instance {
			set, _ := after.Instances[0].Server.Settings.Get()
			got, _ = set.Text(pin.a.Name())
		} else {
			got, _ = after.Host.Sysctls[pin.a.Name()].Get()
		}
		if got != pin.inBase {
			t.Fatalf("%v\n%s is pinned to %s and planned as %s", h, pin.a, pin.inBase, got)
		}
	})
}

// TestDurable: no plan lowers what keeps data safe, and most of it none touches.
func TestDurable(t *testing.T) {
	never := map[knob.Address]bool{
		"pg:synchronous_commit": true, "pg:wal_level": true,
		"pg:wal_sync_method": true, "pg:data_sync_retry": true, "pg:zero_damaged_pages": true,
		"pg:ignore_checksum_failure": true,
	}
	raised := map[knob.Address]bool{"pg:fsync": true, "pg:full_page_writes": true, "pg:autovacuum": true}
	for _, r := range rules.All() {
		if never[r.Address] {
			t.Errorf("there is a rule for %s: durability is read, judged and explained, never planned", r.Address)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		for _, c := range mustPlan(t, h.snapshot(t), h.opt).Changes {
			if never[c.Address] || raised[c.Address] && c.To != "on" ||
				c.Address == "sysctl:vm.overcommit_memory" && c.To == "1" {
				t.Fatalf("%v\nthe plan sets %s to %s", h, c.Address, c.To)
			}
		}
	})
}
