package applying

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/tablespace"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	looks "github.com/pgfettle/pgfettle/internal/act/tablespaces"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
)

// TablespaceRequest is what the use cases of tablespaces share.
type TablespaceRequest struct {
	Place  *Place
	Target string
	DryRun bool // show alone
	Wait   bool
	// Consent asks for what was shown; an error ends it.
	Consent func(context.Context) error
}

// Tablespaces reports the tablespaces of an instance. Of an evidence file, what they hold is unknown.
func Tablespaces(ctx context.Context, r TablespaceRequest) (*tablespaces.Report, error) {
	l, err := r.Place.Host.Open(ctx, app.Request{Target: r.Target})
	if err != nil {
		return nil, err
	}
	in, err := oneInstance(l.Snapshot)
	if err != nil {
		return nil, err
	}
	o := r.Place.Host.ByPolicy(l.PolicyOfDiagnosis())
	input := tablespaces.Input{Checks: checks.All(), Rules: rules.All(), Options: rules.OptionsOn(o, l.Snapshot)}
	if l.Collected == nil {
		input.Holding = tablespaces.Unasked(say.M("an evidence file does not have them"),
			say.M("run the command on the host itself"))
		return tablespaces.Look(l.Snapshot, in, input)
	}
	server := &pgctl.Server{Target: r.Place.Host.Target}
	reach(server, l)
	defer server.Close()
	look := looker(server)
	if input.Holding, err = look.Holding(ctx, in); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		input.Holding = tablespaces.Unasked(say.OfError(err), say.Message{})
	}
	if l.Snapshot.HostSeen {
		input.Rooms = look.Rooms(l.Snapshot, in)
	}
	return tablespaces.Look(l.Snapshot, in, input)
}

// CreateTablespaceRequest says which tablespace is created where.
type CreateTablespaceRequest struct {
	TablespaceRequest
	tablespaces.Wanted
	Dir     string
	Restart Restart
	Show    func(*tablespaces.Creation) error // shows what will be done
}

// CreateTablespace creates a tablespace. The journal is there with an error too, as far as it got; nil if nothing was
// begun.
func CreateTablespace(ctx context.Context, r CreateTablespaceRequest) (*journal.Journal, error) {
	l, in, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	w, server, err := r.Place.world(l, r.Restart)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	look := looker(server)
	site, err := look.Site(in, r.Dir)
	if err != nil {
		return nil, err
	}
	v, err := look.Instance(ctx, in, r.Owner)
	if err != nil {
		return nil, err
	}
	c, err := tablespaces.Create(r.Wanted, site, v)
	if err != nil {
		return nil, err
	}
	o := r.Place.Host.ByPolicy(l.PolicyOfDiagnosis())
	if err := c.Choose(l.Snapshot, in.Key, rules.All(), rules.OptionsOn(o, l.Snapshot)); err != nil {
		return nil, err
	}
	if err := r.Show(c); err != nil || r.DryRun {
		return nil, err
	}
	if err := r.Consent(ctx); err != nil {
		return nil, err
	}
	if !r.Temp {
		w.Verify = nil // no setting is changed
	}
	w.Kinds["tablespace"].(*tablespace.Kind).New = c.Name
	return r.carry(ctx, w, l.Snapshot, in, spaceChanges(c))
}

// spaceChanges are the changes that create a tablespace, in their order.
func spaceChanges(c *tablespaces.Creation) []plan.Change {
	at := func(attribute, from, to string) plan.Change {
		return plan.Change{Address: knob.Tablespace(c.Name, attribute), From: from, FromBase: from, To: to, ToBase: to}
	}
	list := []plan.Change{at(knob.Location, knob.Unset, c.Site.To)}
	if c.Owner != "" && c.Owner != c.Server.Role {
		list = append(list, at(knob.Owner, c.Server.Role, c.Owner))
	}
	for _, o := range c.Costs {
		if o.Changes() {
			list = append(list, at(o.Option, o.Now, o.Want))
		}
	}
	if c.TempTo != "" {
		temp := plan.Change{Address: knob.PG("temp_tablespaces"), From: c.Server.Temp, FromBase: c.Server.Temp,
			To: c.TempTo, ToBase: c.TempTo, Effect: knob.Reload}
		list = append(list, temp)
	}
	return list
}

