package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var EffectiveIOConcurrency = rule.Rule{
	Address: knob.PG("effective_io_concurrency"),
	Title:   "Concurrent I/O per session (prefetch depth)",
	Why: "Before PostgreSQL 18, this is the number of pages that a bitmap heap scan prefetches. Flash needs hundreds " +
		"of concurrent requests for full speed; a rotating disk gains nothing. Since 18 it is the depth of " +
		"asynchronous reads of all kinds, counted in larger requests, so much smaller values are enough.",
	Formula: "With pgfettle probe: the depth at which random reads reach 80% of the best rate (13–17: twice that, at " +
		"most 200; 18: 16–64). Higher values stay. Without a probe, 13–17: 200 on nvme, ssd and san (100 and more " +
		"stays), 2 on hdd if it is above 10. 18: 16, the default, and 32 on nvme; higher values stay.",
	Sources: []string{"pg-config-resource", "pg-release-notes"},
	Decide: func(c *rule.Case) {
		v, ok := rule.Need(c, c.Instance.Server.Version)
		if !ok {
			return
		}
		if depth, by, ok := measuredDepth(c); ok {
			decideMeasured(c, v.Major(), depth, by)
			return
		}
		s, why, ok := c.StorageOf(snapshot.DataPlace)
		if !ok {
			return
		}
		prefetchDepth{s, why, v.Major(), 100, 200, 10, 2}.decide(c)
	},
}

// prefetchDepth decides how deep to read ahead: effective_io_concurrency and
// maintenance_io_concurrency differ in their numbers only.
type prefetchDepth struct {
	storage          rule.Storage
	why              say.Message
	major            int
	enough, want     int // on flash and storage networks before 18
	hddMost, hddWant int // on rotating disks before 18
}

func (p prefetchDepth) decide(c *rule.Case) {
	have := int(c.Now())
	inputs := []any{"storage", string(p.storage), "why", p.why, "present", c.Shown()}
	least, want := p.enough, p.want
	if p.major >= 18 {
		// The server combines neighboring pages into requests of 128 kB; 16 of them keep most devices busy, twice that
		// a fast NVMe device.
		least, want = 16, 16
		if p.storage == rule.NVMe {
			least, want = 32, 32
		}
	}
	switch {
	case p.storage == rule.HDD && p.major < 18 && have > p.hddMost:
		c.Set(p.hddWant, "the data is on {storage} ({why}); {present} concurrent requests only add seeks",
			inputs...)
	case p.storage == rule.HDD || have >= least:
		c.Keep("{present} suits {storage} ({why})", inputs...)
	default:
		c.Set(want,
			"the data is on {storage} ({why}), which serves many requests at once: with {present}, it is idle most "+
				"of the time", inputs...)
	}
}
