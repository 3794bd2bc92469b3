package rule

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Decides reports whether the rule is the one for an address: its own, or one of its family.
func (r *Rule) Decides(a knob.Address) bool { return r.Address.Covers(a) }

// InAny reports whether one of the instances has what an address of a family names.
func InAny(s *snapshot.Snapshot, r *Rule, a knob.Address) bool {
	for i := range s.Instances {
		c := &Case{Snapshot: s, Instance: &s.Instances[i], Options: &Options{}, Rule: r, Address: r.Address,
			Outcome: &Outcome{}}
		if slices.Contains(r.Over(c), a) {
			return true
		}
	}
	return false
}

// ofInstances runs a rule for each instance: once, or for each address of its family.
func (o *Outcome) ofInstances(r *Rule, s *snapshot.Snapshot, opt *Options) error {
	for _, a := range sortedPins(opt.Pins) {
		if r.Over != nil && a != r.Address && r.Decides(a) && !InAny(s, r, a) {
			return &PinError{Address: a, NotHere: true,
				Reason: say.M("no instance has such a tablespace, or its tablespaces are unknown")}
		}
	}
	for i := range s.Instances {
		c := &Case{Snapshot: s, Instance: &s.Instances[i], Options: opt, Rule: r, Address: r.Address, Outcome: o}
		list := []knob.Address{r.Address}
		if r.Over != nil {
			list = r.Over(c)
		}
		for _, a := range list {
			one := *c
			one.Address = a
			if err := o.run(&one); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofHost runs a rule of the host: once, or for each address of its family. The pin of an address goes before that of
// its family; one of a device or a mount that holds no directory of an instance would have no effect.
func (o *Outcome) ofHost(r *Rule, s *snapshot.Snapshot, opt *Options) error {
	c := &Case{Snapshot: s, Options: opt, Rule: r, Address: r.Address, Outcome: o}
	if r.Over == nil {
		return o.run(c)
	}
	list := r.Over(c)
	for _, a := range sortedPins(opt.Pins) {
		if a != r.Address && r.Decides(a) && !slices.Contains(list, a) {
			return &PinError{Address: a, NotHere: true,
				Reason: say.M("no directory of an instance is known to be on it")}
		}
	}
	for _, a := range list {
		one := *c
		one.Address = a
		if err := o.run(&one); err != nil {
			return err
		}
	}
	return nil
}
