package app

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
)

// UpgradeTarget says whether an upgrade can lead to a major version.
func UpgradeTarget(to int) error {
	if params.Covers(to) && to > params.Majors()[0] {
		return nil
	}
	return say.Usage(say.M("invalid value for --upgrade-to: {major}", "major", fmt.Sprint(to)),
		say.M("Use one of: {knownMajors}.", "knownMajors", majorsOf(upgrade.Targets(params.Majors()[0]))))
}

func majorsOf(list []int) string {
	var out []string
	for _, m := range list {
		out = append(out, strconv.Itoa(m))
	}
	return strings.Join(out, ", ")
}

// Upgrade judges an upgrade of each instance that has a version below the new one. An error is that there is none.
func (s *Session) Upgrade(to int) (out []upgrade.Report, err error) {
	list, err := s.upgradable(to)
	for _, in := range list {
		out = append(out, upgrade.Judge(s.Snapshot, in, to))
	}
	return out, err
}

// upgradable are the instances with a version below a major one. An error is that there is none.
func (s *Session) upgradable(to int) (out []*snapshot.Instance, err error) {
	newest := 0
	for i := range s.Snapshot.Instances {
		in := &s.Snapshot.Instances[i]
		v, ok := in.Server.Version.Get()
		if !ok || v.Major() < params.Majors()[0] {
			continue
		}
		if newest = max(newest, v.Major()); v.Major() < to {
			out = append(out, in)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case newest > 0:
		return nil, notLater(to, newest)
	}
	return nil, say.Usage(say.M("--upgrade-to: no instance was found whose version is known"),
		say.M("Start the server, or name its data directory or an evidence file."))
}

// notLater is an upgrade to what is there already.
func notLater(to, from int) error {
	hint := say.M("No later version is known.")
	if later := upgrade.Targets(from); len(later) > 0 {
		hint = say.M("Use a later major version: {knownMajors}.", "knownMajors", majorsOf(later))
	}
	return say.Usage(say.M("invalid value for --upgrade-to: {major}: the version is already {from}", "major",
		fmt.Sprint(to), "from", fmt.Sprint(from)), hint)
}

// UpgradeOfFile judges an upgrade of the configuration that was checked.
func UpgradeOfFile(r conffile.Report, to int) (upgrade.Report, error) {
	switch {
	case r.Major == 0:
		return upgrade.Report{}, say.Usage(say.M("--upgrade-to needs a file with server settings"),
			say.M("Name a postgresql.conf, or a text that contains server settings."))
	case to <= r.Major:
		return upgrade.Report{}, notLater(to, r.Major)
	}
	set := pg.Settings{}
	for _, p := range params.All(r.Major) {
		set[p.Name] = pg.Setting{Name: p.Name, Value: p.Boot, Unit: p.Unit, Type: p.Type, Context: p.Context,
			Source: "default", Boot: p.Boot}
	}
	for _, l := range r.Read {
		p, ok := params.Find(r.Major, l.Name)
		if !ok || !l.Counts || l.Template {
			continue
		}
		s := pg.Setting{Name: p.Name, Unit: p.Unit, Type: p.Type, Context: p.Context, Source: "configuration file",
			Boot: p.Boot, File: l.File, Line: int64(l.Line)}
		s.Value = s.InBase(l.Value)
		set[p.Name] = s
	}
	return upgrade.File(set, r.Major, to), nil
}
