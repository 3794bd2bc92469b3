// Package creating plans an instance that is not there yet: package judge/creation decides, and what it needs to know
// of
// the host is asked here.
package creating

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"maps"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/act/provision"
	"github.com/pgfettle/pgfettle/internal/act/serverprogram"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
)

// Request is what a person asks for.
type Request struct {
	Order  creation.Order
	Plan   app.PlanAsk
	Policy app.PlanOptions // of Plan and the policy
	Like   string          // TARGET whose instance's settings are taken over; "": none
}

// Planned is an instance that may be made.
type Planned struct {
	Plan     *creation.Plan
	Session  *app.Session
	Snapshot *snapshot.Snapshot // with the new instance
}

// Plan plans an instance, and refuses what cannot be made. Nothing is written.
func Plan(ctx context.Context, h *app.Host, r Request) (out Planned, err error) {
	if out.Session, err = h.Open(ctx, app.Request{}); err != nil {
		return out, err
	}
	s := out.Session.Snapshot
	at := provision.Site(ctx, h.Target, s, r.Order)
	l, err := creation.Lay(r.Order, at)
	if err != nil {
		return out, err
	}
	if r.Like != "" {
		if l.Twin, err = twin(ctx, h, r.Like, l.Major); err != nil {
			return out, err
		}
	}
	data, wal, err := folders(h, s, &l)
	if err != nil {
		return out, err
	}
	socket, err := provision.Folder(h.Target, s, l.Socket, l.Owner)
	if err != nil {
		return out, err
	}
	if err := creation.Refuse(l, data, socket, wal); err != nil {
		return out, err
	}
	out.Snapshot = creation.Beside(s, l, data, wal)
	options := r.Policy.On(out.Snapshot)
	if options.Memory, err = bound(out.Snapshot, r.Order, options); err != nil {
		return out, err
	}
	if !r.Order.Kernel {
		pinHost(&options, s)
	}
	program, err := serverprogram.NewVersionIn(ctx, h.Target, l.Programs.Bin)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	p, err := planner.On(ctx, out.Snapshot, program.Answer, options)
	if err != nil {
		return out, err
	}
	p.Left = plan.Leaves(out.Snapshot, p, checks.All(), check.Options{Today: h.Today()})
	if err := creation.Room(data, wal, creation.MaxWAL(p)); err != nil {
		return out, err
	}
	var all *plan.Plan
	if len(s.Instances) > 0 {
		among := options
		among.Memory = 0
		if all, err = planner.On(ctx, creation.Among(s, l, data, wal), nil, among); err != nil {
			return out, err
		}
	}
	token, err := newToken()
	if err != nil {
		return out, err
	}
	p.Changes = withoutRisks(p, out.Snapshot, r.Order.Accepted)
	out.Plan = creation.Make(l, token, data, socket, wal, p, all, options.Memory)
	values := map[string]string{}
	for _, set := range out.Plan.Settings {
		values[set.Name] = set.Value
	}
	out.Plan.Trial = trial(ctx, program, out.Snapshot.Instance(creation.Key), values)
	if c := out.Plan.Trial.Complaints; len(c) > 0 && l.Twin != nil {
		return out, &say.Problem{Message: say.M("the server would not start with the settings of {instance}",
			"instance",
			l.Twin.Of), Detail: say.Text(c[0]), Hint: say.M("install what it lacks here, such as the package of an " +
			"extension, or take it out there"), Code: say.CodeRefused}
	} else if len(c) > 0 {
		return out, &say.Problem{Message: say.M("the server would not start with this configuration"),
			Detail: say.Text(c[0]), Hint: say.M("this is a fault of pgfettle: report it with the output of 'pgfettle " +
				"create --plan-only --format json'"), Code: say.CodeError}
	}
	return out, ctx.Err()
}

