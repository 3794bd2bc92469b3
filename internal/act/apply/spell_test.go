package apply_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// spellsPages spells live values as the kind of server settings does.
type spellsPages struct{ toyKind }

func (spellsPages) Spell(k apply.Knob, live string) string {
	in := &snapshot.Instance{}
	in.Server.Settings = known.Is(pg.Settings{"r_a": {Name: "r_a", Unit: "8kB"}})
	return pgsetting.Kind{Server: &pgctl.Server{}}.Spell(apply.Knob{Address: k.Address, Instance: in}, live)
}

// TestSpelledForPeople: what was found is written as in the plan, 16GB, and not in blocks: by status, by a stale plan,
// by undo of a value that others have changed. A setting without a unit, and one of a server that reported nothing
// about itself, stays as it is.
func TestSpelledForPeople(t *testing.T) {
	b := newBench()
	b.w.Kinds["pg"] = spellsPages{toyKind{b.d, "pg"}}
	b.d.servers["1"].running["r_a"] = "131072"
	_, no := b.run(t, &plan.Plan{Changes: []plan.Change{change("pg:r_a", "/data/1", "16384", "2097152", knob.Reload)}},
		all)
	if no == nil || !strings.Contains(no.Detail.String(), "is 1GB now") {
		t.Errorf("stale: %v", no)
	}
	if _, no := b.run(t, &plan.Plan{Changes: []plan.Change{change("pg:r_a", "/data/1", "131072", "2097152",
		knob.Reload)}}, all); no != nil {
		t.Fatal(no)
	}
	b.d.servers["1"].running["r_a"] = "262144"
	list, err := apply.Status(context.Background(), b.w, b.d.snapshot(), "")
	if err != nil || len(list) != 1 || list[0].Hold != journal.Changed || list[0].Found != "2GB" {
		t.Errorf("%+v, %v", list, err)
	}
	in := &snapshot.Instance{}
	if got := (pgsetting.Kind{Server: &pgctl.Server{}}).Spell(apply.Knob{Address: "pg:work_mem", Instance: in},
		"4096"); got != "4096" {
		t.Errorf("of a server that told nothing: %s", got)
	}
	in.Server.Settings = known.Is(pg.Settings{"max_connections": {Name: "max_connections"},
		"checkpoint_timeout": {Name: "checkpoint_timeout", Unit: "s"}})
	for a, want := range map[knob.Address]string{"pg:max_connections": "300", "pg:checkpoint_timeout": "5min"} {
		if got := (pgsetting.Kind{Server: &pgctl.Server{}}).Spell(apply.Knob{Address: a, Instance: in},
			"300"); got != want {
			t.Errorf("%s: %s", a, got)
		}
	}
	u := pgsetting.Unmet{Address: "pg:shared_buffers", Want: "2097152", Found: "16384", Unit: "8kB"}
	if s := u.String(); !strings.Contains(s, `"128MB"`) || !strings.Contains(s, `"16GB"`) {
		t.Error(s)
	}
}
