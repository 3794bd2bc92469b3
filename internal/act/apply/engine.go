package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// operation is one apply, undo or resume at work on one journal.
type operation struct {
	w     *System
	s     *snapshot.Snapshot
	log   *journalfile.Log
	held  []journal.Part     // of the chosen changes: where their values were found before anything was done
	later map[[2]string]bool // knobs, by keyOf, that a later apply has changed again
}

// Run carries a plan out on the host that the snapshot was just taken of. The error is a *say.Problem if nothing was
// begun (stale, refused, no access) or where something failed (say.CodePartly, and the journal says what); the
// context's where it was interrupted between two steps, and Resume goes on.
func Run(ctx context.Context, w *System, p *plan.Plan, s *snapshot.Snapshot, o selection.Options) (Result, error) {
	return w.run(ctx, p, s, o, (*operation).forward)
}

// run begins a journal and goes through it in one way, with the locks of its parts held from before to the end.
func (w *System) run(ctx context.Context, p *plan.Plan, s *snapshot.Snapshot, o selection.Options,
	through func(*operation, context.Context) error) (Result, error) {
	chosen, left := selection.Select(p, s, o)
	res := Result{Left: left}
	if err := o.CheckRisks(chosen); err != nil {
		return res, err
	}
	if len(chosen) == 0 {
		return res, nil
	}
	unlock, err := w.lock(ctx, partsOf(chosen), o.Wait)
	if err != nil {
		return res, err
	}
	defer unlock()
	if err := w.unfinished(chosen); err != nil {
		return res, err
	}
	e := &operation{w: w, s: s}
	if err := e.fitness(ctx, chosen); err != nil {
		return res, err
	}
	run := journal.Run{ID: w.newID(), Tool: w.Tool, Plan: p.Snapshot, Hostname: w.Hostname, Root: w.Root}
	e.log, err = journalfile.Create(w.Target, w.dir(), run, w.Now().Unix(), e.planned(chosen))
	if err != nil {
		return res, noJournal("the journal", err)
	}
	err = through(e, ctx)
	res.Journal = e.log.Journal
	return res, err
}

// newID makes the id of a journal that sorts behind every other: two applies within one second, or after the clock was
// set back, are distinguished only by that, and the order in which they can be undone depends on it.
func (w *System) newID() string {
	at := w.Now()
	list, _ := journalfile.List(w.Target, w.dir()) // unfinished has reported the unreadable ones
	for _, j := range list {
		if journal.NewID(at, w.Suffix) > j.ID {
			continue
		}
		if of, ok := journal.TimeOf(j.ID); ok {
			at = of.Add(time.Second)
		}
	}
	return journal.NewID(at, w.Suffix)
}

func (e *operation) planned(chosen []plan.Change) []journal.Line {
	var lines []journal.Line
	for i, c := range chosen {
		lines = append(lines, journal.Line{Kind: journal.Planned, At: e.w.Now().Unix(), N: i + 1,
			Address: c.Address, Instance: c.Instance, Effect: c.Effect, From: c.From, To: c.To, Held: e.held[i]})
	}
	return lines
}

// knob finds the kind and the instance of a change. An instance is named by its label, because each snapshot assigns
// new keys.
func (e *operation) knob(a knob.Address, label string) (Kind, Knob, error) {
	k := Knob{Address: a}
	kind, ok := e.w.Kinds[a.Prefix()]
	if !ok {
		return nil, k, say.Named(a, say.Err("this kind of knob cannot be set here"))
	}
	if label != "" {
		if k.Instance = e.instance(label); k.Instance == nil {
			return nil, k, say.Named(a, say.Err("the instance {instance} is not found on this host",
				"instance", label))
		}
	}
	return kind, k, nil
}

// begun is knob for a change that was begun: its place is known.
func (e *operation) begun(c *journal.Change) (Kind, Knob, error) {
	kind, k, err := e.knob(c.Address, c.Instance)
	if c.Instance != "" && c.Will.File != nil {
		k.Place = c.Will.File.Path
	}
	if c.Address.Creates() {
		k.To = c.After
	}
	return kind, k, err
}

func (e *operation) instance(label string) *snapshot.Instance {
	for i := range e.s.Instances {
		if e.s.Instances[i].Label() == label {
			return &e.s.Instances[i]
		}
	}
	return nil
}

func (e *operation) append(l journal.Line) error {
	l.At = e.w.Now().Unix()
	if err := e.log.Append(l); err != nil {
		return newUnwritten(e.log.ID, err)
	}
	return nil
}

