package apply

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
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
// not. snap tells what a server has that the plan leaves as it is.
func Select(p *plan.Plan, snap *snapshot.Snapshot, o Options) (chosen []plan.Change, left []Left) {
	var out []step
	leave := func(c plan.Change, why string) {
		left, out = append(left, Left{c, why}), append(out, stepOf(&c))
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
		for _, i := range settled(made) {
			made[i].firm = made[i].needsPages(made, out, snap)
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

// settled is the order in which steps are judged: where a server may not go to
// huge_pages=on, the rest of it can do with what there is.
func settled(made []step) []int {
	order := make([]int, len(made))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := made[a].address == pages, made[b].address == pages; {
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
		return "it was not asked for"
	case Named(o.Skip, c):
		return "it was declined"
	case c.Effect > o.MaxEffect:
		return fmt.Sprintf("it takes effect at a %s, and no more than %s was allowed", c.Effect, o.MaxEffect)
	}
	return ""
}

func (o *Options) unfounded(s step, made, out []step) string {
	if s.address == bootPool && slices.Contains(o.Only, Which{Address: s.address}) {
		return "" // as for the pool
	}
	for _, f := range out {
		if s.restsOn(f) && !s.sibling(f) {
			return fmt.Sprintf("it rests on %s, which is left out", f.address)
		}
	}
	// A pool that no server is restarted onto is memory lost. Who names the pool
	// alone may want to restart later.
	if s.growsPool() && !slices.Contains(o.Only, Which{Address: s.address}) {
		for _, f := range out {
			if f.restarts() && !slices.ContainsFunc(made, step.restarts) {
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
	firm     bool // of a restart: without its huge pages the server would not start
}

func stepOf(c *plan.Change) step {
	return step{address: c.Address, instance: c.Instance, from: c.FromBase, to: c.ToBase, effect: c.Effect}
}

func steps(list []plan.Change) (out []step) {
	for i := range list {
		out = append(out, stepOf(&list[i]))
	}
	return out
}

// needsPages says whether the server that s restarts would not start without the
// pages that the plan has for it: with huge_pages=on, and not with try, which takes
// what it gets. Of a server whose huge_pages is not known it is not said that it
// could do without.
func (s step) needsPages(made, out []step, snap *snapshot.Snapshot) bool {
	same := func(f step) bool { return f.address == pages && f.instance == s.instance }
	if i := slices.IndexFunc(made, same); i >= 0 {
		return made[i].to == "on"
	}
	if i := slices.IndexFunc(out, same); i >= 0 {
		return out[i].from == "on"
	}
	for i := range snap.Instances {
		if in := &snap.Instances[i]; in.Label() == s.instance {
			set, _ := in.Server.Settings.Get()
			v, ok := set.Text(pages.Name())
			return !ok || v == "on"
		}
	}
	return true
}

const (
	pages    = knob.Address("pg:huge_pages")
	pool     = knob.Address("sysctl:vm.nr_hugepages")
	bootPool = knob.Address("boot:hugepages")
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

// sibling says whether two steps stand or fall together: the settings of one instance. An
// option of a tablespace hangs on none of them.
func (s step) sibling(f step) bool {
	return s.instance != "" && s.instance == f.instance && !s.alone() && !f.alone()
}

func (s step) alone() bool { return s.address.Prefix() == "tablespace" }

// restsOn says whether s may not be done when f was not: the plan's order, as
// needs. The settings of one instance were fitted to one another.
func (s step) restsOn(f step) bool {
	switch {
	case s.sibling(f):
		return true
	case s.restarts():
		return s.firm && f.growsPool()
	case s.shrinksPool():
		return f.restarts()
	case s.address == bootPool:
		return f.growsPool() || f.restarts() // each boot would take the memory for nobody
	case s.address == mode && s.commits():
		return f.growsPool() || f.restarts() || f.commits()
	case s.commits():
		return f.growsPool() || f.restarts()
	}
	return false
}

// smaller compares two whole numbers in their text form.
func smaller(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
