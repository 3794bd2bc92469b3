package journal

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// Outcome is the state of an apply according to its whole journal.
type Outcome string

// The outcomes.
const (
	Whole       Outcome = "done"        // everything that was begun is done
	Partly      Outcome = "partly"      // it came to its end, and something failed or could not be undone
	TakenBack   Outcome = "undone"      // an undo came to its end and read everything back: nothing of ours is left
	Interrupted Outcome = "interrupted" // apply or undo did not come to its end
	Abandoned   Outcome = "abandoned"   // undone, except for changes of an instance that is gone
	IsDamaged   Outcome = "damaged"     // lines of it prove nothing: what was done is not all known
	Unread      Outcome = "unread"      // it is of a format that this program does not read
)

// ChangeState is the state of one change.
type ChangeState string

// The states of a change.
const (
	IsPlanned  ChangeState = "planned"  // not begun
	IsSkipped  ChangeState = "skipped"  // not begun, and will not be
	IsIntended ChangeState = "intended" // begun: before or after, look
	IsDone     ChangeState = "done"
	IsFailed   ChangeState = "failed"  // as before
	IsUndoing  ChangeState = "undoing" // taking back was begun: look
	IsUndone   ChangeState = "undone"
	IsKept     ChangeState = "kept"      // a later edit was kept
	IsAbandon  ChangeState = "abandoned" // its instance is gone, and nothing waits for it any more
)

// Journal is what the lines say together.
type Journal struct {
	ID      string    `json:"id"`
	Started string    `json:"started"` // RFC 3339, UTC
	State   Outcome   `json:"state"`
	Changes []Change  `json:"changes"`
	Pending []Pending `json:"pending,omitempty"` // activations that are still to be made
	Damage  *Damage   `json:"damage,omitempty"`  // nil: every line is proven
	Foreign string    `json:"format,omitempty"`  // schema of another version's journal, of which nothing is read

	Run     Run  `json:"-"`
	Undoing bool `json:"-"` // an undo was begun

	ended      bool
	checked    bool // since the last undo was begun everything was read back
	recorded   bool // the damage is in the journal itself: an undo has found it
	revert     Revertment
	restarting map[string]bool   // instances whose last restart was begun (true) or came up
	tracks     map[string]*track // by path
}

// Revertment is a failed activation whose changes are being reverted.
type Revertment struct {
	Instance string
	Reason   string // "": none
}

// Change is one change and its state. Before and After are formatted for people; Was and Will are what is removed and
// inserted.
type Change struct {
	N        int          `json:"-"`
	Address  knob.Address `json:"address"`
	Instance string       `json:"instance,omitempty"` // data directory
	Before   string       `json:"before"`
	After    string       `json:"after"`
	Where    string       `json:"where"`
	State    ChangeState  `json:"state"`
	Reason   string       `json:"reason,omitempty"`
	Notes    []string     `json:"notes,omitempty"` // what there is to know though it is done, or undone
	Left     string       `json:"left,omitempty"`  // what the last undo read back, if that differs from before
	Effect   knob.Effect  `json:"effect"`

	Was   State `json:"-"` // as found before it was touched; zero while it is only planned
	Will  State `json:"-"` // as it was to be
	back  State // what an undoing found
	tried bool  // an activation of it was begun: the server may have seen the new value
	dirty bool  // the running server may have another value than its files
	doubt bool  // not begun when the apply was resumed, or lines that say so were lost
	boots bool  // the kernel runs with the new value until it boots
	held  Part  // the location of its value before anything was done
}

// Pending is an activation that is still to be made.
type Pending struct {
	Instance string      `json:"instance"` // "": of the host, which is to boot
	Effect   knob.Effect `json:"effect"`
}

// Begun reports whether the change was ever begun, so that there may be something to take back.
func (c *Change) Begun() bool {
	return c.State == IsIntended || c.State == IsDone || c.State == IsUndoing
}

// Active reports whether a change that is done is in force as far as the journal knows: nothing has to be reloaded or
// restarted for it any more.
func (c *Change) Active() bool { return c.State == IsDone && !c.dirty && c.Effect != knob.Reboot }

// Tried reports whether an activation of the change was ever begun.
func (c *Change) Tried() bool { return c.tried }

// Held reports whether a part of the knob had the planned value before anything was done: finding it there proves
// nothing.
func (c *Change) Held(p Part) bool { return c.held.Has(p) }

