package proving

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// TestNotesAreKnownAgain verifies that what shows a document knows its notes, which are in it as English text.
func TestNotesAreKnownAgain(t *testing.T) {
	never := func(string) bool { return false }
	off := []experiment.Difference{{Address: "pg:max_wal_size"}, {Address: "pg:wal_compression"}}
	texts := map[string]bool{}
	for _, spec := range []experiment.Spec{{Duration: 60, Cache: "warm"}, {Duration: 600, Cache: "cold"},
		{Count: 100, Cache: "warm"}} {
		for _, exercise := range []string{"", "fsync-off"} {
			for _, said := range []func(string) bool{never, func(name string) bool { return name == "metric" }} {
				o := &ProveOptions{Options: Options{Said: said}, Exercise: exercise}
				o.Transactions, o.Metric = spec.Count, "tps"
				e := &engine.Order{Experiment: experiment.Experiment{Metric: "tps", Spec: spec}}
				if _, err := o.decide(e, &workload.Workload{Name: "1c", Uneven: true, Writes: true}, off); err != nil {
					t.Fatal(err)
				}
				for _, m := range append(e.Notes, o.checkpoints(e, true, []string{"max_wal_size"})...) {
					texts[m.English()] = len(m.Args) > 0
				}
				e.Spec, e.Metric = spec, "tps"
				for _, m := range o.checkpoints(e, true, []string{"max_wal_size", "wal_compression"}) {
					texts[m.English()] = len(m.Args) > 0
				}
			}
		}
	}
	if len(texts) < 5 {
		t.Errorf("%d notes", len(texts))
	}
	for text, filled := range texts {
		if filled && !gapwords.Has(text) {
			t.Errorf("not known again: %s", text)
		}
	}
}
