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
// is the host that the file is for, with one instance; without one (nil) only
// what needs settings alone can be judged, as every other fact is unknown.
//
// A finding belongs to the line that blame names. On a host what the default of a
// setting causes belongs to the file as a whole.
func (j *judge) server(host *snapshot.Snapshot, checks []check.Check) {
	s := onHost(host)
	in := &s.Instances[0]
	in.Server.Version = known.Is(unit.Version(j.major * 10000))
	if len(j.rules) > 0 {
		in.Server.HBA = known.Is(j.rules)
	}
	set := j.settings()
	run := func(list []check.Check, m known.Fact[pg.Settings]) []check.Finding {
		in.Server.Settings = m
		return check.Run(s, list, check.Options{}).Findings
	}
	names := slices.DeleteFunc(slices.Clone(j.order), func(name string) bool {
		_, ok := params.Find(j.major, name)
		return !ok || j.bad[name]
	})
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = j.key(name)
	}
	without := map[string][][]check.Finding{} // what each check says without each line
	found := run(checks, known.Is(set))
	found = append(found, behind(checks, func(ck check.Check) []check.Finding {
		return run([]check.Check{ck}, known.Is(set))
	}, found)...)
	for _, f := range found {
		ck := checks[slices.IndexFunc(checks, func(c check.Check) bool { return c.ID == f.ID })]
		if ck.Scope != check.PerInstance {
			continue // of the host, whatever the file says
		}
		alone := []check.Check{ck}
		if without[f.ID] == nil {
			without[f.ID] = [][]check.Finding{}
			for _, key := range keys {
				old := set[key]
				p, _ := params.Find(j.major, key)
				set[key] = setting(p, boot(p), "default")
				without[f.ID] = append(without[f.ID], run(alone, known.Is(set)))
				set[key] = old
			}
		}
		var place conf.Setting
		if at := blame(f, keys, without[f.ID]); at >= 0 {
			place = j.last[names[at]]
		} else if len(j.rules) > 0 && strings.HasPrefix(f.ID, "hba_") {
			place = conf.Setting{File: j.main, Line: int(j.rules[0].Line)}
		} else if host != nil && !j.named &&
			len(run(alone, known.Missed[pg.Settings](known.Gap{Fact: "settings", Reason: "left out"}))) == 0 {
			place = conf.Setting{File: j.main}
		} else {
			continue // not this file's doing
		}
		if f.ID == "shared_buffers_vs_memory" && j.inHugePages(set) {
			continue
		}
		if len(j.out.Findings) >= most {
			j.out.Left++
			continue
		}
		f.Instance = ""
		j.out.Findings = append(j.out.Findings, Finding{Finding: f, File: j.show(place.File), Line: place.Line,
			Setting: place.Name})
	}
}

// inHugePages reports whether shared_buffers fit in the huge pages that the container may use in addition to its memory
// limit: then they take nothing of that limit, nor of the RAM of the host for other programs.
func (j *judge) inHugePages(set pg.Settings) bool {
	b, ok := set.Bytes("shared_buffers")
	asked, _ := set.Text("huge_pages")
	return ok && j.named && asked != "off" && b < j.huge
}

// behind are the findings that fsync = off and synchronous_commit = off suppress: in a
// file they have their own lines, and remain when those are corrected.
func behind(checks []check.Check, alone func(check.Check) []check.Finding,
	found []check.Finding) (out []check.Finding) {
	for _, ck := range checks {
		hidden := slices.ContainsFunc(ck.DependsOn, func(id string) bool {
			return (id == "fsync_off" || id == "synchronous_commit_off") &&
				slices.ContainsFunc(found, func(f check.Finding) bool { return f.ID == id })
		})
		if hidden && !slices.ContainsFunc(found, func(f check.Finding) bool { return f.ID == ck.ID }) {
			out = append(out, alone(ck)...)
		}
	}
	return out
}

// blame returns the index of the line that a finding belongs to, where without has what is found when each line is
// omitted: one without which it is gone comes before one that only weighs in, and of several the one that its text
// names first; the later one if it names none. -1 if no line causes it.
func blame(f check.Finding, names []string, without [][]check.Finding) int {
	place, best := -1, 0
	seen := f.Seen.String()
	for i, name := range names {
		if slices.ContainsFunc(without[i], func(o check.Finding) bool { return sameFinding(f, o) }) {
			continue
		}
		rank := len(seen)
		if at := strings.Index(seen, name+" "); at >= 0 {
			rank = at
		}
		if slices.ContainsFunc(without[i], func(o check.Finding) bool { return o.ID == f.ID }) {
			rank += len(seen) + 1
		}
		if place < 0 || rank <= best {
			place, best = i, rank
		}
	}
	return place
}

func sameFinding(a, b check.Finding) bool {
	return a.ID == b.ID && a.Severity == b.Severity && a.Seen.Equal(b.Seen)
}

// key spells a setting as pg_settings does: DateStyle.
func (j *judge) key(name string) string {
	if p, ok := params.Find(j.major, name); ok {
		return p.Name
	}
	return name
}

// onHost returns a snapshot to put one instance's facts into: of the machine, or one
// of which nothing is known.
func onHost(host *snapshot.Snapshot) *snapshot.Snapshot {
	if host == nil {
		return &snapshot.Snapshot{Instances: []snapshot.Instance{{Key: "1"}}}
	}
	s := *host
	s.Instances = slices.Clone(host.Instances)
	return &s
}

// settings are what a server has that starts with the file: the line that counts if the server accepts it, the default
// for everything else.
func (j *judge) settings() pg.Settings {
	set := fresh(j.major)
	if j.fragment { // what it does not set, another part may: where the server listens decides who can reach it
		delete(set, "listen_addresses")
		delete(set, "ssl")
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

// fresh are the settings that initdb leaves a server with.
func fresh(major int) pg.Settings {
	set := pg.Settings{}
	for _, p := range params.All(major) {
		if p.Context != "internal" {
			set[p.Name] = setting(p, boot(p), "default")
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
		// what the server shows for words that it takes for on and off
		if on, ok := params.ParseBool(value); ok && !slices.Contains(p.Enum, value) {
			if word := map[bool]string{true: "on", false: "off"}[on]; slices.Contains(p.Enum, word) {
				value = word
			}
		}
	}
	return pg.Setting{Name: p.Name, Value: value, Unit: p.Unit, Type: p.Type, Context: p.Context, Source: source,
		Min: p.Min, Max: p.Max, Enum: p.Enum, Boot: p.Boot}
}
