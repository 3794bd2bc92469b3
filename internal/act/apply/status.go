package apply

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Status looks at every knob that was applied and not taken back: of one
// journal, or with id "" of all of them, where a later apply of the same knob
// stands for the earlier. What a damaged journal names and does not prove is unknown.
// Nothing is written. Journals that cannot be read are
// named by the error beside the drifts of the others.
func Status(ctx context.Context, w *World, s *snapshot.Snapshot, id string) ([]Drift, error) {
	e := &engine{w: w, s: s}
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
		err = noAccess("the journals", err)
	}
	drifts := []Drift{}
	at := map[[2]string]int{}
	for _, j := range list {
		if !w.owns(j) {
			continue
		}
		if j.Damage != nil {
			for _, u := range j.Damage.Unproven(j) {
				drifts = append(drifts, Drift{Journal: j.ID, Address: u.Address, Instance: u.Instance, Where: u.Path, Hold: Unknown, Reason: j.Trouble()})
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

func (e *engine) drift(ctx context.Context, c *journal.Change) Drift {
	d := Drift{Address: c.Address, Instance: c.Instance, Applied: c.After, Where: c.Where, Hold: Unknown}
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
		d.Hold = Lost
	case now.Live == nil || will.Live == nil || now.SameLive(will):
		d.Hold = Holds // of files alone, as under --root, there is nothing more to see
	case !c.Active() && now.SameLive(c.Was):
		d.Hold = Waits
	default:
		d.Hold = Changed
	}
	if d.Hold == Changed || d.Hold == Lost {
		d.Found = liveOf(kind, k, now)
		if v, ok := kind.(Witness); ok {
			d.By = v.Witness(ctx, k, now)
		}
	}
	return d
}
