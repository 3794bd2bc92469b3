package selection

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Which names a change of a plan, or the changes of one address in every instance,
// or those of a family of addresses: block:*/scheduler is that of every disk.
type Which struct {
	Address  knob.Address
	Instance string // label of the instance: its data directory; "": of whichever
}

// WhichOf names one change and no other.
func WhichOf(c *plan.Change) Which { return Which{c.Address, c.Instance} }

// ParseWhich reads ADDRESS or ADDRESS@INSTANCE: pg:work_mem@/srv/pg/17. Only what belongs to an instance can be named
// so: no name of a GUC, of a unit's property, of a tablespace or of a relation, as an address spells it, has an @, and
// a path may.
func ParseWhich(s string) (Which, error) {
	address, instance := s, ""
	if p := knob.Address(s).Prefix(); p == "pg" || p == "unit" || p == "tablespace" || p == "relation" {
		address, instance, _ = strings.Cut(s, "@")
	}
	a, err := knob.Parse(address)
	return Which{a, instance}, err
}

// String is what ParseWhich reads.
func (w Which) String() string {
	if w.Instance == "" {
		return string(w.Address)
	}
	return string(w.Address) + "@" + w.Instance
}

func (w Which) is(c *plan.Change) bool {
	return w.Address.Covers(c.Address) && (w.Instance == "" || w.Instance == c.Instance)
}

// Named reports whether a list names a change.
func Named(list []Which, c *plan.Change) bool {
	return slices.ContainsFunc(list, func(w Which) bool { return w.is(c) })
}
