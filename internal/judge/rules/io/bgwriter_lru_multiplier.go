package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var BgwriterLRUMultiplier = rule.Rule{
	Address: knob.PG("bgwriter_lru_multiplier"),
	Title:   "how far ahead the background writer cleans",
	Why: "It writes this many times the pages that sessions needed lately. Below 1 it always lags; 0 switches " +
		"it off. More only writes pages that are dirtied again.",
	Formula: "1c 4, as its vendor advises; others at least the default of 2. More stays.",
	Sources: []string{"pg-config-resource", "its-1c"},
	Decide: func(c *rule.Case) {
		least := 2.0
		if c.Options.Profile == rule.OneC {
			least = 4
		}
		if c.Now() >= least {
			c.Keep("{present} times the recent need is far enough ahead", "present", c.Shown())
			return
		}
		c.Set(least,
			"at {present} times the recent need a burst finds no clean pages; {least} suits the {profile} profile",
			"present", c.Shown(), "least", least, "profile", string(c.Options.Profile))
	},
}
