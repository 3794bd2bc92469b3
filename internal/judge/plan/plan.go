package plan

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// Schema names the version of the JSON form.
const Schema = "pgfettle.plan/1"

// Plan is what would have to change, in the order in which it should be done.
type Plan struct {
	Schema   string        `json:"schema"`
	Snapshot string        `json:"snapshot"` // SHA-256 of the snapshot it depends on
	Profile  rule.Profile  `json:"profile"`
	Budget   Budget        `json:"budget"`
	Changes  []Change      `json:"changes"`
	Kept     int           `json:"kept"` // knobs whose present value stays
	Warnings []say.Message `json:"warnings"`
	// what check reports, warnings and worse, after it was applied
	Left      []Left                   `json:"not_in_this_plan"`
	Unknown   []known.Gap              `json:"unknown"`
	Shared    []Shared                 `json:"shared_memory"`
	Questions []snapshot.ShmemQuestion `json:"questions,omitempty"` // still open: the answers would make the plan exact
	Asked     *Asked                   `json:"asked,omitempty"`     // nil: nothing but the profile was

	AtWork []AtWork `json:"-"` // of each instance; empty in a plan that was read
}

// In returns the plan in the language of a catalog, each text that it does not have in English.
func (p *Plan) In(c *say.Catalogue) *Plan {
	if c == nil {
		return p
	}
	out := *p
	out.Changes, out.Warnings = slices.Clone(p.Changes), slices.Clone(p.Warnings)
	for i := range out.Changes {
		ch := &out.Changes[i]
		ch.Title = c.Text(ch.Title)
		ch.Reason = ch.Reason.Translated(c)
	}
	for i, w := range out.Warnings {
		out.Warnings[i] = w.Translated(c)
	}
	out.Unknown = gapwords.Gaps(c, p.Unknown)
	out.Left = slices.Clone(p.Left)
	for i, l := range out.Left {
		out.Left[i].Title, out.Left[i].Detail = c.Text(l.Title), l.Detail.Translated(c)
	}
	return &out
}

// Asked is what a person asked for in addition to the profile. With it the plan can be made again, to see whether it
// still holds.
type Asked struct {
	Connections int                     `json:"connections,omitempty"`
	Active      int                     `json:"active,omitempty"`
	Storage     rule.Storage            `json:"storage,omitempty"`
	Shared      bool                    `json:"shared,omitempty"` // the host serves other programs too
	Pins        map[knob.Address]string `json:"pins,omitempty"`
	Accepted    []rule.Accepted         `json:"accepted,omitempty"` // findings that the policy accepts
}

// Options returns what the plan was made with.
func (p *Plan) Options() rule.Options {
	o := rule.Options{Profile: p.Profile}
	if a := p.Asked; a != nil {
		o.Connections, o.Active, o.Storage, o.Shared, o.Pins, o.Accepted = a.Connections, a.Active, a.Storage, a.Shared,
			a.Pins, a.Accepted
	}
	return o
}

func askedOf(o *rule.Options) *Asked {
	a := &Asked{o.Connections, o.Active, o.Storage, o.Shared, o.Pins, o.Accepted}
	if a.Connections == 0 && a.Active == 0 && a.Storage == "" && !a.Shared && len(a.Pins) == 0 && len(a.Accepted) == 0 {
		return nil
	}
	return a
}

// Budget is the memory before and after, twice: with the sessions at work that are
// expected at once, and with all connections at work. Total, reserve and others are
// the same in all of them.
type Budget struct {
	Known     bool          `json:"known"` // false: the memory of the host is not known, or there is no instance
	None      bool          `json:"-"`     // there is no instance
	Limit     string        `json:"limit"` // what bounds it: "host" or "cgroup"
	Before    memory.Budget `json:"before"`
	After     memory.Budget `json:"after"`
	AllBefore memory.Budget `json:"all_before"`      // all connections at work
	AllAfter  memory.Budget `json:"all_after"`       // likewise
	Open      int           `json:"connections"`     // that may be open at once after the changes, of all instances
	Fit       int           `json:"connections_fit"` // of them that fit at work

	// Outside is shared memory in huge pages that are not charged to the limit.
	Outside unit.Bytes `json:"huge_pages_outside_bytes,omitempty"`

	// Neighbours are the other instances of the host, which the plan does not change.
	Neighbours []memory.Neighbour `json:"neighbours,omitempty"`

	// the source of the memory of other programs; "": a described host, a cgroup's limit, or half of a shared host
	Others       memory.OthersSource `json:"others_source,omitempty"`
	OthersHeld   unit.Bytes          `json:"others_held_bytes,omitempty"`
	OthersReason say.Message         `json:"others_reason,omitzero"`
}

// AtWork is what the memory has room for when all connections of an instance are at work.
type AtWork struct {
	Instance string // data directory
	sizing.AtWork
}

// Change is one knob that should have another value. From and To are spelled as
// SHOW prints them (a kernel value as its file has it); FromBase and ToBase are
// the same in Unit.
type Change struct {
	Address  knob.Address `json:"address"`
	Instance string       `json:"instance,omitempty"` // data directory; "" for the host
	Layer    knob.Layer   `json:"layer"`
	From     string       `json:"from"`
	To       string       `json:"to"`
	FromBase string       `json:"from_base"`
	ToBase   string       `json:"to_base"`
	Unit     string       `json:"unit"`
	Effect   knob.Effect  `json:"effect"`
	Risk     knob.Risk    `json:"risk"`
	Title    string       `json:"title"`
	Reason   say.Message  `json:"reason"`
	Inputs   []rule.Input `json:"inputs"`
	Sources  []string     `json:"sources"`
	Pinned   bool         `json:"pinned,omitempty"`
	Key      string       `json:"-"` // Instance.Key
}
