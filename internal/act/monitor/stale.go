package monitor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Baseline is what a plan of an instance, or of the host, depends on: the facts that plans are stale by, and each
// decision with its inputs. It is that of the plan that was applied last, or of the first look.
type Baseline struct {
	At      time.Time                `json:"at"`
	Journal string                   `json:"journal,omitempty"` // id of the apply; "": none was seen
	Facts   map[string]float64       `json:"facts"`             // by name; unknown ones are absent
	Values  map[knob.Address]Planned `json:"values"`
	Told    map[string]float64       `json:"told,omitempty"` // moved facts that were reported, with their values then
	// facts that were seen to have moved, or to be back, and not often enough
	Moved map[string]Moved `json:"moved,omitempty"`
}

// Moved is a state of a fact that has to hold until it counts.
type Moved struct {
	Since time.Time `json:"since,omitzero"` // the look before the first that saw it
	First time.Time `json:"first"`          // the first look that saw it
	Looks int       `json:"looks"`
}

// Planned is one decision.
type Planned struct {
	Value  string       `json:"value"` // in Unit
	Unit   string       `json:"unit,omitempty"`
	Shown  string       `json:"shown"`
	Inputs []rule.Input `json:"inputs,omitempty"`
}

// The facts that a plan is stale by.
const (
	factMemory      = "total memory"
	factProcessors  = "CPUs"
	factVersion     = "major version"
	factConnections = "peak connections"
	factDatabases   = "total database size"
)

var factNames = []string{factMemory, factProcessors, factVersion, factConnections, factDatabases}

const (
	// memoryMoves is the part by which memory has to move: what the kernel keeps
	// for itself changes from version to version by some MB in a GB.
	memoryMoves = 0.05
	// connectionsMove is the factor, and connectionsLeast the number next to it: from 3 to 6 sessions no plan moves,
	// and a pool is mostly resized by tens.
	connectionsMove  = 2
	connectionsLeast = 20
	// settles is how long the peak of a baseline grows: load follows the day.
	settles = 24 * time.Hour
	// decisionMoves is the factor by which a decision has to move where none of the
	// facts did: the server's own counters move some of them a little every hour.
	decisionMoves = 1.5
	// mostKnobs are named in an event.
	mostKnobs = 6
)

// bases are the baselines by the label of the instance, "" for the host.
type bases map[string]*Baseline

// basesOf is what plans depend on now. peaks and sizes are by label; what is unknown is absent.
func basesOf(s *snapshot.Snapshot, out *rule.Outcome, at time.Time, peaks, sizes map[string]float64) bases {
	b := bases{"": {At: at, Facts: map[string]float64{}, Values: map[knob.Address]Planned{}}}
	if m, ok := s.Host.Memory.Get(); ok {
		b[""].Facts[factMemory] = float64(m.Total)
	}
	if c, ok := s.Host.CPU.Get(); ok {
		b[""].Facts[factProcessors] = float64(c.Logical)
	}
	labels := map[string]string{}
	for i := range s.Instances {
		in := &s.Instances[i]
		one := &Baseline{At: at, Facts: map[string]float64{}, Values: map[knob.Address]Planned{}}
		labels[in.Key], b[in.Label()] = in.Label(), one
		if m, limited := s.MemoryLimit(in); limited {
			if v, ok := m.Get(); ok {
				one.Facts[factMemory] = float64(v)
			}
		}
		if v, ok := in.Server.Version.Get(); ok {
			one.Facts[factVersion] = float64(v.Major())
		}
		if v, ok := peaks[in.Label()]; ok {
			one.Facts[factConnections] = v
		}
		if v, ok := sizes[in.Label()]; ok {
			one.Facts[factDatabases] = v
		}
	}
	for _, d := range out.Decisions {
		one := b[labels[d.Instance]]
		if one == nil {
			continue
		}
		p := Planned{Value: d.Effective.Setting, Unit: d.Effective.Unit, Shown: d.Effective.Setting, Inputs: d.Inputs}
		if d.Address.Layer() == knob.Instance {
			p.Shown = d.Effective.Show()
		}
		one.Values[d.Address] = p
	}
	return b
}

