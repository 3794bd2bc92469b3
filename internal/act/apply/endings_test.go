package apply_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// TestUndoOfAnApplyThatWasKilledInARestart: the server that was stopped for it is still down. An undo that may not
// restart puts its files back and does not end as if all were well, however often it is called; one that may starts it.
// For a server that was stopped by others since, only the restart is reported.
func TestUndoOfAnApplyThatWasKilledInARestart(t *testing.T) {
	down := func(b *bench) *snapshot.Snapshot {
		s := b.d.snapshot()
		s.Instances[0].Running = known.Is(false)
		return s
	}
	changes := &plan.Plan{Changes: []plan.Change{change("pg:s_a", "/data/1", "0", "1", knob.Restart)}}
	b := newBench()
	b.w.Activate = func(context.Context, string, knob.Effect) error { panic("killed") }
	func() {
		defer func() {
			if recover() == nil {
				t.Fatal("it was not killed")
			}
		}()
		b.run(t, changes, all)
	}()
	b.w.Activate = b.d.activate
	id := ""
	for range 2 {
		res, err := apply.Undo(context.Background(), b.w, down(b), id, apply.UndoOptions{MaxEffect: knob.Reload})
		var no *say.Problem
		if !errors.As(err, &no) || no.Code != say.CodePartly ||
			no.Message.String() != "the server of /data/1 is not "+
				"running" ||
			!strings.Contains(no.Hint.String(), "--max-effect restart "+res.Journal.ID) {
			t.Fatalf("%v, %+v", err, no)
		}
		if res.Journal.State != journal.TakenBack || res.Journal.Changes[0].State != journal.IsUndone {
			t.Fatalf("the files are not back: %+v", res.Journal)
		}
		id = res.Journal.ID
	}
	if res, err := apply.Undo(context.Background(), b.w, down(b), id,
		apply.UndoOptions{MaxEffect: knob.Restart}); err != nil || len(res.Journal.Pending) != 0 {
		t.Fatalf("%v, %+v", err, res.Journal)
	}

	b = newBench()
	if _, no := b.run(t, changes, all); no != nil {
		t.Fatal(no)
	}
	if _, err := apply.Undo(context.Background(), b.w, down(b), "",
		apply.UndoOptions{MaxEffect: knob.Reload}); err != nil ||
		!strings.Contains(strings.Join(b.said, "\n"), "/data/1 needs a restart") {
		t.Errorf("%v, %q", err, b.said)
	}
}

// TestNothingWasApplied: an apply of which everything was restored does not call itself partly applied, and does not
// offer to take anything back.
func TestNothingWasApplied(t *testing.T) {
	b := newBench()
	res, no := b.run(t, &plan.Plan{Changes: []plan.Change{change("pg:s_a", "/data/1", "0", "bad", knob.Restart)}}, all)
	if no == nil || no.Code != say.CodePartly ||
		no.Message.String() != "nothing was applied: 0 of 1 changes are done" ||
		strings.Contains(no.Hint.String(), "pgfettle undo") {
		t.Errorf("%+v, %+v", no, res.Journal)
	}
}