// MoveIntoRequest says what is moved into which tablespace.
type MoveIntoRequest struct {
	TablespaceRequest
	tablespaces.MoveWanted
	Show func(*tablespaces.Move) error
}

// MoveInto moves tables and indexes into a tablespace, one at a time.
func MoveInto(ctx context.Context, r MoveIntoRequest) (*journal.Journal, error) {
	l, in, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	w, server, err := r.Place.world(l, Restart{})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	w.Verify = nil // no setting is changed
	found, err := looker(server).Moving(ctx, in, r.MoveWanted)
	if err != nil {
		return nil, err
	}
	found.Speed = speed(l.Snapshot, in)
	m, err := tablespaces.Moving(r.MoveWanted, found)
	if err != nil {
		return nil, err
	}
	if err := r.Show(m); err != nil || r.DryRun || len(m.Objects) == 0 {
		return nil, err
	}
	if err := r.Consent(ctx); err != nil {
		return nil, err
	}
	var list []plan.Change
	for i := range m.Objects {
		o := &m.Objects[i]
		list = append(list, plan.Change{Address: m.Address(o), From: o.Space, FromBase: o.Space, To: m.To,
			ToBase: m.To})
	}
	return r.carry(ctx, w, l.Snapshot, in, list)
}

// speed is what the slowest of the instance's devices was measured to read in order; 0 where one of them was not.
func speed(s *snapshot.Snapshot, in *snapshot.Instance) (slowest unit.Bytes) {
	probe, ok := s.Measured.Get()
	places, ok2 := in.Places.Get()
	if !ok || !ok2 {
		return 0
	}
	for _, p := range places {
		d, ok := probe.On(p.Device)
		if !ok || d.Reads == nil || d.Reads.Sequential <= 0 {
			return 0
		}
		if b := d.Reads.Sequential; slowest == 0 || b < slowest {
			slowest = b
		}
	}
	return slowest
}

// open looks at the instance that is meant, which has to be one of this host.
func (r *TablespaceRequest) open(ctx context.Context) (*app.Session, *snapshot.Instance, error) {
	l, err := r.Place.Host.Open(ctx, app.Request{Target: r.Target})
	if err != nil {
		return nil, nil, err
	}
	if l.Collected == nil {
		return nil, nil, say.Usage(say.M("an evidence file cannot be changed"), say.M("Name the data directory of an "+
			"instance on this host."))
	}
	if !l.Snapshot.HostSeen {
		return nil, nil, &say.Problem{Message: say.M("the directories of a remote server cannot be seen"),
			Hint: say.M("Run pgfettle on its host."), Code: say.CodeNoAccess}
	}
	in, err := oneInstance(l.Snapshot)
	return l, in, err
}

// carry carries changes of one instance out.
func (r *TablespaceRequest) carry(ctx context.Context, w *apply.System, s *snapshot.Snapshot, in *snapshot.Instance,
	list []plan.Change) (*journal.Journal, error) {
	for i := range list {
		list[i].Instance, list[i].Key, list[i].Layer = in.Label(), in.Key, knob.Instance
	}
	p := &plan.Plan{Snapshot: snapshot.Hash(s), Changes: list}
	res, err := apply.Run(ctx, w, p, s, selection.Options{MaxEffect: knob.Reload, Wait: r.Wait})
	return res.Journal, err
}

func looker(server *pgctl.Server) *looks.Looker {
	return &looks.Looker{Target: server.Target, Server: server, Folders: foldersOf(server.Target)}
}

// foldersOf is how directories of a user are made and removed on a target.
func foldersOf(t target.Target) func(*target.User) target.Folders {
	if l, ok := t.(*target.Local); ok {
		return l.Folders
	}
	return (&target.Local{}).Folders
}
