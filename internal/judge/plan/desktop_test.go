package plan_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// TestDesktopKeepsItsMemory: on a desktop no memory is refused to other
// programs or reserved, and the server starts without its huge pages.
func TestDesktopKeepsItsMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		h.opt.Profile = rule.Desktop
		h.spec.Settings["huge_pages"] = rapid.SampledFrom([]string{"off", "try", "on"}).Draw(t, "huge_pages")
		s := h.snapshot(t)
		p := mustPlan(t, s, h.opt)
		if changed(p, "sysctl:vm.overcommit_memory") || changed(p, "sysctl:vm.overcommit_kbytes") ||
			changed(p, "sysctl:vm.nr_hugepages") {
			t.Fatalf("%v\nthe plan of a desktop: %+v", h, p.Changes)
		}
		after := plan.Simulate(s, p)
		set, _ := after.Instances[0].Server.Settings.Get()
		if hp, _ := set.Text("huge_pages"); hp == "on" {
			t.Fatalf("%v\nhuge_pages = on", h)
		}
		for _, c := range mustPlan(t, after, h.opt).Changes {
			t.Fatalf("%v\nafter the plan %s would change again, %s → %s: %s", h, c.Address, c.From, c.To, c.Reason)
		}
	})
}
