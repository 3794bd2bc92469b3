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
	Title:   "whether a page goes into the WAL as a whole when it is first changed after a checkpoint",
	Why: "Most filesystems write a page of 8 kB in two or more parts. A crash in between leaves a page that is half " +
		"old and half new, and only its full image in the WAL mends it: without one the damage stays and is not " +
		"seen. " +
		"The images make up much of the WAL; checkpoints that are further apart and wal_compression make them fewer.",
	Formula: "on, but for instances that lie on ZFS with all their folders and records of 8 kB and more, where no " +
		"page is torn: those keep what they have. A plan never switches it off; a pin of off keeps a server as it " +
		"is that has it off already.",
	Sources: []string{"pg-config-wal", "pg-wal-reliability"},
	Risk:    knob.Medium, // more WAL is written
	Legal:   rule.OnlyRaised,
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have == "on" {
			c.Keep("a page that a crash tears is mended from the WAL")
			return
		}
		if neverTorn(c) {
			c.Keep("all folders of the instance lie on ZFS, which does not tear a page")
			return
		}
		c.Set(true, "off: a page that a crash tears stays damaged, and nobody sees it; more WAL is written from now on")
		c.Warn(
			"Run CHECKPOINT in {instance} as soon as full_page_writes is on: only what is changed after that is in "+
				"the WAL as whole pages.", "instance", c.Instance.Label())
	},
}

// wholePage is the size of a page of the server: ZFS writes none of its records in parts.
const wholePage = 8 * unit.KB

// neverTorn says whether every folder of the instance is known to lie on ZFS, and none
// but the WAL on records that are known to be smaller than a page.
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
