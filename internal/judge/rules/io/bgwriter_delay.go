package io

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var BgwriterDelay = rule.Rule{
	Address: knob.PG("bgwriter_delay"),
	Title:   "how long the background writer sleeps between its rounds",
	Why: "Each round writes dirty pages that will soon be evicted. Shorter sleeps spread the writes; longer " +
		"ones leave them to the sessions, while their queries wait.",
	Formula: "1c 20 ms where it is above 50, as its vendor advises; others at most the default of 200 ms. Less " +
		"stays. The desktop profile keeps what it has.",
	Sources: []string{"pg-config-resource", "its-1c"},
	Decide: func(c *rule.Case) {
		have, ok := c.Seconds(c.Rule.Address)
		switch {
		case !ok:
		case c.Options.Profile == rule.OneC && have > 0.05:
			c.Set(20*time.Millisecond,
				"1C dirties buffers in bursts; with {present} between two rounds the sessions evict dirty pages "+
					"themselves", "present", c.Shown())
		case have <= 0.2 || c.Options.Profile == rule.Desktop:
			c.Keep("{present} between two rounds suits the {profile} profile", "present", c.Shown(), "profile",
				string(c.Options.Profile))
		default:
			c.Set(200*time.Millisecond,
				"with {present} between two rounds the sessions write dirty pages themselves; 200 ms is the default",
				"present", c.Shown())
		}
	},
}
