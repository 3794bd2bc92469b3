package applying

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// Resume goes on with an apply that was interrupted: the one named, or the last ("").
func Resume(ctx context.Context, p *Place, restart Restart, id string, wait bool) (*journal.Journal, error) {
	w, l, id, err := p.worldOf(ctx, restart, id, "", func(j *journal.Journal) bool {
		return j.State == journal.Interrupted
	})
	if err != nil {
		return nil, err
	}
	res, err := apply.Resume(ctx, w, l.Snapshot, id, selection.Options{Wait: wait})
	return res.Journal, err
}
