package rule

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Rule decides one knob, or each of a family: what there is once a device or a mount.
type Rule struct {
	Address   knob.Address   // of the knob, or of the family: block:*/scheduler
	Title     string         // what the knob is, as a noun phrase
	Why       string         // what it trades against what, in a few sentences
	Formula   string         // how the value is decided, in words and numbers
	Sources   []string       // ids of base/say
	From, To  int            // majors it is for; 0: no bound. Whether the parameter exists is asked of the server
	Needs     []knob.Address // decided before it; their values are asked for with Case.Bytes and its like
	Effect    knob.Effect    // of a family, a kernel or a unit knob; a server setting's follows from its context
	Risk      knob.Risk      // Low if empty
	Unit      string         // of a kernel or unit knob: pages, kB, bytes, percent; "" for none
	Tolerance float64        // a present value that is off by no more than this share of the wanted one stays
	Decide    func(*Case)    // calls Case.Set, or nothing when it has no opinion
	// Over returns the addresses of a family that are there to be decided, on the host
	// or in the case's instance, each once and in a fixed order, noting what is missing;
	// nil for a single knob.
	Over func(*Case) []knob.Address
	// Legal says why a pinned value of a knob of the host could not be or must not
	// be set; nil: any text may be pinned. What a server's own setting could be is asked
	// of the server.
	Legal func(c *Case, value string) error
	// Finally looks at each instance once everything is decided, and may warn. It runs
	// whether the knob was decided or not.
	Finally func(c *Case)
}

// In returns the rule with its words in the language of a catalog.
func (r Rule) In(c *say.Catalogue) Rule {
	r.Title, r.Why, r.Formula = c.Text(r.Title), c.Text(r.Why), c.Text(r.Formula)
	return r
}

// Versions returns the majors that the rule is for, and in which there is such a parameter at all: from the first one
// on and up to the last, 0 if that is no bound.
func (r *Rule) Versions() (from, to int) {
	from, to = r.From, r.To
	if r.Address.Layer() != knob.Instance {
		return from, to
	}
	majors, have := params.Majors(), []int{}
	for _, m := range majors {
		if _, ok := params.Lookup(m, SettingOf(r.Address)); ok {
			have = append(have, m)
		}
	}
	if len(have) == 0 {
		return from, to
	}
	if first := have[0]; first > majors[0] {
		from = max(from, first)
	}
	if last := have[len(have)-1]; last < majors[len(majors)-1] && (to == 0 || last < to) {
		to = last
	}
	return from, to
}

// Value is the value of a knob: Setting in the base unit, as pg_settings or the
// kernel's file has it.
type Value struct {
	Setting string
	Unit    string
}

// Show returns the value as SHOW prints it; a kernel value as its file has it.
func (v Value) Show() string { return unit.ShowGUC(v.Setting, v.Unit) }

// Decision is what was decided for one knob of one instance or of the host.
type Decision struct {
	Rule      *Rule
	Address   knob.Address
	Instance  string            // Instance.Key; "" for the host
	Present   known.Fact[Value] // what it is now
	Want      Value             // what the rule or the pin says
	Effective Value             // what the plan will leave: Want, or Present if that is as good
	Reason    say.Message
	Inputs    []Input // the numbers that the reason depends on
	Pinned    bool
	Effect    knob.Effect
	later     knob.Effect // what Case.After asked for
}

// Input is one number that a decision depends on.
type Input struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Changes reports whether the decision differs from what is.
func (d *Decision) Changes() bool {
	p, ok := d.Present.Get()
	return ok && p.Setting != d.Effective.Setting
}

// Options is what the user said about the host's purpose.
type Options struct {
	Profile     Profile
	Connections int                     // max_connections wanted; 0: keep the present one
	Active      int                     // sessions at work at once at the peak; 0: from connections and CPUs
	Storage     Storage                 // "" : from the devices
	Shared      bool                    // the host also serves other programs (--dedicated=false)
	Memory      unit.Bytes              // what each instance may have at most, of 'pgfettle create'; 0: what there is
	Accepted    []Accepted              // findings that the policy accepts
	Pins        map[knob.Address]string // values that the user has pinned, as spelled by the user
}

