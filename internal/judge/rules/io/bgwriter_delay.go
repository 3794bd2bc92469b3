package io

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var BgwriterDelay = rule.Rule{
	Address: knob.PG("bgwriter_delay"),
	Title:   "Background writer sleep time between rounds",
	Why: "Each round writes dirty buffers that will soon be evicted. Shorter sleeps spread the writes. With longer " +
		"sleeps, backends write these buffers themselves while their queries wait.",
	Formula: "1c: 20 ms if it is above 50 ms, as 1C recommends. Other profiles: at most 200 ms, the default. Shorter " +
		"values stay. The desktop profile keeps its value.",
	Sources: []string{"pg-config-resource", "its-1c"},
	Decide: func(c *rule.Case) {
		have, ok := c.Seconds(c.Rule.Address)
		switch {
		case !ok:
		case c.Options.Profile == rule.OneC && have > 0.05:
			c.Set(20*time.Millisecond,
				"1C dirties buffers in bursts: with {present} between rounds, backends evict dirty buffers themselves",
				"present", c.Shown())
		case have <= 0.2 || c.Options.Profile == rule.Desktop:
			c.Keep("{present} between rounds suits the {profile} profile", "present", c.Shown(), "profile",
				string(c.Options.Profile))
		default:
			c.Set(200*time.Millisecond,
				"with {present} between rounds, backends write dirty buffers themselves; 200 ms is the default",
				"present", c.Shown())
		}
	},
}
