package apply

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Left is a change of the plan that is left out, and why.
type Left struct {
	Change plan.Change
	Reason string
}

// Select says which changes of a plan the options let through. What rests on a
// change that is left out is left out too: strict overcommit was computed for
// shared memory that has moved into huge pages, and without the restart it has
// not.
func Select(p *plan.Plan, o Options) (chosen []plan.Change, left []Left) {
	var out []step
	for _, c := range p.Changes {
		if why := o.bars(&c); why != "" {
			left, out = append(left, Left{c, why}), append(out, stepOf(&c))
			continue
		}
		chosen = append(chosen, c)
	}
	for again := true; again; {
		again = false
		for i := range chosen {
			if why := o.unfounded(stepOf(&chosen[i]), chosen, out); why != "" {
				left, out = append(left, Left{chosen[i], why}), append(out, stepOf(&chosen[i]))
				chosen = slices.Delete(chosen, i, i+1)
				again = true
				break
			}
		}
	}
	return chosen, left
}

func (o *Options) bars(c *plan.Change) string {
	switch {
	case len(o.Only) > 0 && !Named(o.Only, c):
		return "it was not asked for"
	case Named(o.Skip, c):
		return "it was declined"
	case c.Effect > o.MaxEffect:
		return fmt.Sprintf("it takes effect at a %s, and no more than %s was allowed", c.Effect, o.MaxEffect)
	}
	return ""
}

func (o *Options) unfounded(s step, chosen []plan.Change, out []step) string {
	for _, f := range out {
		if s.restsOn(f) && !s.sibling(f) {
			return fmt.Sprintf("it rests on %s, which is left out", f.address)
		}
	}
	// A pool that no server is restarted onto is memory lost. Who names the pool
	// alone may want to restart later.
	if s.growsPool() && !slices.Contains(o.Only, Which{Address: s.address}) {
		for _, f := range out {
			if f.restarts() && !slices.ContainsFunc(chosen, func(c plan.Change) bool { return stepOf(&c).restarts() }) {
				return "no server is restarted that would use the pages"
			}
		}
	}
	return ""
}

// risks refuses where a change of high risk was not accepted.
func (o *Options) risks(chosen []plan.Change) error {
	var open []string
	for i := range chosen {
		if c := &chosen[i]; c.Risk == knob.High && !Named(o.AcceptRisk, c) {
			open = append(open, WhichOf(c).String())
		}
	}
	if len(open) == 0 {
		return nil
	}
	list := strings.Join(open, ",")
	return &say.Problem{Message: "the risk of " + list + " was not accepted", Detail: "their risk is high; nothing was changed",
		Hint: "read their reasons in the plan, then give --accept-risk " + list + ", or leave them out with --only", Code: say.CodeRefused}
}

// step is what the order and the dependencies of changes rest on.
type step struct {
	address  knob.Address
	instance string
	from, to string
	effect   knob.Effect
}

func stepOf(c *plan.Change) step {
	return step{address: c.Address, instance: c.Instance, from: c.FromBase, to: c.ToBase, effect: c.Effect}
}

const (
	pool     = knob.Address("sysctl:vm.nr_hugepages")
	mode     = knob.Address("sysctl:vm.overcommit_memory")
	limit    = knob.Address("sysctl:vm.overcommit_kbytes")
	reserve  = knob.Address("sysctl:vm.admin_reserve_kbytes")
	strictly = "2" // of vm.overcommit_memory: refuse beyond the limit
)

func (s step) growsPool() bool   { return s.address == pool && smaller(s.from, s.to) }
func (s step) shrinksPool() bool { return s.address == pool && smaller(s.to, s.from) }
func (s step) restarts() bool    { return s.instance != "" && s.effect == knob.Restart }

// commits says whether the step is part of strict overcommit.
func (s step) commits() bool {
	return s.address == limit || s.address == reserve || s.address == mode && s.to == strictly
}

func (s step) sibling(f step) bool { return s.instance != "" && s.instance == f.instance }

// restsOn says whether s may not be done when f was not: the plan's order, as
// needs. The settings of one instance were fitted to one another.
func (s step) restsOn(f step) bool {
	switch {
	case s.sibling(f):
		return true
	case s.restarts():
		return f.growsPool()
	case s.shrinksPool():
		return f.restarts()
	case s.address == mode && s.commits():
		return f.growsPool() || f.restarts() || f.commits()
	case s.commits():
		return f.growsPool() || f.restarts()
	}
	return false
}

// smaller compares two whole numbers in their text form.
func smaller(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