// twin reads the instance whose settings are taken over.
func twin(ctx context.Context, h *app.Host, target string, major int) (*upgrade.Twin, error) {
	l, err := h.Open(ctx, app.Request{Target: target})
	if err != nil {
		return nil, err
	}
	if n := len(l.Snapshot.Instances); n != 1 {
		return nil, say.Usage(say.M("--like: {target} has {n} instances", "target", say.Quoted(target), "n", n),
			say.M("Name the data directory of one, a conninfo, or the evidence of one (pgfettle snapshot DATADIR)."))
	}
	in := &l.Snapshot.Instances[0]
	t, ok := upgrade.TwinOf(in, major)
	if !ok {
		return nil, &say.Problem{Message: say.M("the settings of {instance} cannot be taken over by PostgreSQL {major}",
			"instance", in.Label(), "major", major), Detail: say.M("they are unknown, or of a later version "+
			"({version})",
			"version", in.Version()), Hint: say.M("connect as a role that sees all settings, and choose its version " +
			"or a " +
			"later one"), Code: say.CodeRefused}
	}
	return &t, nil
}

// folders looks at the directories of an instance. From then on the layout has them with every link followed.
func folders(h *app.Host, s *snapshot.Snapshot, l *creation.Layout) (data creation.Folder, wal *creation.Folder,
	err error) {
	if data, err = provision.Folder(h.Target, s, l.Data, l.Owner); err != nil || l.WAL == "" {
		l.Follow(data, nil)
		return data, nil, err
	}
	w, err := provision.Folder(h.Target, s, l.WAL, l.Owner)
	l.Follow(data, &w)
	return data, &w, err
}

// bound is the memory that the new instance may have: what was asked for, or an equal part beside the others. An error
// is one that the others do not leave.
func bound(s *snapshot.Snapshot, o creation.Order, opt rule.Options) (unit.Bytes, error) {
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

// held says what the instances of the host may take.
func held(s *snapshot.Snapshot, left unit.Bytes) say.Message {
	list := say.List{Sep: "; ", Most: 5}
	for _, n := range memory.Neighbours(s) {
		list.Items = append(list.Items, say.M("{instance} may take {size}", "instance", n.Instance, "size", n.Take))
	}
	if len(list.Items) == 0 {
		return say.M("{left} are left beside other programs", "left", max(left, 0))
	}
	return say.M("{left} are left: {list}", "left", max(left, 0), "list", list)
}

// pinHost keeps the rules from counting on what of the host is not changed.
func pinHost(o *rule.Options, s *snapshot.Snapshot) {
	o.Pins = maps.Clone(o.Pins)
	if o.Pins == nil {
		o.Pins = map[knob.Address]string{}
	}
	for _, name := range []string{"vm.nr_hugepages", "vm.overcommit_memory",
		"vm.overcommit_kbytes"} {
		if v, ok := s.Host.Sysctls[name].Get(); ok {
			if _, pinned := o.Pins[knob.Sysctl(name)]; !pinned {
				o.Pins[knob.Sysctl(name)] = v
			}
		}
	}
}

// withoutRisks are the changes of a plan without those of high risk that were not accepted, and what rests on them.
func withoutRisks(p *plan.Plan, s *snapshot.Snapshot, accepted []knob.Address) []plan.Change {
	o := selection.Options{MaxEffect: knob.Reboot}
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Risk == knob.High && !slices.Contains(accepted, c.Address) &&
			!slices.Contains(accepted, AllRisks) {
			o.Skip = append(o.Skip, selection.WhichOf(c))
		}
	}
	chosen, _ := selection.Select(p, s, o)
	return chosen
}

// AllRisks among the accepted accepts every one.
const AllRisks = knob.Address("all")

func newToken() (string, error) {
	b := make([]byte, 8)
	_, err := rand.Read(b)
	return hex.EncodeToString(b), err
}

// trial lets the program read the configuration.
func trial(ctx context.Context, program *serverprogram.NewVersion, in *snapshot.Instance,
	values map[string]string) creation.Trial {
	tried, err := program.Try(ctx, in, maps.Clone(values))
	if err != nil {
		return creation.Trial{Reason: say.M("It failed: {error}", "error", err)}
	}
	return creation.Trial{By: program.Binaries.String(), Complaints: tried.Complaints}
}

// Verifier is what a server keeps of a password.
func Verifier(password string) (string, error) { return provision.Verifier(password) }
