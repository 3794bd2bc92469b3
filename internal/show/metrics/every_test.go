package metrics_test

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/metrics"
	"github.com/pgfettle/pgfettle/test/hosts"
	"pgregory.net/rapid"
)

// TestEveryHost: of any host the exposition is one that parsers read, without
// numbers that are none; the settings that differ from the plan are those that it
// changes, and of a host that keeps to the plan none differs.
func TestEveryHost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := hosts.Any().Draw(rt, "host")
		a, err := h.Spec.Evidence()
		if err != nil {
			rt.Fatal(err)
		}
		s, err := snapshot.Read(a)
		if err != nil {
			rt.Fatal(err)
		}
		p, err := plan.Make(s, rules.All(), h.Opt)
		if err != nil {
			rt.Fatal(err)
		}
		changed := map[string]bool{}
		for _, c := range p.Changes {
			changed[string(c.Address)] = true
		}
		for address := range differing(t, s, p) {
			if !changed[address] {
				rt.Errorf("%s differs from the plan, which does not change it", address)
			}
		}
		after := plan.Simulate(s, p)
		kept, err := plan.Make(after, rules.All(), h.Opt)
		if err != nil {
			rt.Fatal(err)
		}
		for address := range differing(t, after, kept) {
			rt.Errorf("carried out, %s differs from the plan", address)
		}
	})
}

// differing returns the addresses of the settings that are not what is planned.
func differing(t *testing.T, s *snapshot.Snapshot, p *plan.Plan) map[string]bool {
	t.Helper()
	r, err := metrics.Read(s, check.Run(s, checks.All(), check.Options{}), p)
	if err != nil {
		t.Fatal(err)
	}
	source := sourceOf(r)
	if err := source.Once(context.Background()); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := metrics.Write(&b, source, metrics.Text, false); err != nil {
		t.Fatal(err)
	}
	planned, out := map[string]float64{}, map[string]bool{}
	families := parsed(t, b.String())
	for _, name := range []string{"pgfettle_setting_planned", "pgfettle_setting"} {
		for _, m := range families[name].GetMetric() {
			address := ""
			for _, l := range m.GetLabel() {
				if l.GetName() == "address" {
					address = l.GetValue()
				}
			}
			v := m.GetGauge().GetValue()
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s of %s is %v", name, address, v)
			}
			if name == "pgfettle_setting_planned" {
				planned[address] = v
			} else if want, ok := planned[address]; ok && want != v {
				out[address] = true
			}
		}
	}
	return out
}
