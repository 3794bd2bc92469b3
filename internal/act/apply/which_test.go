package apply_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// TestInstancesByName: where a plan is for two instances, the same setting of each
// is skipped by itself, and is told with the instance that it is of; where it is
// for one, the address says enough.
func TestInstancesByName(t *testing.T) {
	both := &plan.Plan{Changes: []plan.Change{
		change("pg:r_a", "/data/1", "0", "1", knob.Reload), change("pg:r_a", "/data/2", "0", "1", knob.Reload),
		change("sysctl:vm.swappiness", "", "0", "1", knob.Now),
	}}
	b := newBench()
	o := apply.Options{MaxEffect: knob.Reboot, Skip: []apply.Which{{Address: "pg:r_a", Instance: "/data/1"}}}
	res, no := b.run(t, both, o)
	if no != nil || len(res.Left) != 1 || res.Left[0].Change.Instance != "/data/1" || b.d.servers["1"].running["r_a"] != "0" || b.d.servers["2"].running["r_a"] != "1" {
		t.Errorf("skipped in one: %v, left out %+v", no, res.Left)
	}
	if !slices.Contains(b.said, "pg:r_a: 0 → 1") {
		t.Errorf("one instance: %q", b.said)
	}
	b = newBench()
	if _, no = b.run(t, both, all); no != nil {
		t.Fatal(no)
	}
	for _, want := range []string{"pg:r_a@/data/1: 0 → 1", "pg:r_a@/data/2: 0 → 1", "sysctl:vm.swappiness: 0 → 1"} {
		if !slices.Contains(b.said, want) {
			t.Errorf("%q is not said: %q", want, b.said)
		}
	}
	both.Changes[1].Risk = knob.High
	if _, no := newBench().run(t, both, all); no == nil || !strings.Contains(no.Hint, "--accept-risk pg:r_a@/data/2") {
		t.Errorf("a risk in one: %+v", no)
	}
}
