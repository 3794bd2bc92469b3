package upgrade

import (
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// NewClusters returns the snapshot in which each instance below a major version is the new cluster of its upgrade: on
// the same host, with the same databases, with the parameters of the new version and what is carried over of the old
// configuration. The given snapshot is not changed.
func NewClusters(s *snapshot.Snapshot, to int) (*snapshot.Snapshot, []Configuration) {
	next := *s
	next.Instances = slices.Clone(s.Instances)
	var list []Configuration
	for i := range next.Instances {
		in := &next.Instances[i]
		v, ok := in.Server.Version.Get()
		set, have := in.Server.Settings.Get()
		if !ok || !have || v.Major() < params.Majors()[0] || v.Major() >= to {
			continue
		}
		set, _ = instanceSettings(in, set, v.Major())
		t := &translation{set: set, from: v.Major(), to: to, out: translate(set, v.Major(), to)}
		t.out.Instance, t.out.Key, t.out.From = in.Label(), in.Key, in.Version()
		roles, ok := in.Server.RoleSettings.Get()
		t.stored(roles)
		if !ok && in.Server.RoleSettings.State() != known.Absent {
			t.out.Unknown = append(t.out.Unknown, in.Server.RoleSettings.Gap())
		}
		if f := in.Server.FileSettings; !f.Known() && f.State() != known.Absent && !in.FromFiles() {
			t.out.Unknown = append(t.out.Unknown, in.Server.FileSettings.Gap())
		}
		list = append(list, t.out)
		in.Server.Settings = known.Is(newSettings(set, t.out))
		in.Server.Version = known.Is(unit.MajorVersion(to))
		// What the old server has measured of itself, and what its program said, is not of the new one.
		in.Server.Shmem, in.Server.FileSettings = known.Fact[[]pg.ShmemPart]{}, known.Fact[[]pg.FileSetting]{}
		in.Start, in.Answers = pg.Start{}, nil
	}
	return &next, list
}

// newSettings are those of a new cluster of the host with the lines of a configuration.
func newSettings(old pg.Settings, c Configuration) pg.Settings {
	set := pg.Settings{}
	for _, p := range params.All(c.To) {
		if params.ComputedAtStart(p.Name) {
			continue
		}
		s := pg.DefaultOf(p)
		was, had := old[p.Name]
		switch {
		case p.Name == "server_version" || p.Name == "server_version_num":
			s.Value = strconv.Itoa(c.To) // a server without a minor release, as the new one is not known
			if p.Name == "server_version_num" {
				s.Value = strconv.Itoa(int(unit.MajorVersion(c.To)))
			}
		case had && (p.Context == "internal" || ofInitdb[p.Name]):
			s.Value, s.Source = was.Value, was.Source // of the build, the control file, the host and its locale
		}
		for _, word := range was.Enum { // the packages of both versions are built alike, and the trial asks the new one
			if r := p.Accepts(c.To, word); r != nil && r.Fault == params.BuildDecides {
				s.Enum = append(s.Enum, word)
			}
		}
		set[p.Name] = s
	}
	for _, p := range c.Parameters {
		if p.Fate == Dropped || p.Fate == AsDefault {
			continue
		}
		s, ok := set[p.NewName]
		if !ok { // of a module
			s = old[p.Name]
		}
		s.Value, s.Source = p.base, "configuration file"
		set[p.NewName] = s
	}
	return set
}
