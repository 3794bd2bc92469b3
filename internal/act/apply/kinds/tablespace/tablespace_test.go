package tablespace_test

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/tablespace"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// TestTablespaceOfAStoppedServer is refused with words: no file holds a catalog.
func TestTablespaceOfAStoppedServer(t *testing.T) {
	tree, err := (&target.Local{}).Sub(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	kind := &tablespace.Kind{Server: &pgctl.Server{Target: tree}}
	k := apply.Knob{Address: "tablespace:archive/random_page_cost",
		Instance: &snapshot.Instance{DataDirectory: known.Is("/data/1")}}
	_, err = kind.Look(t.Context(), k)
	if err == nil || !strings.Contains(err.Error(), "is not running") {
		t.Errorf("%v", err)
	}
	for _, v := range []string{"", "1; drop", "1'", "1\n2", strings.Repeat("1", 200)} {
		if _, err := kind.Want(journal.State{}, k, v); err == nil {
			t.Errorf("%q is taken", v)
		}
	}
	for _, a := range []knob.Address{"tablespace:archive/fillfactor", "tablespace:*/random_page_cost",
		"pg:random_page_cost"} {
		if _, err := kind.Look(t.Context(), apply.Knob{Address: a, Instance: k.Instance}); err == nil ||
			!strings.Contains(err.Error(), "not the address") {
			t.Errorf("%s: %v", a, err)
		}
	}
}