// Outcome is everything that was decided.
type Outcome struct {
	Decisions []*Decision              // in the order of decision
	Unknown   []known.Gap              // facts that a rule missed; sorted, without doubles
	Questions []snapshot.ShmemQuestion // how much shared memory? asked because no answer was in the snapshot
	Warnings  []say.Message            // what to know before acting
	index     map[[2]string]*Decision
	others    *memory.Others // instead of those of the snapshot; see steady
	noted     map[any]any    // see Note
}

// Of returns the decision on a knob of an instance ("" for the host), or nil.
func (o *Outcome) Of(instance string, a knob.Address) *Decision {
	return o.index[[2]string{instance, string(a)}]
}

// noteOf is the key of a T noted for an instance: its type, so that packages cannot collide.
type noteOf[T any] struct{ instance string }

// Note keeps what was computed for an instance, by its type, for callers of Noted.
func Note[T any](o *Outcome, instance string, v T) { o.noted[noteOf[T]{instance}] = v }

// Noted returns what was noted last of an instance; ok is false if nothing was.
func Noted[T any](o *Outcome, instance string) (v T, ok bool) {
	v, ok = o.noted[noteOf[T]{instance}].(T)
	return v, ok
}

// Case is one run of a rule.
type Case struct {
	Snapshot *snapshot.Snapshot
	Instance *snapshot.Instance // nil for kernel and unit knobs of the host
	Options  *Options

	Rule      *Rule
	Address   knob.Address // the rule's, or the one of its family that is being decided
	Outcome   *Outcome
	Parameter params.Param // the server setting's facts
	decision  *Decision
}

// Decide runs the rules over a snapshot. The error is a *PinError, or reports rules whose needs form a cycle (a fault
// of the program).
func Decide(s *snapshot.Snapshot, rules []Rule, o Options) (*Outcome, error) {
	out, err := decide(s, rules, o, nil)
	if err != nil {
		return nil, err
	}
	return steady(s, rules, o, out)
}

// decide is Decide with a number of its own for what other programs count; nil:
// the one of the snapshot.
func decide(s *snapshot.Snapshot, rules []Rule, o Options, others *memory.Others) (*Outcome, error) {
	ordered, err := order(rules)
	if err != nil {
		return nil, err
	}
	if err := knownPins(ordered, o.Pins, s); err != nil {
		return nil, err
	}
	out := &Outcome{others: others, index: map[[2]string]*Decision{}, noted: map[any]any{}}
	for _, r := range ordered {
		if r.Address.Layer() != knob.Instance {
			if !s.HostSeen {
				continue
			}
			if err := out.ofHost(r, s, &o); err != nil {
				return nil, err
			}
			continue
		}
		if err := out.ofInstances(r, s, &o); err != nil {
			return nil, err
		}
	}
	for i := range s.Instances {
		for _, r := range ordered {
			if r.Finally != nil {
				r.Finally(&Case{Snapshot: s, Instance: &s.Instances[i], Options: &o, Rule: r, Address: r.Address,
					Outcome: out})
			}
		}
	}
	out.tidy()
	return out, nil
}

func (o *Outcome) tidy() {
	seen := map[known.Gap]bool{}
	kept := o.Unknown[:0]
	for _, g := range o.Unknown {
		if !seen[g] {
			seen[g] = true
			kept = append(kept, g)
		}
	}
	o.Unknown = kept
	sort.SliceStable(o.Unknown, func(i, j int) bool { return o.Unknown[i].Fact < o.Unknown[j].Fact })
}

func (o *Outcome) run(c *Case) error {
	if c.Instance != nil {
		if _, ok := Need(c, c.Instance.Server.Settings); !ok {
			return nil
		}
		p, ok := c.Param(SettingOf(c.Rule.Address))
		if !ok || p.Context == "internal" {
			return nil // this version or build has no such parameter
		}
		v, ok := Need(c, c.Instance.Server.Version)
		if !ok || c.Rule.From > 0 && v.Major() < c.Rule.From || c.Rule.To > 0 && v.Major() > c.Rule.To {
			return nil
		}
		c.Parameter = p
	}
	present := c.Present()
	if a, pin, ok := c.pinned(); ok {
		v, err := c.parse(pin)
		if err != nil {
			return &PinError{Address: a, Reason: say.OfError(err)}
		}
		c.decision = &Decision{Want: v, Pinned: true, Reason: say.M("pinned (--pin or policy)")}
	} else {
		c.decide()
	}
	if c.decision == nil {
		return nil
	}
	d := c.decision
	d.Rule, d.Address, d.Present = c.Rule, c.Address, present
	d.Instance = c.key()
	d.Effect = c.Rule.Effect
	if c.Instance != nil && c.Rule.Over == nil {
		d.Effect = knob.EffectOf(c.Parameter.Context)
	}
	d.Effect = max(d.Effect, d.later)
	d.Effective = d.Want
	if p, ok := present.Get(); !ok {
		// A value that cannot be seen is not changed: it could not be restored.
		if present.State() != known.Absent {
			o.Unknown = append(o.Unknown, present.Gap())
		}
	} else if !d.Pinned && Near(p.Setting, d.Want.Setting, c.Rule.Tolerance) {
		d.Effective = p
	}
	o.Decisions = append(o.Decisions, d)
	o.index[[2]string{d.Instance, string(d.Address)}] = d
	return nil
}