// Doubted reports whether the apply was resumed before the change was begun: the journal then cannot show that lines
// were missing at its end.
func (c *Change) Doubted() bool { return c.doubt }

// Dirty reports whether a server may have another value than its files.
func (c *Change) Dirty() bool { return c.dirty }

// Recorded reports whether all damage that the journal has is noted in it.
func (j *Journal) Recorded() bool { return j.Damage == nil || j.recorded }

// Finished reports whether nothing of it is under way, and nothing about it has still to be found out: another apply
// may begin.
func (j *Journal) Finished() bool { return j.Foreign == "" && j.ended && j.Recorded() }

// Undone reports whether it is undone as far as an undo can bring it.
func (j *Journal) Undone() bool {
	return j.Finished() && j.Undoing && !slices.ContainsFunc(j.Changes, func(c Change) bool { return c.Begun() })
}

// Ended reports whether the apply, or the undo if there was one, came to its end.
func (j *Journal) Ended() bool { return j.ended }

// Restarting reports whether a restart of the instance was begun of which nothing says that it came up.
func (j *Journal) Restarting(instance string) bool { return j.restarting[instance] }

// Reverting says which changes were last being reverted without an activation afterward.
func (j *Journal) Reverting() Revertment { return j.revert }

// step takes one more line in. A line that cannot follow the others is an error
// and changes nothing.
func (j *Journal) step(l *Line) error {
	if j.ID == "" && l.Kind != Begin {
		return errors.New("a journal starts with its begin line")
	}
	switch l.Kind {
	case Begin:
		return j.begin(l)
	case Planned:
		return j.plan(l)
	case Activate, Active, Revert:
		if l.Instance == "" {
			return fmt.Errorf("%s of no instance", l.Kind)
		}
		j.activation(l)
	case Undo:
		j.Undoing, j.checked = true, false
		for i := range j.Changes {
			j.Changes[i].Left, j.Changes[i].boots = "", false
		}
	case Resume:
		for i := range j.Changes {
			j.Changes[i].doubt = j.Changes[i].doubt || j.Changes[i].State == IsPlanned
		}
	case Checked:
		j.checked = true
	case Damaged:
		if l.Damage == nil {
			return errors.New("damage of which nothing is said")
		}
		d := *l.Damage
		d.join(j.Damage)
		j.Damage, j.recorded = &d, true
	case End:
		j.ended = true
		j.sumUp()
		return nil
	default:
		if l.N < 1 || l.N > len(j.Changes) {
			return fmt.Errorf("%s of change %d, and %d were planned", l.Kind, l.N, len(j.Changes))
		}
		if err := j.change(&j.Changes[l.N-1], l); err != nil {
			return err
		}
	}
	j.ended = false
	j.sumUp()
	return nil
}

func (j *Journal) begin(l *Line) error {
	switch {
	case j.ID != "":
		return errors.New("a second begin line")
	case l.Run == nil || !ValidID(l.Run.ID):
		return errors.New("begin without the id of its run")
	case l.Run.Schema != Schema:
		return fmt.Errorf("schema %q, and this program reads %s", l.Run.Schema, Schema)
	}
	j.ID, j.Run, j.Changes = l.Run.ID, *l.Run, []Change{}
	j.Started = time.Unix(l.At, 0).UTC().Format(time.RFC3339)
	j.sumUp()
	return nil
}

func (j *Journal) plan(l *Line) error {
	if l.N != len(j.Changes)+1 {
		return fmt.Errorf("planned change %d after %d", l.N, len(j.Changes))
	}
	if _, err := knob.ParseStep(string(l.Address)); err != nil {
		return err
	}
	j.Changes = append(j.Changes, Change{N: l.N, Address: l.Address, Instance: l.Instance, Before: l.From, After: l.To,
		Effect: l.Effect, State: IsPlanned, held: l.Held})
	j.sumUp()
	return nil
}

// may says which lines may follow which state.
var may = map[Kind][]ChangeState{
	Skipped: {IsPlanned},
	Intend:  {IsPlanned, IsIntended},
	Done:    {IsIntended},
	Failed:  {IsPlanned, IsIntended, IsUndoing},
	Undoing: {IsIntended, IsDone, IsUndoing},
	Undone:  {IsUndoing},
	Kept:    {IsIntended, IsDone, IsUndoing},
	Abandon: {IsPlanned, IsIntended, IsDone, IsUndoing},
	Left:    {IsPlanned, IsSkipped, IsIntended, IsDone, IsFailed, IsUndoing, IsUndone, IsKept, IsAbandon},
}

