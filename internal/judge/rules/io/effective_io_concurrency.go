package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var EffectiveIOConcurrency = rule.Rule{
	Address: knob.PG("effective_io_concurrency"),
	Title:   "how many reads a session may have under way at once",
	Why: "Before 18 this is how many pages of a bitmap heap scan are asked for ahead; flash needs hundreds of " +
		"requests at once to show its speed, a rotating disk gains nothing. " +
		"From 18 on it is the depth of asynchronous reads of every kind, counted in larger requests, so that much " +
		"smaller numbers do.",
	Formula: "With pgfettle probe: the depth at which random reads reach four fifths of the best rate, before 18 " +
		"twice that up to 200, from 18 on 16 to 64; more stays. Else 13–17: 200 on nvme, ssd and storage networks " +
		"(from 100 on it stays), 2 on rotating disks where it is above 10. 18: the default of 16, on nvme 32; more " +
		"stays.",
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
	why              string
	major            int
	enough, want     int // on flash and storage networks before 18
	hddMost, hddWant int // on rotating disks before 18
}

func (p prefetchDepth) decide(c *rule.Case) {
	have := int(c.Now())
	inputs := []any{"storage", string(p.storage), "why", p.why, "present", c.Shown()}
	least, want := p.enough, p.want
	if p.major >= 18 {
		// The server combines neighbouring pages into requests of 128 kB; 16 of
		// them keep most devices busy, twice that a fast NVMe device.
		least, want = 16, 16
		if p.storage == rule.NVMe {
			least, want = 32, 32
		}
	}
	switch {
	case p.storage == rule.HDD && p.major < 18 && have > p.hddMost:
		c.Set(p.hddWant, "the data lies on {storage} ({why}): {present} requests at once only make its heads move more",
			inputs...)
	case p.storage == rule.HDD || have >= least:
		c.Keep("{present} suits {storage} ({why})", inputs...)
	default:
		c.Set(want,
			"the data lies on {storage} ({why}), which serves many requests at once; with {present} under way it is "+
				"idle most of the time", inputs...)
	}
}