// applied puts the values that an apply has set in place of those that would be decided now, as far as they are still
// in force.
func (b *Baseline) applied(instance string, j *journal.Journal, present map[string]string) {
	b.Journal = j.ID
	for i := range j.Changes {
		c := &j.Changes[i]
		p, ok := b.Values[c.Address]
		if !ok || c.Instance != instance || c.State != journal.IsDone {
			continue
		}
		name := string(c.Address)
		if c.Address.Prefix() == "pg" {
			name = c.Address.Name()
		}
		if present[name] != c.After {
			continue // set by others since; that was reported
		}
		p.Shown, p.Value = c.After, c.After
		if n, err := unit.ParseGUC(c.After, p.Unit); err == nil {
			p.Value = strconv.FormatFloat(n, 'f', -1, 64)
		}
		b.Values[c.Address] = p
	}
}

func (b *Baseline) clone() *Baseline {
	c := *b
	c.Facts, c.Values = maps.Clone(b.Facts), maps.Clone(b.Values)
	return &c
}

// grow lets the peak of a young baseline grow.
func (b *Baseline) grow(now *Baseline) {
	v, ok := now.Facts[factConnections]
	if ok && now.At.Sub(b.At) < settles {
		b.Facts[factConnections] = max(b.Facts[factConnections], v)
	}
	for _, name := range factNames { // known for the first time
		if _, ok := b.Facts[name]; !ok {
			if v, ok := now.Facts[name]; ok {
				b.Facts[name] = v
			}
		}
	}
}

// stale compares what plans depended on with what they would depend on now. A fact is reported once it has lasted for
// heldLooks, and again when it has moved as far once more; it may be reported again after it was back for as long.
func stale(base, now bases, at, before time.Time) []history.Event {
	var out []history.Event
	moved := map[string][]string{} // knobs by label
	inputs := map[string]string{}
	for _, label := range slices.Sorted(maps.Keys(now)) {
		b, n := base[label], now[label]
		if b == nil {
			continue
		}
		for _, a := range slices.Sorted(maps.Keys(n.Values)) {
			was, ok := b.Values[a]
			if !ok || !differs(was, n.Values[a]) {
				continue
			}
			moved[label] = append(moved[label], fmt.Sprintf("%s %s → %s", a.Name(), was.Shown, n.Values[a].Shown))
			if inputs[label] == "" {
				inputs[label] = movedInput(was.Inputs, n.Values[a].Inputs)
			}
		}
	}
	memory := now[""].Facts[factMemory]
	any := false
	for _, label := range slices.Sorted(maps.Keys(now)) {
		b, n := base[label], now[label]
		if b == nil {
			continue
		}
		room := memory
		if v, ok := n.Facts[factMemory]; ok {
			room = v
		}
		for _, name := range factNames {
			from, okFrom := b.Facts[name]
			to, okTo := n.Facts[name]
			if !okFrom || !okTo || name == factConnections && n.At.Sub(b.At) < settles {
				continue
			}
			if !factMoved(name, from, to, room) {
				delete(b.Moved, name)
				if _, told := b.Told[name]; !told || !returned(name, to, room) {
					delete(b.Moved, back(name))
				} else if _, held := b.held(name, true, at, before); held {
					delete(b.Told, name)
				}
				continue
			}
			any = true
			if told, ok := b.Told[name]; ok && !factMoved(name, told, to, room) {
				delete(b.Moved, back(name))
				delete(b.Moved, name)
				continue
			}
			m, held := b.held(name, false, at, before)
			if !held {
				continue
			}
			b.tell(name, to)
			knobs := moved[label]
			if label == "" {
				knobs = everything(moved)
			}
			out = append(out, history.Event{Since: m.Since, Held: m.First, Kind: history.PlanStale, Instance: label,
				Subject: name, Before: showFact(name, from), After: showFact(name, to), Detail: wouldBe(knobs)})
		}
	}
	for _, label := range slices.Sorted(maps.Keys(now)) {
		const decisions = "planned values"
		b := base[label]
		if b == nil {
			continue
		}
		if len(moved[label]) == 0 || any {
			delete(b.Moved, decisions)
			if _, told := b.Told[decisions]; told && !any {
				if _, held := b.held(decisions, true, at, before); held {
					delete(b.Told, decisions)
				}
			}
			continue
		}
		if _, told := b.Told[decisions]; told {
			delete(b.Moved, back(decisions))
			continue
		}
		m, held := b.held(decisions, false, at, before)
		if !held {
			continue
		}
		b.tell(decisions, float64(len(moved[label])))
		subject := inputs[label]
		if subject == "" {
			subject = decisions
		}
		out = append(out, history.Event{Since: m.Since, Held: m.First, Kind: history.PlanStale, Instance: label,
			Subject: subject, Detail: wouldBe(moved[label])})
	}
	return out
}

