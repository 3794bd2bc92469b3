package apply

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// fitness asks, before anything is written, whether the changes can be made at
// all: every knob is where the plan found it, its file may be written, and the
// installed binary takes the settings.
func (e *operation) fitness(ctx context.Context, chosen []plan.Change) error {
	settings := map[string][]plan.Change{}
	var keys []string // in the order of the plan
	for i := range chosen {
		c := &chosen[i]
		kind, k, err := e.knob(c.Address, c.Instance)
		if err != nil {
			return err
		}
		if c.Address.Creates() {
			k.To = c.To
		}
		now, err := kind.Look(ctx, k)
		if err != nil {
			return target.NoAccess(string(c.Address), err)
		}
		want, err := wanted(kind, now, k, c.To, c.Effect)
		if err != nil {
			return say.Named(c.Address, err)
		}
		e.held = append(e.held, heldPart(now, want))
		if !holds(now, want) {
			if found, moved := movedFrom(kind, now, k, c.From, c.FromBase); moved {
				return selection.Stale(say.M("{address} is {found} now; the plan found {from}", "address",
					string(c.Address), "found", found, "from", c.From))
			}
		}
		if want.File != nil {
			if err := e.mayWrite(ctx, kind, k, *want.File); err != nil {
				return target.NoAccess(want.File.Path, err)
			}
		}
		if g, ok := kind.(Guard); ok {
			if err := g.Allowed(ctx, k); err != nil {
				return target.NoAccess(string(c.Address), err)
			}
		}
		if k.Instance != nil {
			if _, ok := settings[k.Instance.Key]; !ok {
				keys = append(keys, k.Instance.Key)
			}
			settings[k.Instance.Key] = append(settings[k.Instance.Key], *c)
		}
	}
	if e.w.Verify == nil {
		return nil
	}
	for _, key := range keys {
		if err := e.w.Verify(ctx, key, settings[key]); err != nil {
			return err
		}
	}
	return nil
}

// heldPart says where a knob has the value already.
func heldPart(now, want journal.State) journal.Part {
	file, live := want.File != nil && now.SameFile(want), want.Live != nil && now.SameLive(want)
	switch {
	case file && live:
		return journal.InBoth
	case file:
		return journal.InFile
	case live:
		return journal.InLive
	}
	return ""
}

func (e *operation) mayWrite(ctx context.Context, kind Kind, k Knob, f journal.File) error {
	if s, ok := kind.(Scribe); ok {
		return s.MayWrite(ctx, k, f)
	}
	if err := RootsFile(e.w.Target, f.Path); err != nil {
		return err
	}
	return e.w.Target.Writable(f.Path)
}

// movedFrom reports whether a knob has another live value than the one that a plan found, and which. Where a kind
// spells live values otherwise than the plan does (pg_settings' base unit), it is asked what the plan's would be. A
// knob without a live value has nothing that could move.
func movedFrom(kind Kind, now journal.State, k Knob, from, base string) (string, bool) {
	if now.Live == nil || *now.Live == from || base != "" && *now.Live == base {
		return "", false
	}
	if was, err := kind.Want(now, k, from); err == nil && (was.Live == nil || was.SameLive(now)) {
		return "", false
	}
	return spelled(kind, k, *now.Live), true
}
