package apply

import (
	"context"
	"slices"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Forewarner is what a kind may also be: it knows before anything is written what
// a person should hear before he says yes, such as what of a file no undo brings
// back. Each is a sentence without the knob's name.
type Forewarner interface {
	Forewarn(ctx context.Context, k Knob) ([]string, error)
}

// Forewarn asks the kinds of the changes for what should be told before they are
// made, each sentence once. A change that cannot be looked at has nothing to tell
// here: Run refuses it with its reason.
func Forewarn(ctx context.Context, w *World, s *snapshot.Snapshot, chosen []plan.Change) []Forewarned {
	e := &engine{w: w, s: s}
	var out []Forewarned
	for i := range chosen {
		c := &chosen[i]
		kind, k, err := e.knob(c.Address, c.Instance)
		f, ok := kind.(Forewarner)
		if err != nil || !ok {
			continue
		}
		said, err := f.Forewarn(ctx, k)
		if err != nil {
			continue
		}
		for _, text := range said {
			at := slices.IndexFunc(out, func(f Forewarned) bool { return f.Text == text })
			if at < 0 {
				at = len(out)
				out = append(out, Forewarned{Text: text})
			}
			out[at].Of = append(out[at].Of, WhichOf(c))
		}
	}
	return out
}
