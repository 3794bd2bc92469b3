package selection_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// TestSelect: what depends on an omitted change is omitted too.
func TestSelect(t *testing.T) {
	names := func(cs []plan.Change) string {
		var out []string
		for _, c := range cs {
			out = append(out, c.Address.Name())
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		o    selection.Options
		want string
	}{
		{selection.Options{MaxEffect: knob.Restart},
			"vm.swappiness vm.nr_hugepages r_a huge_pages vm.overcommit_kbytes vm.overcommit_memory"},
		{selection.Options{MaxEffect: knob.Reload}, "vm.swappiness r_a"},
		{selection.Options{MaxEffect: knob.Now}, "vm.swappiness"},
		{selection.Options{MaxEffect: knob.Restart, Only: []selection.Which{{Address: "sysctl:vm.nr_hugepages"}}},
			"vm.nr_hugepages"},
		{selection.Options{MaxEffect: knob.Restart, Only: []selection.Which{{Address: "pg:huge_pages"}}}, ""},
		{selection.Options{MaxEffect: knob.Restart, Only: []selection.Which{{Address: "pg:r_a"},
			{Address: "sysctl:vm.overcommit_memory"}}}, "r_a"},
		{selection.Options{MaxEffect: knob.Restart, Skip: []selection.Which{{Address: "sysctl:vm.overcommit_kbytes"}}},
			"vm.swappiness vm.nr_hugepages r_a huge_pages"},
	} {
		chosen, left := selection.Select(ontoHugePages("100"), twoInstances, c.o)
		if names(chosen) != c.want || len(chosen)+len(left) != 6 {
			t.Errorf("%+v: %s; left out %+v", c.o, names(chosen), left)
		}
	}
}

// TestMoved: an input that moved without changing its value makes no plan
// stale; one that did is named.
func TestMoved(t *testing.T) {
	p, fresh := ontoHugePages("100"), ontoHugePages("100")
	p.Changes[1].Inputs = []rule.Input{{Name: "available", Value: "10 GB"}}
	fresh.Changes[1].Inputs = []rule.Input{{Name: "available", Value: "9 GB"}}
	if err := selection.Moved(p, fresh); err != nil {
		t.Error(err)
	}
	fresh.Changes[1].To, fresh.Changes[1].ToBase = "90", "90"
	var no *say.Problem
	if err := selection.Moved(p, fresh); !errors.As(err, &no) || no.Code != say.CodeStale ||
		!strings.Contains(no.Detail.String(), "available was 10 GB, now 9 GB") {
		t.Errorf("%v", err)
	}
	fresh.Changes = fresh.Changes[2:]
	if err := selection.Moved(p, fresh); !errors.As(err, &no) ||
		!strings.Contains(no.Detail.String(), "sysctl:vm.swappiness (0 → 1) is no longer planned") {
		t.Errorf("%v", err)
	}
}

var twoInstances = &snapshot.Snapshot{Instances: []snapshot.Instance{
	{Key: "1", DataDirectory: known.Is("/data/1")}, {Key: "2", DataDirectory: known.Is("/data/2")},
}}

func change(a knob.Address, instance, from, to string, e knob.Effect) plan.Change {
	return plan.Change{Address: a, Instance: instance, Layer: a.Layer(), From: from, To: to, FromBase: from,
		ToBase: to, Effect: e}
}

// ontoHugePages is a plan onto huge pages: the pool, the setting, strict overcommit.
func ontoHugePages(pages string) *plan.Plan {
	return &plan.Plan{Changes: []plan.Change{
		change("sysctl:vm.swappiness", "", "0", "1", knob.Now),
		change("sysctl:vm.nr_hugepages", "", "0", pages, knob.Now),
		change("pg:r_a", "/data/1", "0", "1", knob.Reload),
		change("pg:huge_pages", "/data/1", "0", "on", knob.Restart),
		change("sysctl:vm.overcommit_kbytes", "", "0", "9000", knob.Now),
		change("sysctl:vm.overcommit_memory", "", "0", "2", knob.Now),
	}}
}
