package selection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Left is a change of the plan that is omitted, and why.
type Left struct {
	Change plan.Change
	Reason string
}

// Select returns the changes of a plan that the options allow. What depends on a change that is omitted is omitted too:
// strict overcommit was computed for shared memory that has moved into huge pages, and without the restart it has not.
// snap supplies the settings that the plan does not change.
func Select(p *plan.Plan, snap *snapshot.Snapshot, o Options) (chosen []plan.Change, left []Left) {
	var out []Step
	leave := func(c plan.Change, why string) {
		left, out = append(left, Left{c, why}), append(out, StepOf(&c))
	}
	for _, c := range p.Changes {
		if why := o.bars(&c); why != "" {
			leave(c, why)
			continue
		}
		chosen = append(chosen, c)
	}
	for again := true; again; {
		again = false
		made := steps(chosen)
		for _, i := range judgingOrder(made) {
			made[i].Firm = made[i].NeedsPages(made, out, snap)
			if why := o.unfounded(made[i], made, out); why != "" {
				leave(chosen[i], why)
				chosen = slices.Delete(chosen, i, i+1)
				again = true
				break
			}
		}
	}
	return chosen, left
}

// judgingOrder is the order in which steps are judged: if a server may not switch to huge_pages=on, the rest of it can
// work with what exists.
func judgingOrder(made []Step) []int {
	order := make([]int, len(made))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := made[a].address == hugePagesSetting, made[b].address == hugePagesSetting; {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	return order
}

func (o *Options) bars(c *plan.Change) string {
	switch {
	case len(o.Only) > 0 && !Named(o.Only, c):
		return "not selected with --only"
	case Named(o.Skip, c):
		return "declined"
	case c.Effect > o.MaxEffect:
		return fmt.Sprintf("takes effect at a %s, but --max-effect is %s", c.Effect, o.MaxEffect)
	}
	return ""
}

func (o *Options) unfounded(s Step, made, out []Step) string {
	if s.address == bootPoolKnob && slices.Contains(o.Only, Which{Address: s.address}) {
		return "" // as for the pool
	}
	for _, f := range out {
		if s.RestsOn(f) && !s.sibling(f) {
			return fmt.Sprintf("depends on %s, which is skipped", f.address)
		}
	}
	// A pool that no server is restarted onto is wasted memory. A user who names only the pool may plan a later
	// restart.
	if s.GrowsPool() && !slices.Contains(o.Only, Which{Address: s.address}) {
		for _, f := range out {
			if f.Restarts() && !slices.ContainsFunc(made, Step.Restarts) {
				return "no server that would use the pages is restarted"
			}
		}
	}
	return ""
}

// CheckRisks refuses if a change of high risk was not accepted.
func (o *Options) CheckRisks(chosen []plan.Change) error {
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
	return &say.Problem{Message: say.M("high-risk changes are not accepted: {list}", "list", list),
		Detail: say.M("nothing was changed"),
		Hint: say.M("read their reasons in the plan, then pass --accept-risk {list}, or select other changes with "+
			"--only", "list", list),
		Code: say.CodeRefused}
}

// Step is what the order and the dependencies of changes depend on.
type Step struct {
	address  knob.Address
	instance string
	from, to string
	effect   knob.Effect
	Firm     bool // of a restart: without its huge pages the server would not start
}

func StepOf(c *plan.Change) Step {
	return Step{address: c.Address, instance: c.Instance, from: c.FromBase, to: c.ToBase, effect: c.Effect}
}

func steps(list []plan.Change) (out []Step) {
	for i := range list {
		out = append(out, StepOf(&list[i]))
	}
	return out
}

// NeedsPages reports whether the server that s restarts would not start without the pages that the plan has for it:
// with huge_pages=on, and not with try, which takes what it gets. Of a server whose huge_pages is not known it is not
// said that it could do without.
func (s Step) NeedsPages(made, out []Step, snap *snapshot.Snapshot) bool {
	same := func(f Step) bool { return f.address == hugePagesSetting && f.instance == s.instance }
	if i := slices.IndexFunc(made, same); i >= 0 {
		return made[i].to == "on"
	}
	if i := slices.IndexFunc(out, same); i >= 0 {
		return out[i].from == "on"
	}
	for i := range snap.Instances {
		if in := &snap.Instances[i]; in.Label() == s.instance {
			set, _ := in.Server.Settings.Get()
			v, ok := set.Text(hugePagesSetting.Name())
			return !ok || v == "on"
		}
	}
	return true
}

const (
	hugePagesSetting = knob.Address("pg:huge_pages")
	poolSysctl       = knob.Address("sysctl:vm.nr_hugepages")
	bootPoolKnob     = knob.Address("boot:hugepages")
	overcommitMode   = knob.Address("sysctl:vm.overcommit_memory")
	overcommitLimit  = knob.Address("sysctl:vm.overcommit_kbytes")
	adminReserve     = knob.Address("sysctl:vm.admin_reserve_kbytes")
	strictOvercommit = "2" // of vm.overcommit_memory: refuse beyond the limit
)

func (s Step) GrowsPool() bool   { return s.address == poolSysctl && smaller(s.from, s.to) }
func (s Step) shrinksPool() bool { return s.address == poolSysctl && smaller(s.to, s.from) }
func (s Step) Restarts() bool    { return s.instance != "" && s.effect == knob.Restart }

// commits reports whether the step is part of strict overcommit.
func (s Step) commits() bool {
	return s.address == overcommitLimit || s.address == adminReserve ||
		s.address == overcommitMode && s.to == strictOvercommit
}

// sibling reports whether two steps depend on each other: the settings of one instance. An option of a tablespace
// depends on none of them.
func (s Step) sibling(f Step) bool {
	return s.instance != "" && s.instance == f.instance && !s.Alone() && !f.Alone()
}

// Alone reports whether a step stands and falls without the settings of its instance: what is in a catalog.
func (s Step) Alone() bool {
	p := s.address.Prefix()
	return p == "tablespace" || p == "relation"
}

// inCreated reports whether s is about a tablespace that f creates: its owner, its options, and that temporary files go
// there, which a plan has beside a creation for no other reason.
func (s Step) inCreated(f Step) bool {
	_, attribute, ok := f.address.Tablespace()
	return ok && attribute == knob.Location && s.instance == f.instance && s.address != f.address &&
		(s.address.Prefix() == "pg" || s.address.Prefix() == "tablespace" && s.address.Subject() == f.address.Subject())
}

// RestsOn reports whether s may not be done when f was not: the plan's order, as needs. The settings of one instance
// were fitted to one another.
func (s Step) RestsOn(f Step) bool {
	switch {
	case s.sibling(f), s.inCreated(f):
		return true
	case s.address.Creates():
		return f.address.Creates() || f.GrowsPool() // each rests on all before it, and the server on its huge pages
	case s.Restarts():
		return s.Firm && f.GrowsPool()
	case s.shrinksPool():
		return f.Restarts()
	case s.address == bootPoolKnob:
		return f.GrowsPool() || f.Restarts() // each boot would take unused memory
	case s.address == overcommitMode && s.commits():
		return f.GrowsPool() || f.Restarts() || f.commits()
	case s.commits():
		return f.GrowsPool() || f.Restarts()
	}
	return false
}

// smaller compares two whole numbers in their text form.
func smaller(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
