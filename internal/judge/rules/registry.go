package rules

import (
	"maps"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// For returns the rule that decides an address.
func For(a knob.Address) (rule.Rule, bool) {
	for _, r := range All() {
		if r.Decides(a) {
			return r, true
		}
	}
	return rule.Rule{}, false
}

// Here reports whether a snapshot has what an address names: a server for a setting of one, a device or a mount under a
// directory of an instance.
func Here(s *snapshot.Snapshot, a knob.Address) bool {
	r, ok := For(a)
	if a.Layer() == knob.Instance {
		return len(s.Instances) > 0 && (!ok || r.Over == nil || a.Subject() == knob.Any || rule.InAny(s, &r, a))
	}
	if !ok || r.Over == nil || a.Subject() == knob.Any {
		return ok
	}
	c := &rule.Case{Snapshot: s, Options: &rule.Options{}, Rule: &r, Address: r.Address, Outcome: &rule.Outcome{}}
	return slices.Contains(r.Over(c), a)
}

// On returns the options without the pins of what a snapshot does not have: a policy
// may be for more hosts than one.
func OptionsOn(o rule.Options, s *snapshot.Snapshot) rule.Options {
	o.Pins = maps.Clone(o.Pins)
	maps.DeleteFunc(o.Pins, func(a knob.Address, _ string) bool { return !Here(s, a) })
	return o
}