// Near reports whether two settings are the same or, as numbers of one sign, apart by no more than tolerance of the
// wanted one.
func Near(present, want string, tolerance float64) bool {
	if present == want {
		return true
	}
	p, err1 := strconv.ParseFloat(present, 64)
	w, err2 := strconv.ParseFloat(want, 64)
	if err1 != nil || err2 != nil {
		return false
	}
	if p == w {
		return true
	}
	return tolerance > 0 && p > 0 && w > 0 && math.Abs(p-w) <= tolerance*w
}

func (c *Case) key() string {
	if c.Instance == nil {
		return ""
	}
	return c.Instance.Key
}

// Need returns the value of a fact that the rule cannot decide without, noting
// a missing one among the unknowns; the rule then returns without a decision.
// An absent fact is no unknown.
func Need[T any](c *Case, f known.Fact[T]) (v T, ok bool) {
	v, ok = f.Get()
	if !ok && f.State() != known.Absent {
		c.Outcome.Unknown = append(c.Outcome.Unknown, f.Gap())
	}
	return v, ok
}

// Miss notes something that would have sharpened the decision.
func (c *Case) Miss(g known.Gap) { c.Outcome.Unknown = append(c.Outcome.Unknown, g) }

// Warn adds something that a person must know before acting.
func (c *Case) Warn(text say.Template, pairs ...any) { c.WarnAs(say.M(text, pairs...)) }

// WarnAs warns with a text that was put together of several: say.All.
func (c *Case) WarnAs(m say.Message) {
	m.About = string(c.Rule.Address)
	c.Outcome.Warnings = append(c.Outcome.Warnings, m)
}

// Param returns what is known of a server parameter: of this server itself
// first, else of its version.
func (c *Case) Param(name string) (params.Param, bool) {
	if s, ok := c.Instance.Server.Settings.Get(); ok {
		v, ok := s[name]
		if !ok {
			return params.Param{}, false
		}
		return params.Param{Name: v.Name, Type: v.Type, Unit: v.Unit, Context: v.Context, Min: v.Min, Max: v.Max,
			Enum: v.Enum, Boot: v.Boot}, true
	}
	return params.Param{}, false
}

// Allows reports whether this server's build accepts a value of an enum parameter.
func (c *Case) Allows(name, value string) bool {
	p, ok := c.Param(name)
	if !ok {
		return false
	}
	for _, e := range p.Enum {
		if e == value {
			return true
		}
	}
	return p.Type != "enum"
}

// Set decides. v is a unit.Bytes, time.Duration, bool, int, int64, float64 or
// string; it is converted into the knob's base unit and kept within the bounds
// of this server. text says why, with {name} placeholders for the pairs, which
// are the decision's inputs too.
func (c *Case) Set(v any, text say.Template, pairs ...any) {
	c.SetAs(v, say.M(text, pairs...))
}

// SetAs decides with a reason that was put together of several: say.All.
func (c *Case) SetAs(v any, reason say.Message) {
	d := &Decision{Want: Value{Setting: c.Canonical(v), Unit: c.unit()}, Reason: reason}
	for _, name := range reason.Names() {
		d.Inputs = append(d.Inputs, Input{Name: name, Value: say.Spell(reason.Args[name])})
	}
	c.decision = d
}

// After says that the decision made takes effect only after more than the
// knob's kind needs: a pool of huge pages that has to be reserved at boot.
func (c *Case) After(e knob.Effect) { c.decision.later = e }

