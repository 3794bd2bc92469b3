package conffile

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// server judges the values that count with the checks of a running server. host
// is the machine that the file is for, with one instance; without one (nil) only
// what needs settings alone can be judged, as every other fact is unknown.
//
// A finding belongs to the line without which it would not be, or else would be
// another one; of several such lines to the one that its text names first. On a host what the
// default of a setting causes belongs to the file as a whole.
func (j *judge) server(host *snapshot.Snapshot, checks []check.Check) {
	s, in := j.simulated(host)
	set := j.settings()
	run := func(list []check.Check, m known.Fact[pg.Settings]) []check.Finding {
		in.Server.Settings = m
		return check.Run(s, list, check.Options{}).Findings
	}
	seen := func(list []check.Finding) (out []string) {
		for _, f := range list {
			out = append(out, f.Severity.String()+f.Seen)
		}
		return out
	}
	without := map[string]map[string][]string{} // what each check says without each line
	for _, f := range run(checks, known.Is(set)) {
		ck := checks[slices.IndexFunc(checks, func(c check.Check) bool { return c.ID == f.ID })]
		if ck.Scope != check.PerInstance {
			continue // of the host, whatever the file says
		}
		alone := []check.Check{ck}
		if without[f.ID] == nil {
			without[f.ID] = map[string][]string{}
			for _, name := range j.order {
				p, ok := params.Find(j.major, name)
				if old, there := set[j.key(name)]; there && ok {
					set[p.Name] = setting(p, boot(p), "default")
					without[f.ID][name] = seen(run(alone, known.Is(set)))
					set[p.Name] = old
				}
			}
		}
		var place *conf.Setting
		best := 0
		for _, name := range j.order {
			list, ok := without[f.ID][name]
			if !ok || slices.Contains(list, f.Severity.String()+f.Seen) {
				continue
			}
			rank := len(f.Seen) // where the finding names it
			if n := strings.Index(f.Seen, j.key(name)+" "); n >= 0 {
				rank = n
			}
			if len(list) > 0 {
				rank += len(f.Seen) + 1 // it only weighs in
			}
			if place == nil || rank <= best {
				place, best = new(j.last[name]), rank
			}
		}
		if place == nil && host != nil && len(run(alone, known.Missed[pg.Settings](known.Gap{Fact: "settings", Reason: "left out"}))) == 0 {
			place = &conf.Setting{File: j.main}
		}
		if place == nil {
			continue // not this file's doing
		}
		if len(j.out.Findings) >= most {
			j.out.Left++
			continue
		}
		f.Instance = ""
		j.out.Findings = append(j.out.Findings, Finding{Finding: f, File: j.show(place.File), Line: place.Line, Setting: place.Name})
	}
}

// key spells a setting as pg_settings does: DateStyle.
func (j *judge) key(name string) string {
	if p, ok := params.Find(j.major, name); ok {
		return p.Name
	}
	return name
}

// simulated returns a snapshot with one instance, whose settings the caller sets.
func (j *judge) simulated(host *snapshot.Snapshot) (*snapshot.Snapshot, *snapshot.Instance) {
	s := &snapshot.Snapshot{Instances: []snapshot.Instance{{Key: "1"}}}
	if host != nil {
		t := *host
		t.Instances = slices.Clone(host.Instances)
		s = &t
	}
	in := &s.Instances[0]
	in.Server.Version = known.Is(unit.Version(j.major * 10000))
	return s, in
}

// settings are what a server has that starts with the file: the line that counts
// where the server takes it, the default for everything else.
func (j *judge) settings() pg.Settings {
	set := pg.Settings{}
	for _, p := range params.All(j.major) {
		if p.Context != "internal" {
			set[p.Name] = setting(p, boot(p), "default")
		}
	}
	for name, s := range j.last {
		switch p, ok := params.Find(j.major, name); {
		case ok && !j.bad[name]:
			set[p.Name] = setting(p, setting(p, "", "").InBase(s.Value), "configuration file")
		case !ok && strings.Contains(name, "."):
			set[name] = pg.Setting{Name: name, Value: s.Value, Type: "string", Source: "configuration file"}
		}
	}
	return set
}

// boot is what a fresh cluster has, as far as that does not depend on the machine.
func boot(p params.Param) string {
	if p.Reset != "" {
		return p.Reset
	}
	return p.Boot
}

func setting(p params.Param, value, source string) pg.Setting {
	if p.Type == "enum" {
		value = strings.ToLower(value)
	}
	return pg.Setting{Name: p.Name, Value: value, Unit: p.Unit, Type: p.Type, Context: p.Context, Source: source, Min: p.Min, Max: p.Max, Enum: p.Enum, Boot: p.Boot}
}
