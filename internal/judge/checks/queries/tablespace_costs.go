package queries

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// TablespaceCosts compares disks only on physical hosts: the rotational flag of a
// virtual disk is meaningless.
var TablespaceCosts = check.Check{
	ID:       "tablespace_costs",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Planner costs do not match the tablespace",
	Why: "random_page_cost and seq_page_cost apply to all disks unless a tablespace has its own values. If one " +
		"tablespace is on flash and another on rotating disks, plans for one of them are wrong: the planner " +
		"avoids index scans on the fast one or uses them on the slow one. On no device is a random page " +
		"cheaper than a sequential one.",
	Do: "For flash, run ALTER TABLESPACE TABLESPACE_NAME SET (random_page_cost = 1.1);\nFor rotating disks, use " +
		"4 instead of 1.1. Keep seq_page_cost = 1. New plans use the values immediately.",
	Sources: []string{"pg-tablespaces", "pg-config-query", "dalibo-j1"},
	Judge: func(c *check.Case) {
		set, ok1 := check.Need(c, c.Instance.Server.Settings)
		spaces, ok2 := check.Need(c, c.Instance.Server.Tablespaces)
		if !ok1 || !ok2 || len(spaces) == 0 {
			return
		}
		random, ok1 := set.Float("random_page_cost")
		seq, ok2 := set.Float("seq_page_cost")
		if !ok1 || !ok2 {
			return
		}
		places, _ := c.Instance.Places.Get()
		blocks, _ := c.Snapshot.Host.Blocks.Get()
		rotates := func(role snapshot.PlaceRole, oid string) known.Fact[bool] {
			for _, p := range places {
				if p.Role == role && p.Tablespace == oid && volumes.Physical(c) {
					return rotating(blocks, p.Device)
				}
			}
			return known.None[bool](known.Gap{})
		}
		main, mainKnown := rotates(snapshot.DataPlace, "").Get()
		for _, t := range spaces {
			r, own := option(t.Options, "random_page_cost", random)
			s, _ := option(t.Options, "seq_page_cost", seq)
			if r < s && len(t.Options) > 0 {
				c.FoundAs(check.Warning,
					"Tablespace {name}: random_page_cost = {random} is below seq_page_cost = {seq}.", "name", t.Name,
					"random", r, "seq", s)
				continue
			}
			slow, ok := rotates(snapshot.TablespacePlace, strconv.FormatInt(t.OID, 10)).Get()
			if own || !ok || !mainKnown || slow == main {
				continue
			}
			kind := map[bool]say.Message{true: say.M("rotating disks"), false: say.M("flash")}
			c.Found(
				"Tablespace {name}: {its}; data directory: {main}. random_page_cost = {random} applies to both.",
				"name", t.Name, "its", kind[slow], "main", kind[main], "random", r)
		}
	},
}

// option returns a number among the options of a tablespace, else the value
// that holds without it.
func option(options []string, name string, without float64) (v float64, own bool) {
	for _, o := range options {
		if text, ok := strings.CutPrefix(o, name+"="); ok {
			if f, err := unit.Figure(text); err == nil {
				return f, true
			}
		}
	}
	return without, false
}

// rotating reports whether a device is on rotating disks; unknown if they differ.
func rotating(blocks []host.Block, device string) known.Fact[bool] {
	list, ok := volumes.Disks(blocks, device)
	if !ok {
		return known.None[bool](known.Gap{})
	}
	n := 0
	for _, b := range list {
		r, ok := b.Rotational.Get()
		if !ok || b.Virtual() {
			return known.None[bool](known.Gap{})
		}
		if r {
			n++
		}
	}
	if n > 0 && n < len(list) {
		return known.None[bool](known.Gap{})
	}
	return known.Is(n > 0)
}
