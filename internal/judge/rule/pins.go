package rule

import (
	"maps"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// PinError is a pin that cannot be obeyed.
type PinError struct {
	Address knob.Address
	Reason  say.Message
	NotHere bool // what it is of is not here: on another host the pin may be right
}

func (e *PinError) Error() string { return e.In(nil) }

// In returns it in the language of a catalog.
func (e *PinError) In(c *say.Catalogue) string {
	return say.M("pin {address}: {reason}", "address", string(e.Address), "reason", e.Reason).In(c)
}

// pinned returns the value that a person fixed, for the address or otherwise for its family, and which of the two was
// named.
func (c *Case) pinned() (a knob.Address, value string, ok bool) {
	for _, a := range []knob.Address{c.Address, c.Rule.Address} {
		if v, ok := c.Options.Pins[a]; ok {
			return a, v, true
		}
	}
	return "", "", false
}

// knownPins refuses a pin that no rule decides, and one of a server's setting if there is no server: it would have no
// effect.
func knownPins(rules []*Rule, pins map[knob.Address]string, s *snapshot.Snapshot) error {
	for _, a := range sortedPins(pins) {
		if !slices.ContainsFunc(rules, func(r *Rule) bool { return r.Decides(a) }) {
			return &PinError{Address: a,
				Reason: say.M("not a setting that pgfettle plans; 'pgfettle explain' lists them")}
		}
		if len(s.Instances) == 0 && a.Layer() == knob.Instance {
			return &PinError{Address: a, Reason: say.M("no instance found"), NotHere: true}
		}
	}
	return nil
}

func sortedPins(pins map[knob.Address]string) []knob.Address {
	return slices.Sorted(maps.Keys(pins))
}
