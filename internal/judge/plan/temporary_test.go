package plan_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// TestTemporaryTables: a plan beside a temp_buffers that was chosen, up to 512 MB in each session that uses it, keeps
// the promises: it fits or says that it does not, and planning the result changes nothing.
func TestTemporaryTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		h.spec.Settings["temp_buffers"] = strconv.Itoa(rapid.IntRange(100, 1<<16).Draw(t, "temp_buffers"))
		s := h.snapshot(t)
		p := mustPlan(t, s, h.opt)
		if p.Budget.After.Shortfall > 0 && !strings.Contains(strings.Join(say.Strings(p.Warnings), "\n"),
			"connections") {
			t.Fatalf("%v\nshort of %s and no warning says how many connections fit: %q", h, p.Budget.After.Shortfall,
				p.Warnings)
		}
		for _, c := range mustPlan(t, plan.Simulate(s, p), h.opt).Changes {
			t.Fatalf("%v\nafter the plan %s would change again, %s → %s: %s", h, c.Address, c.From, c.To, c.Reason)
		}
	})
}

// TestSettledBesideTheTablesOfAnotherProfile: work_mem is given what is left beside the page tables that the rule of
// shared_buffers allows to each profile. Those of a profile with more workers would be more, and do not lower
// shared_buffers once that work_mem is there (32 GB, and then 30 GB).
func TestSettledBesideTheTablesOfAnotherProfile(t *testing.T) {
	h := host{snapshot.Description{RAM: unit.TB, CPUs: 223, Sockets: 1, Kernel: "6.1.0", Major: 13, THP: "always",
		CGroup: 256 * unit.GB, Container: "docker"},
		rule.Options{Profile: rule.Web, Shared: true, Connections: 10, Pins: map[knob.Address]string{}}}
	s := h.snapshot(t)
	for _, c := range mustPlan(t, plan.Simulate(s, mustPlan(t, s, h.opt)), h.opt).Changes {
		t.Errorf("%s would change again, %s → %s: %s", c.Address, c.From, c.To, c.Reason)
	}
}

// TestMonotoneJustBelowHugePages: a nominal shared_buffers that only its tolerance lifts over the 1 GB from which huge
// pages are wanted is in regular pages, and as many connections are admitted as fit with their page tables.
func TestMonotoneJustBelowHugePages(t *testing.T) {
	h := host{snapshot.Description{CPUs: 6, Sockets: 1, Kernel: "6.1.0", Major: 13, Storage: "nvme", THP: "madvise",
		Settings: map[string]string{"temp_buffers": "16092"}},
		rule.Options{Profile: rule.Web, Storage: rule.NVMe, Shared: true, Pins: map[knob.Address]string{}}}
	before := int64(0)
	for _, ram := range []unit.Bytes{7616 * unit.MB, 7872 * unit.MB, 8128 * unit.MB, 8384 * unit.MB, 8640 * unit.MB} {
		h.spec.RAM = ram
		s := h.snapshot(t)
		now := value(t, plan.Simulate(s, mustPlan(t, s, h.opt)), "shared_buffers")
		if now < before {
			t.Errorf("with %s shared_buffers fall from %d to %d blocks", ram, before, now)
		}
		before = now
	}
}
