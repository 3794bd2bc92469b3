package apply_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// dies lets f run until it dies; false: it came to its end.
func dies(f func()) (died bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(death); !ok {
				panic(p)
			}
			died = true
		}
	}()
	f()
	return false
}

// TestEveryPoint kills an apply at each point of each of its operations, one after another, and then either resumes it,
// which must end as an apply that was not killed, or undoes it, which must end as if nothing had happened. One plan
// succeeds, the other has a server that does not come up with it.
func TestEveryPoint(t *testing.T) {
	good := onto("100")
	bad := onto("100")
	bad.Changes[3] = change("pg:s_a", "/data/1", "0", "bad", knob.Restart)
	for name, p := range map[string]*plan.Plan{"good": good, "bad": bad} {
		ref := newBench()
		origin := ref.d.picture(true)
		if res, _ := ref.run(t, p, all); !res.Journal.Ended() {
			t.Fatalf("%s did not end", name)
		}
		want := ref.d.picture(true)
		points := ref.d.points
		for at := range points {
			for _, cut := range []int{0, 1, 7, 8} { // each way to look cut off: see toyDisk
				for _, power := range []bool{false, true} {
					how := fmt.Sprintf("%s, point %d of %d, cut %d, power failure %v", name, at, points, cut, power)
					after := func() *bench {
						b := newBench()
						b.d.fuse, b.d.cut, b.d.power = at, cut, power
						if !dies(func() { _, _ = apply.Run(context.Background(), b.w, p, b.d.snapshot(), all) }) {
							t.Fatalf("%s: it did not die", how)
						}
						return b
					}
					b := after()
					if j, err := journalfile.List(b.d, journalDir); err != nil || len(j) == 0 {
						if err != nil || b.d.picture(true) != origin {
							t.Fatalf("%s: no journal (%v), and something was changed", how, err)
						}
						continue
					}
					res, err := apply.Resume(context.Background(), b.w, b.d.snapshot(), "", selection.Options{})
					if res.Journal != nil && (!res.Journal.Ended() || b.d.picture(true) != want) ||
						res.Journal == nil && at < points-4 {
						t.Fatalf("%s: resumed (%v) to\n%s\nand not\n%s", how, err, b.d.picture(true), want)
					}
					b = after()
					if _, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), "",
						apply.UndoOptions{MaxEffect: knob.Restart}); err != nil || b.d.picture(true) != origin {
						t.Fatalf("%s: undone (%v) to\n%s\nand not\n%s", how, err, b.d.picture(true), origin)
					}
				}
			}
		}
	}
}

// TestEveryPointOfUndo does the same to the undo of an apply, and then undoes again. There
// is no room for the pool and the server with its former settings at once.
func TestEveryPointOfUndo(t *testing.T) {
	applied := func() *bench {
		b := newBench()
		if _, no := b.run(t, onto("100"), all); no != nil {
			t.Fatal(no)
		}
		b.d.points, b.d.tight = 0, true // the server starts again when the pool is back, or not at all
		return b
	}
	undo := func(b *bench) error {
		_, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), "20261121-100001-a",
			apply.UndoOptions{MaxEffect: knob.Restart})
		return err
	}
	origin := newToy().picture(true)
	ref := applied()
	if err := undo(ref); err != nil || ref.d.picture(true) != origin {
		t.Fatalf("%v\n%s", err, ref.d.picture(true))
	}
	for at := range ref.d.points {
		for _, cut := range []int{0, 1, 7, 8} {
			for _, power := range []bool{false, true} {
				b := applied()
				b.d.fuse, b.d.cut, b.d.power = at, cut, power
				if !dies(func() { _ = undo(b) }) {
					t.Fatalf("point %d: it did not die", at)
				}
				var err error
				if at%2 == 0 {
					err = undo(b)
				} else {
					_, err = apply.Resume(context.Background(), b.w, b.d.snapshot(), "20261121-100001-a",
						selection.Options{})
					if j, _ := journalfile.Read(b.d, journalDir, "20261121-100001-a"); j.State != journal.TakenBack {
						err = errors.Join(err, undo(b)) // it had died before the undo was in the journal
					}
				}
				if err != nil || b.d.picture(true) != origin {
					t.Fatalf("point %d, cut %d, power failure %v: %v\n%s\nand not\n%s", at, cut, power, err,
						b.d.picture(true), origin)
				}
			}
		}
	}
}
