package applying

import (
	"context"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Status reports the state of values that were applied and not undone: of one journal, or of all (""). Unreadable
// journals are a warning, unless none can be read.
func Status(ctx context.Context, p *Place, id string) ([]journal.Drift, error) {
	var list []*journal.Journal
	all := &journal.Journal{} // of all journals, what is about an instance
	if id != "" {
		one, err := p.Journal(id)
		if err != nil {
			return nil, err
		}
		all, list = one, append(list, one)
	} else {
		var err error
		if list, err = p.List(); err != nil && len(list) == 0 {
			return nil, err
		}
		for _, j := range list {
			for _, c := range j.Changes {
				if c.State == journal.IsDone {
					all.Changes = append(all.Changes, c)
				}
			}
		}
	}
	damaged := false
	for _, j := range list {
		if why := j.Trouble(); why != "" {
			damaged = true
			p.Host.Tell("warning", gapwords.Of(why))
		}
	}
	if len(all.Changes) == 0 && !damaged {
		return nil, nil // there is nothing to look at
	}
	l, err := p.loadJournalled(ctx, all, "")
	if err != nil {
		return nil, err
	}
	w, _, err := p.world(l, Restart{})
	if err != nil {
		return nil, err
	}
	drifts, err := apply.Status(ctx, w, l.Snapshot, id)
	if err != nil && len(drifts) == 0 {
		return nil, err
	}
	if err != nil {
		p.Host.Tell("warning", say.OfError(err))
	}
	return drifts, nil
}

// StatusHere reports the state of the values that were applied on this host, to it and to the instances of a session.
// If the journals cannot be read, nothing is reported about them, so that users without access still get the rest.
func StatusHere(ctx context.Context, p *Place, l *app.Session) []journal.Drift {
	if l.Collected == nil || l.Collected.Kind == collect.Conninfo {
		return nil
	}
	if list, err := p.List(); err != nil || len(list) == 0 {
		return nil
	}
	w, _, err := p.world(l, Restart{})
	if err != nil {
		return nil
	}
	w.Tell = nil
	drifts, err := apply.Status(ctx, w, l.Snapshot, "")
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(drifts, func(d journal.Drift) bool {
		return d.Instance != "" && !slices.ContainsFunc(l.Snapshot.Instances,
			func(in snapshot.Instance) bool { return in.Label() == d.Instance })
	})
}
