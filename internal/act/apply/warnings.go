package apply

import (
	"context"
	"slices"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// Warner is implemented by kinds that know before anything is written what a person should know before agreeing, such
// as what of a file no undo brings back. Each is a sentence without the knob's name.
type Warner interface {
	Warnings(ctx context.Context, k Knob) ([]string, error)
}

// Warnings asks the kinds of the changes for what should be reported before they are made, each sentence once. A change
// that cannot be read has nothing to report here: Run refuses it with its reason.
func Warnings(ctx context.Context, w *System, s *snapshot.Snapshot, chosen []plan.Change) []selection.Warning {
	e := &operation{w: w, s: s}
	var out []selection.Warning
	for i := range chosen {
		c := &chosen[i]
		kind, k, err := e.knob(c.Address, c.Instance)
		f, ok := kind.(Warner)
		if err != nil || !ok {
			continue
		}
		said, err := f.Warnings(ctx, k)
		if err != nil {
			continue
		}
		for _, text := range said {
			at := slices.IndexFunc(out, func(f selection.Warning) bool { return f.Text == text })
			if at < 0 {
				at = len(out)
				out = append(out, selection.Warning{Text: text})
			}
			out[at].Of = append(out[at].Of, selection.WhichOf(c))
		}
	}
	return out
}
