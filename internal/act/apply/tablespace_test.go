package apply_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// withTablespaces is a bench whose two servers have a tablespace each.
func withTablespaces() *bench {
	b := newBench()
	b.w.Kinds["tablespace"] = toyKind{b.d, "tablespace"}
	for _, dir := range []string{"/data/1", "/data/2"} {
		b.d.live["/catalog"+dir+"/archive/random_page_cost"] = knob.Unset
	}
	return b
}

func onto4(bad string) *plan.Plan {
	return &plan.Plan{Changes: []plan.Change{
		change("pg:r_a", "/data/1", "0", "1", knob.Reload),
		change("tablespace:archive/random_page_cost", "/data/1", knob.Unset, "4", knob.Now),
		change("tablespace:archive/random_page_cost", "/data/2", knob.Unset, "1.1", knob.Now),
		change("pg:s_a", "/data/1", "0", bad, knob.Restart),
	}}
}

// TestEveryPointOfTablespaces kills an apply of options of tablespaces, beside settings
// of the same servers, at each point, and then resumes or undoes it.
func TestEveryPointOfTablespaces(t *testing.T) {
	for _, value := range []string{"1", "bad"} {
		ref := withTablespaces()
		origin := ref.d.picture(true)
		if res, _ := ref.run(t, onto4(value), all); !res.Journal.Ended() {
			t.Fatal("it did not end")
		}
		want, points := ref.d.picture(true), ref.d.points
		if !strings.Contains(want, "/catalog/data/1/archive/random_page_cost is 4\n") ||
			!strings.Contains(want, "/catalog/data/2/archive/random_page_cost is 1.1\n") {
			t.Fatalf("s_a = %s took a tablespace back with it:\n%s", value, want)
		}
		for at := range points {
			after := func() *bench {
				b := withTablespaces()
				b.d.fuse, b.d.power = at, at%2 == 0
				if !dies(func() { _, _ = apply.Run(context.Background(), b.w, onto4(value), b.d.snapshot(), all) }) {
					t.Fatalf("point %d: it did not die", at)
				}
				return b
			}
			b := after()
			if j, err := journalfile.List(b.d, journalDir); err != nil || len(j) == 0 {
				if err != nil || b.d.picture(true) != origin {
					t.Fatalf("point %d: no journal (%v), and something was changed", at, err)
				}
				continue
			}
			res, err := apply.Resume(context.Background(), b.w, b.d.snapshot(), "", selection.Options{})
			if res.Journal != nil && (!res.Journal.Ended() || b.d.picture(true) != want) ||
				res.Journal == nil && at < points-4 {
				t.Fatalf("point %d: resumed (%v) to\n%s\nand not\n%s", at, err, b.d.picture(true), want)
			}
			b = after()
			if _, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), "",
				apply.UndoOptions{MaxEffect: knob.Restart}); err != nil || b.d.picture(true) != origin {
				t.Fatalf("point %d: undone (%v) to\n%s\nand not\n%s", at, err, b.d.picture(true), origin)
			}
		}
	}
}

// unwilling is a kind that the server refuses to set.
type unwilling struct{ toyKind }

func (unwilling) Set(_ context.Context, _ apply.Knob, s journal.State) error {
	if s.Live != nil && *s.Live == knob.Unset {
		return nil // as it is
	}
	return errors.New("the server does not want it")
}

// TestTablespaceThatFails leaves the settings of its server as they were made, with which it
// has nothing to do.
func TestTablespaceThatFails(t *testing.T) {
	b := withTablespaces()
	b.w.Kinds["tablespace"] = unwilling{toyKind{b.d, "tablespace"}}
	p := onto4("1")
	res, _ := apply.Run(context.Background(), b.w, p, b.d.snapshot(), all)
	if res.Journal == nil {
		t.Fatal("no journal")
	}
	got := states(res.Journal)
	if got["pg:r_a/data/1"] != "done" || got["pg:s_a/data/1"] != "done" {
		t.Errorf("%v", got)
	}
	chosen, left := selection.Select(p, b.d.snapshot(), selection.Options{MaxEffect: knob.Now})
	if len(chosen) != 2 || len(left) != 2 {
		t.Errorf("at once: %+v", chosen)
	}
	chosen, _ = selection.Select(p, b.d.snapshot(), selection.Options{MaxEffect: knob.Restart,
		Only: []selection.Which{{Address: "tablespace:*/random_page_cost", Instance: "/data/2"}}})
	if len(chosen) != 1 || chosen[0].Instance != "/data/2" {
		t.Errorf("by name: %+v", chosen)
	}
}