// back is the name under which it is counted that a fact is back.
func back(name string) string { return "back: " + name }

// held counts a look that saw a fact moved, or back, and reports whether that makes enough of them; if so, the count
// restarts.
func (b *Baseline) held(name string, isBack bool, at, before time.Time) (Moved, bool) {
	key := name
	if isBack {
		key = back(name)
	} else {
		delete(b.Moved, back(name))
	}
	m, seen := b.Moved[key]
	if !seen {
		m = Moved{Since: before, First: at}
	}
	if m.Looks++; m.Looks >= heldLooks {
		delete(b.Moved, key)
		return m, true
	}
	if b.Moved == nil {
		b.Moved = map[string]Moved{}
	}
	b.Moved[key] = m
	return m, false
}

func (b *Baseline) tell(name string, v float64) {
	if b.Told == nil {
		b.Told = map[string]float64{}
	}
	b.Told[name] = v
}

func factMoved(name string, from, to, memory float64) bool {
	switch name {
	case factMemory:
		return from > 0 && math.Abs(to-from)/from > memoryMoves
	case factConnections:
		return to >= connectionsMove*from && to-from >= connectionsLeast
	case factDatabases:
		return memory > 0 && from <= memory && to > memory
	}
	return from != to
}

// returned reports whether a fact that has not moved any more may be reported again when it does: a load that doubles
// every noon is no news every day, nor is a database that grows and shrinks around the size of the memory.
func returned(name string, to, memory float64) bool {
	switch name {
	case factConnections:
		return false
	case factDatabases:
		return to < memory*(1-tenPercent)
	}
	return true
}

// tenPercent is what a database has to shrink by.
const tenPercent = 0.1

func showFact(name string, v float64) string {
	if name == factMemory || name == factDatabases {
		return unit.Bytes(v).String()
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// differs reports whether a decision has moved so far that a person would act.
func differs(a, b Planned) bool {
	if a.Value == b.Value {
		return false
	}
	x, errX := strconv.ParseFloat(a.Value, 64)
	y, errY := strconv.ParseFloat(b.Value, 64)
	if errX != nil || errY != nil || x <= 0 || y <= 0 { // below nothing are special values
		return true
	}
	return max(x, y)/min(x, y) >= decisionMoves
}

func movedInput(then, now []rule.Input) string {
	for _, a := range then {
		for _, b := range now {
			if a.Name == b.Name && a.Value != b.Value {
				return fmt.Sprintf("%s, from %s to %s", a.Name, a.Value, b.Value)
			}
		}
	}
	return ""
}

func everything(moved map[string][]string) []string {
	var out []string
	for _, label := range slices.Sorted(maps.Keys(moved)) {
		out = append(out, moved[label]...)
	}
	return out
}

func wouldBe(knobs []string) string {
	switch n := len(knobs) - mostKnobs; {
	case len(knobs) == 0:
		return "no planned value would change much; see pgfettle plan"
	case n > 0:
		return fmt.Sprintf("planned now: %s and %d more", strings.Join(knobs[:mostKnobs], ", "), n)
	}
	return "planned now: " + strings.Join(knobs, ", ")
}
