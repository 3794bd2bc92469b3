package plan_test

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// TestChosenValuesStay: a shared_buffers of 20 to 40 % of the memory and a maintenance_work_mem within a quarter of it
// stay if there is room for them, and the rest of the plan fits.
func TestChosenValuesStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few sessions on a separate machine, of at least 4 GB: everything fits.
		h := hosts().Draw(t, "host")
		h.spec.RAM = max(h.spec.RAM, 4*unit.GB).RoundDown(unit.MB)
		h.spec.CGroup, h.spec.Container, h.spec.CPUs = 0, "", min(h.spec.CPUs, 4)
		h.spec.Sockets = min(h.spec.Sockets, h.spec.CPUs)
		h.opt = rule.Options{Profile: rule.Mixed, Storage: h.opt.Storage, Connections: 20}
		h.spec.Answers = nil
		delete(h.spec.Settings, "work_mem") // all connections with more than 4 MB each may not fit
		kb := func(share float64) int { return int(h.spec.RAM.Scale(share) / unit.KB) }
		buffers := kb(rapid.Float64Range(0.21, 0.38).Draw(t, "buffers")) / 8
		maintenance := kb(rapid.Float64Range(0.1, 0.24).Draw(t, "maintenance"))
		delete(h.spec.Settings, "shared_memory_type")
		h.spec.Settings["shared_buffers"] = strconv.Itoa(buffers)
		s := h.snapshot(t)
		p := mustPlan(t, s, h.opt)
		if got := value(t, plan.Simulate(s, p), "shared_buffers"); got != int64(buffers) {
			t.Fatalf("%v\nshared_buffers goes from %d to %d blocks", h, buffers, got)
		}
		if p.Budget.After.Shortfall > 0 {
			t.Fatalf("%v\nshort of %s", h, p.Budget.After.Shortfall)
		}
		delete(h.spec.Settings, "shared_buffers")
		h.spec.Settings["maintenance_work_mem"] = strconv.Itoa(maintenance)
		s = h.snapshot(t)
		p = mustPlan(t, s, h.opt)
		if got := value(t, plan.Simulate(s, p), "maintenance_work_mem"); got != int64(maintenance) {
			t.Fatalf("%v\nmaintenance_work_mem goes from %d to %d kB", h, maintenance, got)
		}
		if p.Budget.After.Shortfall > 0 {
			t.Fatalf("%v\nshort of %s", h, p.Budget.After.Shortfall)
		}
	})
}