func (j *Journal) change(c *Change, l *Line) error {
	from, ok := may[l.Kind]
	if !ok {
		return fmt.Errorf("%q is no kind of line", l.Kind)
	}
	for _, s := range from {
		ok = s == c.State
		if ok {
			break
		}
	}
	if !ok {
		return fmt.Errorf("%s of change %d, which is %s", l.Kind, l.N, c.State)
	}
	switch l.Kind {
	case Skipped:
		c.State, c.Reason = IsSkipped, l.Reason
	case Intend:
		if l.Before == nil || l.After == nil {
			return fmt.Errorf("intention of change %d without before and after", l.N)
		}
		c.State, c.Was, c.Will, c.Where = IsIntended, *l.Before, *l.After, l.After.Where()
		j.follow(l)
	case Done:
		c.State, c.Reason, c.Notes, c.dirty = IsDone, "", l.Notes, needsActivation(c)
	case Failed:
		if c.State == IsUndoing {
			c.State = IsDone // and an undo may be tried again
		} else {
			c.State = IsFailed
		}
		c.Reason = l.Reason
	case Undoing:
		if l.Before == nil || l.After == nil {
			return fmt.Errorf("taking back of change %d without before and after", l.N)
		}
		c.State, c.back = IsUndoing, *l.Before
		j.follow(l)
	case Undone:
		c.State, c.Notes = IsUndone, l.Notes
		c.dirty = needsActivation(c) && (c.tried || !c.back.SameLive(c.Was))
		if !j.Undoing {
			c.State, c.Reason = IsFailed, l.Reason // reverted by the apply itself
		}
	case Kept:
		c.State, c.Reason, c.dirty = IsKept, l.Reason, c.dirty && c.tried
	case Abandon:
		c.State, c.Reason, c.dirty = IsAbandon, l.Reason, false
	case Left:
		if c.boots = l.Effect == knob.Reboot; !c.boots {
			c.Left = l.Reason
		}
	}
	return nil
}

// needsActivation reports whether the change is one that takes effect only when the server is reloaded or restarted.
func needsActivation(c *Change) bool {
	return c.Instance != "" && (c.Effect == knob.Reload || c.Effect == knob.Restart)
}

func (j *Journal) activation(l *Line) {
	if l.Effect >= knob.Restart && l.Kind != Revert {
		if j.restarting == nil {
			j.restarting = map[string]bool{}
		}
		j.restarting[l.Instance] = l.Kind == Activate
	}
	switch l.Kind {
	case Revert:
		j.revert = Revertment{l.Instance, l.Reason}
		return
	case Active:
		if l.Instance == j.revert.Instance {
			j.revert = Revertment{}
		}
	}
	for i := range j.Changes {
		c := &j.Changes[i]
		if c.Instance != l.Instance || !needsActivation(c) || c.Effect > l.Effect || c.State == IsPlanned ||
			c.State == IsSkipped {
			continue
		}
		c.tried = true
		c.dirty = c.dirty && l.Kind == Activate
	}
}

// sumUp says what state the whole is in and which activations are owed.
func (j *Journal) sumUp() {
	j.Pending = nil
	failed, left, rest, gone := false, false, false, false
	for i := range j.Changes {
		c := &j.Changes[i]
		failed = failed || c.State == IsFailed || c.State == IsKept
		left = left || c.Begun()
		rest = rest || c.Left != ""
		gone = gone || c.State == IsAbandon
		if c.dirty || c.boots {
			j.owe(c)
		}
	}
	switch {
	case j.Foreign != "":
		j.State = Unread
	case j.Damage != nil:
		j.State = IsDamaged
	case !j.ended:
		j.State = Interrupted
	case j.Undoing && !left && !rest && j.checked && gone:
		j.State = Abandoned
	case j.Undoing && !left && !rest && j.checked:
		j.State = TakenBack
	case j.Undoing || failed:
		j.State = Partly
	default:
		j.State = Whole
	}
}

func (j *Journal) owe(c *Change) {
	for i := range j.Pending {
		if p := &j.Pending[i]; p.Instance == c.Instance {
			p.Effect = max(p.Effect, c.Effect)
			return
		}
	}
	j.Pending = append(j.Pending, Pending{Instance: c.Instance, Effect: c.Effect})
}
