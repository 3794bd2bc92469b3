package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
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
		"a high risk is left out and named": {selection.Options{MaxEffect: knob.Reload}, false, "sysctl:vm.swappiness pg:work_mem",
			map[knob.Address]string{"pg:wal_level": "risk is high", "pg:max_connections": "restart"}},
		"one that was accepted is made": {selection.Options{MaxEffect: knob.Reload, AcceptRisk: []selection.Which{{Address: "pg:wal_level"}}}, false, "sysctl:vm.swappiness pg:work_mem pg:wal_level",
			map[knob.Address]string{"pg:max_connections": "restart"}},
		"all are accepted, and the restart too": {selection.Options{MaxEffect: knob.Restart}, true, "sysctl:vm.swappiness pg:work_mem pg:wal_level pg:max_connections", nil},
		"what was not asked for is not told":    {selection.Options{MaxEffect: knob.Restart, Only: []selection.Which{{Address: "pg:work_mem"}}}, false, "pg:work_mem", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := &chosenPart{options: c.options, plan: p, snapshot: &snapshot.Snapshot{}, acceptAll: c.all}
			s.choose()
			var got []string
			for _, ch := range s.chosen {
				got = append(got, string(ch.Address))
			}
			if strings.Join(got, " ") != c.chosen {
				t.Errorf("chosen %v, want %s", got, c.chosen)
			}
			if len(s.left) != len(c.left) {
				t.Errorf("left out %v", s.left)
			}
			for _, l := range s.left {
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
		of("/a", change("pg:work_mem", knob.Reload, knob.Low)), of("/a", change("pg:wal_level", knob.Reload, knob.High)),
		of("/b", change("pg:work_mem", knob.Reload, knob.Low)), of("/b", change("pg:wal_level", knob.Reload, knob.High)),
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
		"declined in one":     {decline: p.Changes[:2], all: true, chosen: "pg:work_mem@/b pg:wal_level@/b", left: 2},
		"asked for in one":    {options: selection.Options{Only: []selection.Which{which("pg:work_mem@/b")}}, chosen: "pg:work_mem@/b"},
		"asked for in both":   {options: selection.Options{Only: []selection.Which{which("pg:work_mem")}}, chosen: "pg:work_mem@/a pg:work_mem@/b"},
		"accepted in one":     {options: selection.Options{AcceptRisk: []selection.Which{which("pg:wal_level@/a")}}, chosen: "pg:work_mem@/a pg:wal_level@/a pg:work_mem@/b", left: 1},
		"all of it, accepted": {all: true, chosen: "pg:work_mem@/a pg:wal_level@/a pg:work_mem@/b pg:wal_level@/b"},
	} {
		c.options.MaxEffect = knob.Restart
		s := &chosenPart{options: c.options, plan: p, snapshot: &snapshot.Snapshot{}, acceptAll: c.all}
		s.choose()
		s.decline(c.decline)
		s.choose()
		var got []string
		for i := range s.chosen {
			got = append(got, selection.WhichOf(&s.chosen[i]).String())
		}
		if strings.Join(got, " ") != c.chosen || len(s.left) != c.left {
			t.Errorf("%s: chosen %v, left out %+v", name, got, s.left)
		}
		for _, l := range s.left {
			if c.decline != nil && (l.Change.Instance != "/a" || l.Reason != declined) {
				t.Errorf("%s: %+v", name, l)
			}
		}
	}
	s := &chosenPart{options: selection.Options{Only: []selection.Which{which("pg:jit@/c")}}, plan: p, snapshot: &snapshot.Snapshot{}}
	if err := s.named(); err == nil || !strings.Contains(err.Error(), `"/c"`) {
		t.Errorf("an instance that is not here: %v", err)
	}
	for text, want := range map[string]selection.Which{"mount:/a@b/options": {Address: "mount:/a@b/options"}, "unit:OOMPolicy@/a": {Address: "unit:OOMPolicy", Instance: "/a"},
		"pg:jit@port 5432": {Address: "pg:jit", Instance: "port 5432"}} {
		if which(text) != want {
			t.Errorf("%s is read as %+v", text, which(text))
		}
	}
}

// TestPerUnit holds that a property that a plan has once is set on each unit
// that has another value, and on no unit twice.
func TestPerUnit(t *testing.T) {
	in := func(key, dir, unit, policy string) snapshot.Instance {
		return snapshot.Instance{Key: key, DataDirectory: known.Is(dir), Unit: known.Is(host.Unit{Name: unit, OOMPolicy: policy, Properties: map[string]string{"OOMPolicy": policy}})}
	}
	c := change("unit:OOMPolicy", knob.Now, knob.Low)
	c.To = "continue"
	p := &plan.Plan{Changes: []plan.Change{c, change("pg:jit", knob.Reload, knob.Low)}}
	s := &snapshot.Snapshot{Instances: []snapshot.Instance{in("1", "/a", "a.service", "stop"), in("2", "/b", "b.service", "continue"), in("3", "/c", "c.service", "kill"), in("4", "/d", "c.service", "kill")}}
	var got []string
	for _, c := range perUnit(p, s).Changes {
		got = append(got, string(c.Address)+c.Instance)
	}
	if want := "unit:OOMPolicy/a unit:OOMPolicy/c pg:jit/srv/pg"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	s.Instances = s.Instances[:1]
	if perUnit(p, s) != p {
		t.Error("a plan for one unit was changed")
	}
}

func TestChoose(t *testing.T) {
	for typed, want := range map[string]string{"y\n": "yes", "YES\n": "yes", "\nwhat\ns\n": "skip", "q": "quit", "": "quit", "sk\n": "skip"} {
		var talk bytes.Buffer
		got, err := newLines(strings.NewReader(typed)).choose(context.Background(), &Env{Stderr: &talk}, "Do it?", answerYes, answerSkip, answerQuit)
		if err != nil || got != want {
			t.Errorf("%q gives %q, %v, want %s", typed, got, err, want)
		}
		if !strings.Contains(talk.String(), "Do it? [yes/skip/quit] ") {
			t.Errorf("%q was asked with %q", typed, talk.String())
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newLines(blocked{}).choose(ctx, &Env{Stderr: &bytes.Buffer{}}, "?", answerYes); err != context.Canceled {
		t.Errorf("an interrupted question ends with %v", err)
	}
}

// TestChooseInAnotherLanguage: the words of the reader's language are shown and
// taken, and the English ones still are.
func TestChooseInAnotherLanguage(t *testing.T) {
	french, err := say.Open("fr")
	if err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{"oui\n": "yes", "y\n": "yes", "p\n": "skip", "s\n": "skip", "a\n": "quit", "": "quit"} {
		var talk bytes.Buffer
		got, err := newLines(strings.NewReader(typed)).choose(context.Background(), &Env{Stderr: &talk, words: french}, "?", answerYes, answerSkip, answerQuit)
		if err != nil || got != want {
			t.Errorf("%q gives %q, %v, want %s", typed, got, err, want)
		}
		if !strings.Contains(talk.String(), "[oui/passer/arrêter]") {
			t.Errorf("%q was asked with %q", typed, talk.String())
		}
	}
}

// blocked is an input on which nobody types.
type blocked struct{}

func (blocked) Read([]byte) (int, error) { select {} }
