package pgclient

import (
	"context"
	"slices"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// TestMemoryAsksLittle: if only memory is of interest, a server is asked for nothing else, and each missing answer says
// why.
func TestMemoryAsksLittle(t *testing.T) {
	f := &fakeServer{version: "17.11"}
	how := through(f.serve(t))
	how.Only = MemoryQuestions
	a := evidence.New()
	if _, err := Ask(context.Background(), a, "1", how, false); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	n := len(f.segments)
	f.mu.Unlock()
	if n != len(MemoryQuestions) {
		t.Errorf("%d transactions for %d questions", n, len(MemoryQuestions))
	}
	for _, q := range pg.Queries(17, false) {
		m := whyMissing(a, q.Name)
		if slices.Contains(MemoryQuestions, q.Name) != (m == evidence.Missing{}) {
			t.Errorf("%s: %+v", q.Name, m)
		}
		if m != (evidence.Missing{}) && (m.State != known.Unread || m.Reason == "") {
			t.Errorf("%s: %+v", q.Name, m)
		}
	}
}
