// Package upgrade judges what an upgrade of an instance to a later major version meets: what stops pg_upgrade or the
// new server, what changes its meaning, what becomes the default, and how it is done. The measure of what stops is
// pg_upgrade's own list of checks (src/bin/pg_upgrade/check.c), as far as it applies to 13 and later.
//
// It is pure: a snapshot or the lines of a configuration in, a Report out. What is not known is named, and pg_upgrade
// --check is the last word.
package upgrade

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// Report is what an upgrade of one instance, or of one configuration, meets.
type Report struct {
	Instance string `json:"instance,omitempty"` // data directory or port; "" for a file
	From     string `json:"from"`               // version, or major version of a file
	Major    int    `json:"-"`                  // of From
	To       int    `json:"to"`
	// Candidate is the release candidate that the facts of this version were read from; "" for a release
	Candidate  string      `json:"candidate,omitempty"`
	Stops      []Item      `json:"stops"`                // pg_upgrade refuses, or the new server does not start
	Changes    []Item      `json:"changes"`              // kept, with another meaning, or not kept
	Removable  []Line      `json:"removable"`            // lines with the default of the new version
	Defaults   []Default   `json:"defaults"`             // that differ, of settings that are not set
	Collations []Item      `json:"collations,omitempty"` //
	Steps      []Item      `json:"steps"`                // how, in their order
	Unknown    []known.Gap `json:"unknown"`
	// NotExamined is what this report does not look at
	NotExamined []say.Message `json:"not_examined,omitempty"`
}

// Item is one obstacle, change or step.
type Item struct {
	ID       string          `json:"id"`
	Seen     say.Message     `json:"seen,omitzero"`
	Do       say.Message     `json:"do,omitzero"`
	Commands []check.Command `json:"commands,omitempty"`
}

// Line is a line of a configuration.
type Line struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Place string `json:"place,omitempty"` // FILE:LINE
}

// Default is a default that the new version has otherwise.
type Default struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Blocked reports whether something stops the upgrade.
func (r Report) Blocked() bool { return len(r.Stops) > 0 }

// In returns the report in the language of a catalog.
func (r Report) In(c *say.Catalogue) Report {
	if c == nil {
		return r
	}
	for _, list := range []*[]Item{&r.Stops, &r.Changes, &r.Collations, &r.Steps} {
		*list = slices.Clone(*list)
		for i, it := range *list {
			(*list)[i].Seen, (*list)[i].Do = it.Seen.Translated(c), it.Do.Translated(c)
		}
	}
	r.Unknown, r.NotExamined = gapwords.Gaps(c, r.Unknown), say.AllIn(r.NotExamined, c)
	return r
}

// Targets are the major versions that an upgrade from one can lead to.
func Targets(from int) (out []int) {
	for _, m := range params.Covered() {
		if m > from {
			out = append(out, m)
		}
	}
	return out
}

// judge is one run.
type judge struct {
	s        *snapshot.Snapshot
	in       *snapshot.Instance // nil for a file
	from, to int
	out      Report
}

func newJudge(from, to int) *judge {
	return &judge{from: from, to: to, out: Report{Major: from, To: to, Candidate: params.Candidate(to), Stops: []Item{},
		Changes: []Item{}, Removable: []Line{}, Defaults: []Default{}, Steps: []Item{}, Unknown: []known.Gap{}}}
}

// Judge judges an instance whose version is known and below the new one.
func Judge(s *snapshot.Snapshot, in *snapshot.Instance, to int) Report {
	v, _ := in.Server.Version.Get()
	j := newJudge(v.Major(), to)
	j.s, j.in = s, in
	j.out.Instance, j.out.From = in.Label(), in.Version()
	if set, ok := need(j, in.Server.Settings); ok {
		set, complete := instanceSettings(in, set, j.from)
		if j.settings(set); !complete {
			j.unknown(in.Server.FileSettings.Gap())
		}
	}
	j.roleSettings()
	j.hba()
	j.cluster()
	j.databases()
	j.installed()
	j.onec()
	j.collations()
	j.steps()
	j.notExamined()
	return j.out
}

// File judges the settings of a configuration for an upgrade from one major version to another.
func File(set pg.Settings, from, to int) Report {
	j := newJudge(from, to)
	j.out.From = say.Spell(from)
	j.settings(set)
	j.out.NotExamined = append(j.out.NotExamined, say.M("Only the configuration was examined: not the databases, "+
		"extensions, roles, pg_hba.conf, replication and disks. Run pgfettle check --upgrade-to {major} on the "+
		"server.", "major", to))
	return j.out
}

// need returns a fact that the judgement needs, and notes one that is missing. All of them exist in each version: one
// that is absent was not asked for, as in an evidence of an earlier program.
func need[T any](j *judge, f known.Fact[T]) (v T, ok bool) {
	v, ok = f.Get()
	if !ok {
		j.unknown(f.Gap())
	}
	return v, ok
}

func (j *judge) unknown(g known.Gap) {
	if !slices.Contains(j.out.Unknown, g) {
		j.out.Unknown = append(j.out.Unknown, g)
	}
}

func (j *judge) stop(id string, seen, do say.Message, commands ...check.Command) {
	j.out.Stops = append(j.out.Stops, Item{id, seen, do, commands})
}

func (j *judge) change(id string, seen, do say.Message, commands ...check.Command) {
	j.out.Changes = append(j.out.Changes, Item{id, seen, do, commands})
}

// crosses reports whether the upgrade leads over the step from the version before to a major one.
func (j *judge) crosses(major int) bool { return j.from < major && j.to >= major }
