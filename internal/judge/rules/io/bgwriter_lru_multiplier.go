package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var BgwriterLRUMultiplier = rule.Rule{
	Address: knob.PG("bgwriter_lru_multiplier"),
	Title:   "Background writer: multiple of recent demand",
	Why: "The background writer cleans this many times the buffers that backends needed recently. Below 1 it always " +
		"lags behind demand. Higher values write pages that are soon dirtied again.",
	Formula: "1c: 4, as 1C recommends. Other profiles: at least 2, the default. Higher values stay.",
	Sources: []string{"pg-config-resource", "its-1c"},
	Decide: func(c *rule.Case) {
		least := 2.0
		if c.Options.Profile == rule.OneC {
			least = 4
		}
		if c.Now() >= least {
			c.Keep("{present} times recent demand is enough", "present", c.Shown())
			return
		}
		c.Set(least,
			"{present} times recent demand leaves no clean buffers for a burst; {least} suits the {profile} profile",
			"present", c.Shown(), "least", least, "profile", string(c.Options.Profile))
	},
}