func (c *Case) unit() string {
	if c.Instance == nil {
		return c.Rule.Unit
	}
	return c.Parameter.Unit
}

func (c *Case) Canonical(v any) string {
	u := c.unit()
	switch v := v.(type) {
	case string:
		return v
	case bool:
		if v {
			return "on"
		}
		return "off"
	case unit.Bytes:
		if m, ok := unit.MemoryUnit(u); ok {
			return c.bound(float64(v / m))
		}
		return c.bound(float64(v))
	case time.Duration:
		if m, ok := unit.TimeUnit(u); ok {
			return c.bound(float64(v) / float64(m))
		}
		return c.bound(v.Seconds())
	case int:
		return c.bound(float64(v))
	case int64:
		return c.bound(float64(v))
	case float64:
		return c.bound(v)
	}
	panic(fmt.Sprintf("rule %s: a value of type %T", c.Rule.Address, v))
}

// bound keeps a number within the parameter's bounds and writes it without an exponent.
func (c *Case) bound(f float64) string {
	if c.Instance != nil {
		if c.Parameter.Type == "integer" {
			f = math.Floor(f)
		}
		if lo, err := strconv.ParseFloat(c.Parameter.Min, 64); err == nil && f < lo {
			f = lo
		}
		if hi, err := strconv.ParseFloat(c.Parameter.Max, 64); err == nil && f > hi {
			f = hi
		}
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// parse reads a pin as a person spelled it.
func (c *Case) parse(s string) (Value, error) {
	v := Value{Unit: c.unit()}
	if c.Instance == nil {
		v.Setting = strings.TrimSpace(s)
		if c.Rule.Legal == nil {
			return v, nil
		}
		return v, c.Rule.Legal(c, v.Setting)
	}
	if c.Rule.Legal != nil {
		if err := c.Rule.Legal(c, strings.TrimSpace(s)); err != nil {
			return v, err
		}
	}
	if c.Rule.Over != nil && strings.TrimSpace(s) == knob.Unset {
		v.Setting = knob.Unset
		return v, nil
	}
	switch c.Parameter.Type {
	case "integer", "real":
		read := unit.ParseGUC
		if c.Parameter.Type == "integer" {
			read = unit.ParseInteger
		}
		f, err := read(s, c.Parameter.Unit)
		if err != nil {
			return v, err
		}
		if got := c.bound(f); got != strconv.FormatFloat(f, 'f', -1, 64) {
			return v, say.Err("{value} is outside the valid range of this server ({min} to {max})", "value", s,
				"min", unit.ShowGUC(c.Parameter.Min, c.Parameter.Unit),
				"max", unit.ShowGUC(c.Parameter.Max, c.Parameter.Unit))
		}
		v.Setting = strconv.FormatFloat(f, 'f', -1, 64)
	case "bool":
		switch strings.ToLower(s) {
		case "on", "true", "yes", "1":
			v.Setting = "on"
		case "off", "false", "no", "0":
			v.Setting = "off"
		default:
			return v, say.Err("{value} is not a Boolean value: use on or off", "value", say.Quoted(s))
		}
	case "enum":
		for _, e := range c.Parameter.Enum {
			if strings.EqualFold(e, s) {
				v.Setting = e
				return v, nil
			}
		}
		return v, say.Err("invalid value {value}: use one of {names}", "value", say.Quoted(s),
			"names", say.Names(c.Parameter.Enum, 0))
	default:
		v.Setting = s
	}
	return v, nil
}

// order sorts rules by their needs; among equals the given order stays.
func order(rules []Rule) ([]*Rule, error) {
	at := map[knob.Address]*Rule{}
	for i := range rules {
		at[rules[i].Address] = &rules[i]
	}
	var out []*Rule
	state := map[*Rule]int{}
	var visit func(r *Rule) error
	visit = func(r *Rule) error {
		switch state[r] {
		case 1:
			return fmt.Errorf("rules depend on each other in a circle at %s", r.Address)
		case 2:
			return nil
		}
		state[r] = 1
		for _, n := range r.Needs {
			need, ok := at[n]
			if !ok {
				continue // a subset of the rules is being run
			}
			if err := visit(need); err != nil {
				return err
			}
		}
		state[r] = 2
		out = append(out, r)
		return nil
	}
	for i := range rules {
		if err := visit(&rules[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
