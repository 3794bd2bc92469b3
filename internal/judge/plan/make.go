package plan

import (
	"sort"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// Make decides every knob and keeps what differs from the present. The error is a *rule.PinError, or reports an
// internal error. When the size of the planned shared memory depends on an estimate, Questions holds what the installed
// binary would have to be asked to make the plan exact.
func Make(s *snapshot.Snapshot, rules []rule.Rule, o rule.Options) (*Plan, error) {
	out, err := rule.Decide(s, rules, o)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Schema: Schema, Snapshot: snapshot.Hash(s), Profile: o.Profile,
		Changes: []Change{}, Warnings: []say.Message{}, Unknown: out.Unknown, Questions: out.Questions,
		Asked: askedOf(&o),
	}
	for _, d := range out.Decisions {
		if !d.Changes() {
			p.Kept++
			continue
		}
		p.Changes = append(p.Changes, changeOf(s, d))
	}
	sort.SliceStable(p.Changes, func(i, j int) bool { return phase(&p.Changes[i]) < phase(&p.Changes[j]) })
	p.Budget = budgetOf(s, out, &o)
	for i := range s.Instances {
		if a, ok := sizing.AtWorkOf(out, s.Instances[i].Key); ok {
			p.AtWork = append(p.AtWork, AtWork{s.Instances[i].Label(), a})
		}
	}
	said := map[string]bool{}
	for _, w := range append(out.Warnings, besideWarning(p.Budget, out, s, &o)...) {
		if t := w.String(); !said[t] {
			said[t] = true
			p.Warnings = append(p.Warnings, w)
		}
	}
	if p.Unknown == nil {
		p.Unknown = []known.Gap{}
	}
	p.Shared = sharedOf(s, out, &o)
	return p, nil
}

func changeOf(s *snapshot.Snapshot, d *rule.Decision) Change {
	from, _ := d.Present.Get()
	c := Change{
		Address: d.Address, Layer: d.Address.Layer(), Key: d.Instance,
		From: spelled(d, from), To: spelled(d, d.Effective), FromBase: from.Setting, ToBase: d.Effective.Setting,
		Unit:   d.Effective.Unit,
		Effect: d.Effect, Risk: d.Rule.Risk, Title: d.Rule.Title, Reason: d.Reason, Inputs: d.Inputs,
		Sources: d.Rule.Sources, Pinned: d.Pinned,
	}
	if c.Risk == "" {
		c.Risk = knob.Low
	}
	if c.Inputs == nil {
		c.Inputs = []rule.Input{}
	}
	if in := s.Instance(d.Instance); in != nil {
		c.Instance = in.Label()
	}
	return c
}

// spelled writes a server's value as SHOW prints it, any other as its file has
// it: sysctl takes 131072, and not 128MB.
func spelled(d *rule.Decision, v rule.Value) string {
	if d.Address.Layer() != knob.Instance {
		return v.Setting
	}
	return v.Show()
}

// phase is the order in which changes have to be made. A pool of huge pages
// must be there before the server that needs it starts, and may be given back
// only when no server holds it; strict overcommit comes last, when the shared
// memory has moved out of what it counts.
func phase(c *Change) int {
	switch {
	case c.Address == "sysctl:vm.nr_hugepages" && shorterFirst(c.ToBase, c.FromBase):
		return 5
	case c.Address == "sysctl:vm.overcommit_memory" && c.ToBase == "2":
		return 7
	case c.Address == "sysctl:vm.overcommit_memory":
		return 0
	case c.Address == "sysctl:vm.overcommit_kbytes" || c.Address == "sysctl:vm.admin_reserve_kbytes":
		return 6
	case c.Layer == knob.Kernel:
		return 1
	case c.Layer == knob.Mounts || c.Layer == knob.Units:
		return 2
	case c.Layer == knob.Instance && c.Effect == knob.Restart:
		return 4
	case c.Layer == knob.Instance:
		return 3
	}
	return 8
}

// shorterFirst compares two whole numbers in their text form.
func shorterFirst(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