// forward does what is planned and not begun, in order, with the activations
// where they belong, to the end of the journal.
func (e *operation) forward(ctx context.Context) error {
	for i := range e.log.Changes {
		c := &e.log.Changes[i]
		if c.State != journal.IsPlanned {
			continue
		}
		if err := ctx.Err(); err != nil {
			return e.interrupted(err)
		}
		if c.Instance == "" {
			// what follows an instance's changes depends on their being in force
			if err := e.activate(ctx); err != nil {
				return err
			}
		}
		if f := e.blocking(c); f != nil {
			if err := e.append(journal.Line{Kind: journal.Skipped, N: c.N, Reason: "it rests on " + string(f.Address) +
				", which was not done"}); err != nil {
				return err
			}
			continue
		}
		if err := e.one(context.WithoutCancel(ctx), c); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil && len(e.log.Pending) > 0 && e.w.Activate != nil {
		return e.interrupted(err)
	}
	if err := e.activate(ctx); err != nil {
		return err
	}
	if err := e.append(journal.Line{Kind: journal.End}); err != nil {
		return err
	}
	return e.verdict()
}

func (e *operation) interrupted(err error) error {
	e.w.tell("stopped between two changes: 'pgfettle apply --resume' continues, 'pgfettle undo " + e.log.ID +
		"' undoes it")
	return err
}

// verdict is the error of an apply that came to its end.
func (e *operation) verdict() error {
	if e.log.State != journal.Partly {
		return nil
	}
	var done int
	var why []string
	for i := range e.log.Changes {
		c := &e.log.Changes[i]
		switch c.State {
		case journal.IsDone:
			done++
		case journal.IsFailed, journal.IsKept:
			why = append(why, e.name(c)+": "+c.Reason)
		}
	}
	no := &say.Problem{Message: say.M("partly applied: {done} of {n} changes are done", "done", fmt.Sprint(done), "n",
		len(e.log.Changes)),
		Detail: say.Text(strings.Join(slices.Compact(why), "; ")), Hint: say.M("details: pgfettle journal show {id}; "+
			"to undo what was done: pgfettle undo {id}", "id", e.log.ID),
		Code: say.CodePartly}
	if !slices.ContainsFunc(e.log.Changes, func(c journal.Change) bool { return c.Begun() }) {
		no.Message = say.M("nothing was applied: 0 of {n} changes are done", "n", len(e.log.Changes))
		no.Hint = say.M("details: pgfettle journal show {id}; there is nothing to undo", "id", e.log.ID)
	}
	return no
}

// blocking returns a change that c depends on and that was not done, or nil.
func (e *operation) blocking(c *journal.Change) *journal.Change {
	lost := func(f *journal.Change) bool {
		return f.State == journal.IsFailed || f.State == journal.IsKept ||
			f.State == journal.IsSkipped && f.Reason != already
	}
	var made, out []selection.Step
	for i := range e.log.Changes {
		if f := &e.log.Changes[i]; lost(f) {
			out = append(out, selection.JournalStep(f))
		} else {
			made = append(made, selection.JournalStep(f))
		}
	}
	s := selection.JournalStep(c)
	s.Firm = s.NeedsPages(made, out, e.s)
	for i := range e.log.Changes {
		if f := &e.log.Changes[i]; lost(f) && f.N != c.N && s.RestsOn(selection.JournalStep(f)) {
			return f
		}
	}
	return nil
}

// one makes one change: intention, change, reading back. The error is one after which nothing more may be done; a
// change that failed and was restored is none.
func (e *operation) one(ctx context.Context, c *journal.Change) error {
	kind, k, err := e.knob(c.Address, c.Instance)
	to := c.After
	if s, ok := kind.(Shortener); ok {
		to = s.Short(to)
	}
	e.w.tell(fmt.Sprintf("%s: %s → %s", e.name(c), c.Before, to))
	if err != nil {
		return e.fail(ctx, c, err.Error())
	}
	k.To = c.After
	now, err := kind.Look(ctx, k)
	if err != nil {
		return e.fail(ctx, c, err.Error())
	}
	want, err := wanted(kind, now, k, c.After, c.Effect)
	if err != nil {
		return e.fail(ctx, c, err.Error())
	}
	if holds(now, want) {
		return e.append(journal.Line{Kind: journal.Skipped, N: c.N, Reason: already})
	}
	if found, moved := movedFrom(kind, now, k, c.Before, ""); moved {
		return e.fail(ctx, c, "it is "+found+" now, and the plan rests on "+c.Before)
	}
	if err := e.append(journal.Line{Kind: journal.Intend, N: c.N, Address: c.Address, Before: &now,
		After: &want}); err != nil {
		return err
	}
	if c.Instance != "" && want.File != nil {
		k.Place = want.File.Path
	}
	why := setAndReadBack(ctx, kind, k, insteadOf(want, now), c.Effect)
	if why == nil {
		return e.finished(journal.Line{Kind: journal.Done, N: c.N}, kind, k)
	}
	if _, ok := errors.AsType[*Overtaken](why); ok {
		return e.giveUp(ctx, c, why.Error()) // what of it was made is found out and taken back
	}
	err = setAndReadBack(ctx, kind, k, insteadOf(now, want), c.Effect)
	if _, ok := errors.AsType[*Overtaken](err); ok {
		return e.giveUp(ctx, c, why.Error())
	}
	if err != nil {
		return &say.Problem{Message: say.M("{address} could be neither set nor restored", "address", string(c.Address)),
			Detail: say.M("{error}; putting back: {error2}", "error", why, "error2", err),
			Hint:   say.M("when the cause is resolved, 'pgfettle undo {id}' undoes it", "id", e.log.ID),
			Code:   say.CodePartly}
	}
	return e.fail(ctx, c, why.Error())
}

// finished ends a step that succeeded, and reports what else there is to know.
func (e *operation) finished(l journal.Line, kind Kind, k Knob) error {
	if n, ok := kind.(Noter); ok {
		notes, err := n.Notes(k)
		if err != nil {
			notes = append(notes, err.Error()) // the step itself was read back already
		}
		l.Notes = notes
		for _, s := range notes {
			e.w.tell(fmt.Sprintf("%s: %s", k.Address, s))
		}
	}
	return e.append(l)
}

// fail notes that a change was not made, with the knob as before. The settings
// of an instance stand or fall together.
func (e *operation) fail(ctx context.Context, c *journal.Change, why string) error {
	e.w.tell(fmt.Sprintf("%s: %s", e.name(c), why))
	if err := e.append(journal.Line{Kind: journal.Failed, N: c.N, Reason: why}); err != nil {
		return err
	}
	if c.Instance == "" || selection.JournalStep(c).Alone() {
		return nil
	}
	return e.revert(ctx, journal.Revertment{Instance: c.Instance,
		Reason: fmt.Sprintf("brought back, as %s failed: %s", c.Address, why)})
}

// wanted asks the kind for the state to bring a knob into.
func wanted(kind Kind, now journal.State, k Knob, value string, e knob.Effect) (journal.State, error) {
	want, err := kind.Want(now, k, value)
	if err != nil {
		return want, err
	}
	if e == knob.Reboot && want.File != nil {
		want.Live = nil // the next boot's business; grubby has no file, and its live value is that of the next boot
	}
	if want.File == nil && want.Live == nil {
		return want, say.Err("there is no place to set it")
	}
	return want, nil
}

// holds reports whether a knob is in a state, in both parts as far as the state has them.
func holds(found, want journal.State) bool {
	return (want.File == nil || found.SameFile(want)) && (want.Live == nil || found.SameLive(want))
}

// landed is holds for what a Set can bring about: the live value of a server's
// setting follows only when it is reloaded or restarted.
func landed(found, want journal.State, e knob.Effect) bool {
	if e != knob.Now {
		want.Live = nil
	}
	return holds(found, want)
}

// setAndReadBack brings a knob into a state and reads it back.
func setAndReadBack(ctx context.Context, kind Kind, k Knob, want journal.State, e knob.Effect) error {
	if err := kind.Set(ctx, k, want); err != nil {
		return err
	}
	found, err := kind.Look(ctx, k)
	if err != nil {
		return say.Err("reading back: {reason}", "reason", err)
	}
	if landed(found, want, e) {
		return nil
	}
	if e == knob.Now && want.Live != nil && !found.SameLive(want) {
		return say.Err("it was set to {value} and reads back as {other}", "value", spelled(kind, k, *want.Live),
			"other", liveOf(kind, k, found))
	}
	return say.Err("{where} reads back otherwise than it was written", "where", want.Where())
}

// liveOf is a live value as people write it.
func liveOf(kind Kind, k Knob, s journal.State) string {
	if s.Live == nil {
		return "nothing"
	}
	return spelled(kind, k, *s.Live)
}

func spelled(kind Kind, k Knob, live string) string {
	if s, ok := kind.(Speller); ok {
		return s.Spell(k, live)
	}
	return live
}

// name is what a change is called in talk: with its instance where the journal has
// more than one.
func (e *operation) name(c *journal.Change) string {
	w := selection.Which{Address: c.Address}
	for i := range e.log.Changes {
		if d := e.log.Changes[i].Instance; c.Instance != "" && d != "" && d != c.Instance {
			w.Instance = c.Instance
		}
	}
	return w.String()
}
