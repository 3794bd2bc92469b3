package applying

import (
	"context"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/pgctl/distribution"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// Clusters lists the instances of this host: those that run, those that should, and those that a registry has.
func Clusters(ctx context.Context, p *Place) ([]creation.Cluster, error) {
	l, err := p.Host.Open(ctx, app.Request{})
	if err != nil {
		return nil, err
	}
	made, err := p.made()
	if err != nil {
		return nil, err
	}
	out := []creation.Cluster{}
	seen := map[string]bool{}
	names := map[string]distribution.Configured{}
	configured := distribution.Clusters(p.Host.Target)
	for _, c := range configured {
		names[c.Data] = c
	}
	services := map[string]string{}
	served := distribution.ServedClusters(p.Host.Target)
	for _, c := range served {
		services[c.Data] = c.Unit
	}
	// Strangers are servers on whose behalf nothing is done: they run all the same. Any cluster may be one whose
	// directory is unknown.
	running, hidden := map[string]bool{}, false
	for _, x := range l.Snapshot.Strangers {
		if x.DataDirectory == nil {
			hidden = true
			continue
		}
		running[*x.DataDirectory] = true
	}
	add := func(c creation.Cluster) {
		if seen[c.Data] && c.Data != "" {
			return
		}
		seen[c.Data] = true
		if m, ok := made[c.Data]; ok {
			c.Journal = m.id
			if c.Name == c.Data {
				c.Name = strconv.Itoa(m.spec.Major) + "/" + m.spec.Name
			}
			if c.Port == 0 {
				c.Port, c.Version = m.spec.Port, strconv.Itoa(m.spec.Major)
			}
			if c.Owner == "" {
				c.Owner = m.spec.Owner.Name
			}
		}
		if c.Service == "" {
			c.Service = services[c.Data]
		}
		switch {
		case running[c.Data]:
			c.State = creation.Runs
		case hidden && c.State == creation.Stopped && made[c.Data].id == "":
			c.State = ""
		}
		if in, err := p.Host.Target.Stat(c.Data); err == nil && c.Owner == "" {
			c.Owner = trust.Of(in.UID, in.GID).Name
		}
		out = append(out, c)
	}
	for _, list := range [][]snapshot.Instance{l.Snapshot.Instances, l.Snapshot.Neighbours} {
		for i := range list {
			c := clusterOf(&list[i])
			if d, ok := names[c.Data]; ok {
				c.Name, c.Service = d.Version+"/"+d.Name, d.Unit()
			}
			add(c)
		}
	}
	for _, c := range configured {
		add(creation.Cluster{Name: c.Version + "/" + c.Name, Version: c.Version, Port: c.Port, State: creation.Stopped,
			Data: c.Data, Service: c.Unit()})
	}
	for data, m := range made {
		// one whose server runs for an account that root does not trust is not among those that were found
		up := p.creation(&apply.System{Target: p.Host.Target}).Runs(m.spec)
		add(creation.Cluster{Name: data, State: states[up], Data: data, Owner: m.spec.Owner.Name,
			Version: strconv.Itoa(m.spec.Major), Port: m.spec.Port})
	}
	for _, c := range served {
		add(creation.Cluster{Name: c.Data, Version: c.Version, Port: c.Port, State: creation.Stopped, Data: c.Data})
	}
	return out, nil
}

// states are what a list shows of a server that runs, or does not.
var states = map[bool]creation.State{true: creation.Runs, false: creation.Stopped}

func clusterOf(in *snapshot.Instance) creation.Cluster {
	c := creation.Cluster{Name: in.Label(), Version: in.Version()}
	c.Data, _ = in.DataDirectory.Get()
	c.Port, _ = in.Port.Get()
	if up, ok := in.Running.Get(); ok {
		c.State = states[up]
	}
	if u, ok := in.Unit.Get(); ok {
		c.Service = u.Name
	}
	return c
}

// madeBy is a cluster that stands, and the journal of the create that made it.
type madeBy struct {
	id   string
	spec newcluster.Spec
}

// made are the clusters that were created here and not taken back, by data directory.
func (p *Place) made() (map[string]madeBy, error) {
	t, dir, err := p.open()
	if err != nil {
		return nil, err
	}
	list, err := journalfile.List(t, dir)
	if err := closed(err, dir); err != nil && len(list) == 0 {
		return nil, err
	}
	out := map[string]madeBy{}
	for _, j := range list {
		if !j.Run.Of(p.Host.Hostname(), p.Root) {
			continue
		}
		for i := range j.Changes {
			c := &j.Changes[i]
			if c.Address.Prefix() != knob.ClusterPrefix || !c.Begun() {
				continue
			}
			if s, err := newcluster.Parse(c.After); err == nil {
				out[s.Data] = madeBy{j.ID, s}
			}
		}
	}
	return out, nil
}

// Created are the instances that Drop may remove, as VERSION/NAME.
func Created(p *Place) ([]string, error) {
	made, err := p.made()
	out := []string{}
	for _, m := range made {
		out = append(out, strconv.Itoa(m.spec.Major)+"/"+m.spec.Name)
	}
	slices.Sort(out)
	return out, err
}

// Drop removes an instance that Create has made, while nobody has used it.
func Drop(ctx context.Context, p *Place, major int, name string, wait bool) (*journal.Journal, error) {
	made, err := p.made()
	if err != nil {
		return nil, err
	}
	var found []madeBy
	for _, m := range made {
		if m.spec.Name == name && (major == 0 || m.spec.Major == major) {
			found = append(found, m)
		}
	}
	switch {
	case len(found) == 0:
		return nil, &say.Problem{Message: say.M("no instance {name} was created by pgfettle here", "name",
			say.Quoted(name)), Detail: say.M("nothing was changed"), Code: say.CodeRefused,
			Hint: say.M("remove it with the tool that made it, such as pg_dropcluster; 'pgfettle create --list' " +
				"shows " +
				"what is there")}
	case len(found) > 1:
		return nil, say.Usage(say.M("{n} instances are called {name}", "n", len(found), "name", say.Quoted(name)),
			say.M("Name the version too: VERSION/NAME."))
	}
	w, l, id, err := p.worldOf(ctx, Restart{}, found[0].id, "", func(*journal.Journal) bool { return true })
	if err != nil {
		return nil, err
	}
	if err := p.keepUsed(ctx, w, id); err != nil {
		return nil, err
	}
	res, err := apply.Undo(ctx, w, l.Snapshot, id, apply.UndoOptions{MaxEffect: knob.Restart, Wait: wait})
	return res.Journal, err
}

// keepUsed refuses to take back a creation whose cluster somebody has used: before its server is stopped, or anything
// else of it is gone.
func (p *Place) keepUsed(ctx context.Context, w *apply.System, id string) error {
	if id == "" {
		return nil
	}
	j, err := p.Journal(id)
	if err != nil {
		return err
	}
	for i := range j.Changes {
		c := &j.Changes[i]
		if c.Address.Prefix() != knob.ClusterPrefix || !c.Begun() {
			continue
		}
		s, err := newcluster.Parse(c.After)
		if err != nil {
			continue // the undo says so
		}
		if err := p.creation(w).Unused(ctx, s); err != nil {
			return &say.Problem{Message: say.M("the instance in {path} is not removed", "path", s.Data),
				Detail: say.OfError(err), Hint: say.M("what is in it is yours: back it up, then remove it manually"),
				Code: say.CodeRefused}
		}
	}
	return nil
}
