package applying

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

func change(a knob.Address, e knob.Effect, r knob.Risk) plan.Change {
	c := plan.Change{Address: a, Layer: a.Layer(), Effect: e, Risk: r, From: "0", To: "1", FromBase: "0", ToBase: "1"}
	if c.Layer == knob.Instance {
		c.Instance, c.Key = "/srv/pg", "1"
	}
	return c
}

func TestSelection(t *testing.T) {
	p := &plan.Plan{Changes: []plan.Change{
		change("sysctl:vm.swappiness", knob.Now, knob.Low),
		change("pg:work_mem", knob.Reload, knob.Low),
		change("pg:wal_level", knob.Reload, knob.High),
		change("pg:max_connections", knob.Restart, knob.High),
	}}
	for name, c := range map[string]struct {
		options selection.Options
		all     bool
		chosen  string
		left    map[knob.Address]string
	}{
		"a high risk is left out and named": {selection.Options{MaxEffect: knob.Reload}, false,
			"sysctl:vm.swappiness pg:work_mem",
			map[knob.Address]string{"pg:wal_level": "high risk", "pg:max_connections": "restart"}},
		"one that was accepted is made": {selection.Options{MaxEffect: knob.Reload,
			AcceptRisk: []selection.Which{{Address: "pg:wal_level"}}}, false,
			"sysctl:vm.swappiness pg:work_mem pg:wal_level",
			map[knob.Address]string{"pg:max_connections": "restart"}},
		"all are accepted, and the restart too": {selection.Options{MaxEffect: knob.Restart}, true,
			"sysctl:vm.swappiness pg:work_mem pg:wal_level pg:max_connections", nil},
		"what was not asked for is not told": {selection.Options{MaxEffect: knob.Restart,
			Only: []selection.Which{{Address: "pg:work_mem"}}}, false, "pg:work_mem", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Choice{Options: c.options, Plan: p, Snapshot: &snapshot.Snapshot{}, AcceptAll: c.all}
			s.Choose()
			var got []string
			for _, ch := range s.Chosen {
				got = append(got, string(ch.Address))
			}
			if strings.Join(got, " ") != c.chosen {
				t.Errorf("chosen %v, want %s", got, c.chosen)
			}
			if len(s.Left) != len(c.left) {
				t.Errorf("left out %v", s.Left)
			}
			for _, l := range s.Left {
				if want := c.left[l.Change.Address]; want == "" || !strings.Contains(l.Reason, want) {
					t.Errorf("%s: %q, want %q", l.Change.Address, l.Reason, want)
				}
			}
		})
	}
}

// TestSelectionOfInstances: the same knob of two instances is declined, asked for
// and accepted in each by itself.
func TestSelectionOfInstances(t *testing.T) {
	of := func(dir string, c plan.Change) plan.Change {
		c.Instance, c.Key = dir, dir
		return c
	}
	p := &plan.Plan{Changes: []plan.Change{
		of("/a", change("pg:work_mem", knob.Reload, knob.Low)),
		of("/a", change("pg:wal_level", knob.Reload, knob.High)),
		of("/b", change("pg:work_mem", knob.Reload, knob.Low)),
		of("/b", change("pg:wal_level", knob.Reload, knob.High)),
	}}
	which := func(s string) selection.Which {
		t.Helper()
		w, err := selection.ParseWhich(s)
		if err != nil || w.String() != s {
			t.Fatalf("%q is read as %v, %v", s, w, err)
		}
		return w
	}
	for name, c := range map[string]struct {
		options selection.Options
		decline []plan.Change
		all     bool
		chosen  string
		left    int
	}{
		"declined in one": {decline: p.Changes[:2], all: true, chosen: "pg:work_mem@/b pg:wal_level@/b", left: 2},
		"asked for in one": {options: selection.Options{Only: []selection.Which{which("pg:work_mem@/b")}},
			chosen: "pg:work_mem@/b"},
		"asked for in both": {options: selection.Options{Only: []selection.Which{which("pg:work_mem")}},
			chosen: "pg:work_mem@/a pg:work_mem@/b"},
		"accepted in one": {options: selection.Options{AcceptRisk: []selection.Which{which("pg:wal_level@/a")}},
			chosen: "pg:work_mem@/a pg:wal_level@/a pg:work_mem@/b", left: 1},
		"all of it, accepted": {all: true, chosen: "pg:work_mem@/a pg:wal_level@/a pg:work_mem@/b pg:wal_level@/b"},
	} {
		c.options.MaxEffect = knob.Restart
		s := &Choice{Options: c.options, Plan: p, Snapshot: &snapshot.Snapshot{}, AcceptAll: c.all}
		s.Choose()
		s.Decline(c.decline)
		s.Choose()
		var got []string
		for i := range s.Chosen {
			got = append(got, selection.WhichOf(&s.Chosen[i]).String())
		}
		if strings.Join(got, " ") != c.chosen || len(s.Left) != c.left {
			t.Errorf("%s: chosen %v, left out %+v", name, got, s.Left)
		}
		for _, l := range s.Left {
			if c.decline != nil && (l.Change.Instance != "/a" || l.Reason != declined) {
				t.Errorf("%s: %+v", name, l)
			}
		}
	}
	s := &Choice{Options: selection.Options{Only: []selection.Which{which("pg:jit@/c")}}, Plan: p,
		Snapshot: &snapshot.Snapshot{}}
	if err := s.Named(); err == nil || !strings.Contains(err.Error(), `"/c"`) {
		t.Errorf("an instance that is not here: %v", err)
	}
	for text, want := range map[string]selection.Which{"mount:/a@b/options": {Address: "mount:/a@b/options"},
		"unit:OOMPolicy@/a": {Address: "unit:OOMPolicy", Instance: "/a"},
		"pg:jit@port 5432":  {Address: "pg:jit", Instance: "port 5432"}} {
		if which(text) != want {
			t.Errorf("%s is read as %+v", text, which(text))
		}
	}
}

// TestPerUnit verifies that a property that a plan has once is set on each unit that has another value, and on no unit
// twice.
func TestPerUnit(t *testing.T) {
	in := func(key, dir, unit, policy string) snapshot.Instance {
		return snapshot.Instance{Key: key, DataDirectory: known.Is(dir),
			Unit: known.Is(host.Unit{Name: unit, OOMPolicy: policy,
				Properties: map[string]string{"OOMPolicy": policy}})}
	}
	c := change("unit:OOMPolicy", knob.Now, knob.Low)
	c.To = "continue"
	p := &plan.Plan{Changes: []plan.Change{c, change("pg:jit", knob.Reload, knob.Low)}}
	s := &snapshot.Snapshot{Instances: []snapshot.Instance{in("1", "/a", "a.service", "stop"),
		in("2", "/b", "b.service", "continue"), in("3", "/c", "c.service", "kill"), in("4", "/d", "c.service", "kill")}}
	var got []string
	for _, c := range PerUnit(p, s).Changes {
		got = append(got, string(c.Address)+c.Instance)
	}
	if want := "unit:OOMPolicy/a unit:OOMPolicy/c pg:jit/srv/pg"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	s.Instances = s.Instances[:1]
	if PerUnit(p, s) != p {
		t.Error("a plan for one unit was changed")
	}
}
