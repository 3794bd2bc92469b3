// Package creating plans an instance that is not there yet: package judge/creation decides, and what it needs to know
// of the host is asked here.
package creating

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"maps"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/act/provision"
	"github.com/pgfettle/pgfettle/internal/act/serverprogram"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pgpass"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
)

// Request is what a person asks for.
type Request struct {
	Order  creation.Order
	Plan   app.PlanAsk
	Policy app.PlanOptions // of Plan and the policy
	Like   string          // TARGET whose instance's settings are taken over; "": none
	Pgpass bool            // a line in the password file of who runs this
	// StandbyOf is the connection string of the primary that the instance is to follow; "": it follows none
	StandbyOf string
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
	r.Order.Profile = r.Policy.Profile()
	at := provision.Site(ctx, h.Target, s, r.Order, r.StandbyOf != "")
	if r.StandbyOf != "" {
		owner, err := creation.OwnerOf(r.Order, at)
		if err != nil {
			return out, err
		}
		if r.Order.Primary, err = provision.Primary(ctx, h.Target, r.StandbyOf, owner); err != nil {
			return out, err
		}
	}
	l, err := creation.Lay(r.Order, at)
	if err != nil {
		return out, err
	}
	if r.Pgpass {
		e := pgpass.Entry{Host: "localhost", Port: strconv.Itoa(l.Port), Database: "*", User: l.Owner.Name}
		if l.Order.Pgpass, err = provision.Pgpass(h.Target, e); err != nil {
			return out, err
		}
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
	if l.ConfigApart() {
		config, err := provision.Folder(h.Target, s, l.Config, l.Owner)
		if err != nil {
			return out, err
		}
		if err := creation.RefuseConfig(l, config); err != nil {
			return out, err
		}
	}
	spaces, err := spaceFolders(h, s, l)
	if err != nil {
		return out, err
	}
	if err := l.RefuseSpaces(data, wal, spaces); err != nil {
		return out, err
	}
	if l.Order.Kernel {
		if err := swap(h, s, &l, at); err != nil {
			return out, err
		}
	}
	out.Snapshot = creation.Beside(s, l, data, wal)
	options := r.Policy.On(out.Snapshot)
	if options.Memory, err = creation.Bound(out.Snapshot, r.Order, options); err != nil {
		return out, err
	}
	creation.PinHost(&options, s, r.Order)
	program, err := serverprogram.NewVersionIn(h.Target, l.Programs.Bin, l.Programs.Version, l.Programs.Unfinished)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	p, err := planner.On(ctx, out.Snapshot, program.Answer, options)
	if err != nil {
		return out, err
	}
	p.Left = plan.Leaves(out.Snapshot, p, checks.All(), check.Options{Today: h.Today()})
	if err := l.Room(data, wal, creation.MaxWAL(p)); err != nil {
		return out, err
	}
	if err := creation.SwapRoom(l.Swap, data, wal, creation.MaxWAL(p), r.Order.Primary); err != nil {
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
	p.Changes = creation.Chosen(p, out.Snapshot, r.Order)
	out.Plan, err = creation.Make(l, token, data, socket, wal, p, all, options.Memory)
	if err != nil {
		return out, err
	}
	values := map[string]string{}
	for _, set := range out.Plan.Settings {
		values[set.Name] = set.Value
	}
	out.Plan.Trial = trial(ctx, program, out.Snapshot.Instance(creation.Key), values)
	if c := out.Plan.Trial.Complaints; len(c) > 0 && l.Twin != nil {
		return out, &say.Problem{Message: say.M("the server would not start with the settings of {instance}",
			"instance", l.Twin.Of), Detail: say.Text(c[0]), Hint: say.M("install what it lacks here, such as the " +
			"package of an " +
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
			"({version})", "version", in.Version()), Hint: say.M("connect as a role that sees all settings, and " +
			"choose its version " +
			"or a later one"), Code: say.CodeRefused}
	}
	return &t, nil
}

// spaceFolders looks at the directories of the tablespaces that come with a copy.
func spaceFolders(h *app.Host, s *snapshot.Snapshot, l creation.Layout) (out []creation.Folder, err error) {
	for _, m := range l.Order.Tablespaces {
		f, err := provision.Folder(h.Target, s, m.New, l.Owner)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// swap decides on the swap file of a layout.
func swap(h *app.Host, s *snapshot.Snapshot, l *creation.Layout, at creation.Site) error {
	file := l.Order.SwapFile
	if file == "" {
		file = creation.DefaultSwap
	}
	place, err := provision.Swap(h.Target, s, file)
	if err == nil {
		l.Swap, l.Note, err = creation.SwapFor(l.Order, s, at, place)
	}
	return err
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
