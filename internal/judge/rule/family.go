package rule

import (
	"maps"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Decides says whether the rule is the one for an address: its own, or one of
// its family.
func (r *Rule) Decides(a knob.Address) bool { return r.Address.Covers(a) }

// For returns the rule that decides an address.
func For(a knob.Address) (Rule, bool) {
	for _, r := range All() {
		if r.Decides(a) {
			return r, true
		}
	}
	return Rule{}, false
}

// Here says whether a snapshot has what an address names: a server for a setting
// of one, a device or a mount under a folder of an instance.
func Here(s *snapshot.Snapshot, a knob.Address) bool {
	if a.Layer() == knob.Instance {
		return len(s.Instances) > 0
	}
	r, ok := For(a)
	if !ok || r.Over == nil || a.Subject() == knob.Any {
		return ok
	}
	c := &Case{Snapshot: s, Options: &Options{}, rule: &r, address: r.Address, out: &Outcome{}}
	return slices.Contains(r.Over(c), a)
}

// On returns the options without the pins of what a snapshot does not have: a policy
// may be for more hosts than one.
func (o Options) On(s *snapshot.Snapshot) Options {
	o.Pins = maps.Clone(o.Pins)
	maps.DeleteFunc(o.Pins, func(a knob.Address, _ string) bool { return !Here(s, a) })
	return o
}

// ofHost runs a rule of the host: once, or for each address of its family. The
// pin of an address goes before that of its family; one of a device or a mount
// that no folder of an instance lies on would be obeyed by nobody.
func (o *Outcome) ofHost(r *Rule, s *snapshot.Snapshot, opt *Options) error {
	c := &Case{Snapshot: s, Options: opt, rule: r, address: r.Address, out: o}
	if r.Over == nil {
		return o.run(c)
	}
	list := r.Over(c)
	for _, a := range sortedPins(opt.Pins) {
		if a != r.Address && r.Decides(a) && !slices.Contains(list, a) {
			return &PinError{Address: a, Reason: "no folder of an instance is known to lie on it", NotHere: true}
		}
	}
	for _, a := range list {
		one := *c
		one.address = a
		if err := o.run(&one); err != nil {
			return err
		}
	}
	return nil
}
