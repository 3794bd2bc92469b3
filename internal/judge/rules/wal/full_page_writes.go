package wal

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// FullPageWrites is raised and never lowered, as fsync is.
var FullPageWrites = rule.Rule{
	Address: knob.PG("full_page_writes"),
	Title:   "Full-page images in WAL after a checkpoint",
	Why: "Most filesystems write an 8 kB page in several parts. A crash in between leaves a torn page, which only " +
		"its full-page image in WAL repairs; without one, the damage stays undetected. Full-page images make up much " +
		"of the WAL. Longer checkpoint intervals and wal_compression reduce them.",
	Formula: "on, except for instances with all directories on ZFS with records of at least 8 kB, which never tears " +
		"a page: these keep their value. A plan never disables it. If it is already off, a pin of off keeps it.",
	Sources: []string{"pg-config-wal", "pg-wal-reliability"},
	Risk:    knob.Medium, // more WAL is written
	Legal:   rule.OnlyRaised,
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have == "on" {
			c.Keep("torn pages are repaired from WAL")
			return
		}
		if neverTorn(c) {
			c.Keep("all directories of the instance are on ZFS, which does not tear pages")
			return
		}
		c.Set(true, "with off, pages torn by a crash stay damaged without an error; from now on more WAL is written")
		c.Warn(
			"Run CHECKPOINT in {instance} as soon as full_page_writes is on: only pages changed after that have "+
				"full-page images in WAL.", "instance", c.Instance.Label())
	},
}

// wholePage is the size of a page of the server: ZFS writes none of its records in parts.
const wholePage = 8 * unit.KB

// neverTorn reports whether every directory of the instance is known to be on ZFS, and only the WAL on records that are
// known to be smaller than a page.
func neverTorn(c *rule.Case) bool {
	places, _ := c.Instance.Places.Get()
	sets, _ := c.Snapshot.Host.Datasets.Get()
	for _, p := range places {
		m, ok := c.Snapshot.MountOf(p.Path)
		if !ok || m.FSType != "zfs" {
			return false
		}
		small := func(d host.Dataset) bool { return d.Name == m.Source && d.RecordSize > 0 && d.RecordSize < wholePage }
		if p.Role != snapshot.WALPlace && slices.ContainsFunc(sets, small) {
			return false
		}
	}
	return len(places) > 0
}
