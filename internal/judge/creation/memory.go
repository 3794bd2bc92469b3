package creation

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Bound is the memory that the new instance may have: what was asked for, or an equal part beside the others. An error
// is one that the others do not leave.
func Bound(s *snapshot.Snapshot, o Order, opt rule.Options) (unit.Bytes, error) {
	mem, ok := s.Host.Memory.Get()
	want := o.Memory
	if ok && o.Share > 0 {
		want = mem.Total.Scale(o.Share)
	}
	if !ok {
		return want, nil
	}
	b, ok := rule.BasisOf(s, nil, &opt, nil)
	if !ok {
		return want, nil
	}
	left := b.Total - b.Reserve - b.Others
	if want == 0 && len(s.Neighbours) > 0 {
		want = (b.Total - b.Reserve) / unit.Bytes(len(s.Neighbours)+1)
		return max(min(want, left), 0), tooLittle(s, left)
	}
	if want > left {
		return 0, &say.Problem{Message: say.M("{want} of memory are not left for a new instance", "want", want),
			Detail: held(s, left), Hint: say.M("ask for less with --memory or --share, or shrink the others first: " +
				"'pgfettle plan' divides the memory of the host among its instances"), Code: say.CodeRefused}
	}
	return want, tooLittle(s, left)
}

// leastMemory is what an instance is not made below: shared_buffers as initdb has them, and as much beside it.
const leastMemory = 256 * unit.MB

func tooLittle(s *snapshot.Snapshot, left unit.Bytes) error {
	if left >= leastMemory {
		return nil
	}
	return &say.Problem{Message: say.M("the host has no memory for another instance"), Detail: held(s, left),
		Hint: say.M("shrink the others first: 'pgfettle plan' divides the memory of the host among its instances"),
		Code: say.CodeRefused}
}

// held says what the instances of the host may take, those that may take most first.
func held(s *snapshot.Snapshot, left unit.Bytes) say.Message {
	list := say.List{Sep: "; ", Most: 5}
	all := memory.Neighbours(s)
	slices.SortStableFunc(all, func(a, b memory.Neighbour) int { return cmp.Compare(b.Take, a.Take) })
	for _, n := range all {
		if !n.Known {
			list.Items = append(list.Items, say.M("what {instance} may take is unknown", "instance", n.Instance))
			continue
		}
		list.Items = append(list.Items, say.M("{instance} may take {size}", "instance", n.Instance, "size", n.Take))
	}
	if len(list.Items) == 0 {
		return say.M("{left} are left by other programs", "left", max(left, 0))
	}
	return say.M("{left} are left: {list}", "left", max(left, 0), "list", list)
}

// PinHost keeps the rules from counting on what of the host is not changed.
func PinHost(o *rule.Options, s *snapshot.Snapshot, order Order) {
	o.Pins = maps.Clone(o.Pins)
	if o.Pins == nil {
		o.Pins = map[knob.Address]string{}
	}
	for _, name := range []string{"vm.nr_hugepages", "vm.overcommit_memory", "vm.overcommit_kbytes"} {
		if v, ok := s.Host.Sysctls[name].Get(); ok && !order.takes(knob.Sysctl(name)) {
			if _, pinned := o.Pins[knob.Sysctl(name)]; !pinned {
				o.Pins[knob.Sysctl(name)] = v
			}
		}
	}
}

// Chosen are the changes of a plan without those of the host that were not asked for, those of high risk that were not
// accepted, and what rests on them.
func Chosen(p *plan.Plan, s *snapshot.Snapshot, order Order) []plan.Change {
	accepted := order.Accepted
	o := selection.Options{MaxEffect: knob.Reboot}
	for i := range p.Changes {
		if c := &p.Changes[i]; order.Kernel && layerOf(c.Address) != "" && !order.takes(c.Address) ||
			c.Risk == knob.High &&
				!slices.Contains(accepted, c.Address) && !slices.Contains(accepted, AllRisks) {
			o.Skip = append(o.Skip, selection.WhichOf(c))
		}
	}
	chosen, _ := selection.Select(p, s, o)
	return chosen
}

// AllRisks among the accepted accepts every one.
const AllRisks = knob.Address("all")
