package apply

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Status looks at every knob that was applied and not undone: of one journal, or with id "" of all of them, where a
// later apply of the same knob stands for the earlier. What a damaged journal names and does not prove is unknown.
// Nothing is written. Journals that cannot be read are named by the error beside the drifts of the others.
func Status(ctx context.Context, w *System, s *snapshot.Snapshot, id string) ([]journal.Drift, error) {
	e := &operation{w: w, s: s}
	var list []*journal.Journal
	var err error
	if id == "" {
		list, err = journalfile.List(w.Target, w.dir())
	} else {
		var j *journal.Journal
		if j, err = journalfile.Read(w.Target, w.dir(), id); err == nil {
			list = append(list, j)
		}
	}
	if err != nil {
		err = target.NoAccess("the journals", err)
	}
	drifts := []journal.Drift{}
	at := map[[2]string]int{}
	for _, j := range list {
		if !w.owns(j) {
			continue
		}
		if j.Damage != nil {
			for _, u := range j.Damage.Unproven(j) {
				drifts = append(drifts, journal.Drift{Journal: j.ID, Address: u.Address, Instance: u.Instance,
					Where: u.Path, Hold: journal.Unseen, Reason: j.Trouble()})
			}
		}
		for i := range j.Changes {
			c := &j.Changes[i]
			if c.State != journal.IsDone {
				continue
			}
			if err := ctx.Err(); err != nil {
				return drifts, err
			}
			d := e.drift(ctx, c)
			d.Journal = j.ID
			key := [2]string{c.Instance, string(c.Address)}
			if n, ok := at[key]; ok {
				drifts[n] = d
				continue
			}
			at[key] = len(drifts)
			drifts = append(drifts, d)
		}
	}
	return drifts, err
}

func (e *operation) drift(ctx context.Context, c *journal.Change) journal.Drift {
	d := journal.Drift{Address: c.Address, Instance: c.Instance, Applied: c.After, Where: c.Where, Hold: journal.Unseen}
	kind, k, err := e.begun(c)
	var now journal.State
	if err == nil {
		now, err = kind.Look(ctx, k)
	}
	if err != nil {
		d.Reason = err.Error()
		return d
	}
	judged := now
	judged.Live = c.Will.Live
	inFile := c.Will.File == nil || now.SameFile(c.Will) || now.File != nil && kind.Ours(judged, c.Will, k)
	will := c.Will
	if c.Effect == knob.Reboot {
		// the boot that makes it live may have been since
		if will, err = kind.Want(now, k, c.After); err != nil {
			d.Reason = err.Error()
			return d
		}
	}
	switch {
	case !inFile:
		d.Hold = journal.Lost
	case now.Live == nil || will.Live == nil || now.SameLive(will):
		d.Hold = journal.Holds // of files alone, as under --root, there is nothing more to see
	case !c.Active() && now.SameLive(c.Was):
		d.Hold = journal.Waits
	default:
		d.Hold = journal.Changed
	}
	if d.Hold == journal.Changed || d.Hold == journal.Lost {
		d.Found = liveOf(kind, k, now)
		if v, ok := kind.(Witness); ok {
			d.By = v.Witness(ctx, k, now)
		}
	}
	return d
}
