package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

const (
	// bgwriterMore is four times the default: at five rounds a second 16 MB/s.
	bgwriterMore = 400
	// bgwriterStops is the share of the background writer's rounds that were cut
	// short from which on its limit is in the way.
	bgwriterStops = 0.05
)

var BgwriterLRUMaxpages = rule.Rule{
	Address: knob.PG("bgwriter_lru_maxpages"),
	Title:   "Background writer: maximum pages per round",
	Why: "The background writer writes dirty buffers that will soon be evicted, so backends find clean ones. When it " +
		"stops at this limit, backends write the rest themselves while their queries wait.",
	Needs: []knob.Address{knob.PG("bgwriter_delay")},
	Formula: "1c: 400, as 1C recommends. Other profiles: 400 if at least 5% of the rounds stopped at the limit, " +
		"counted over at least 1 h; otherwise unchanged. 0 (off) stays.",
	Sources: []string{"pg-config-resource", "pg-monitoring", "its-1c"},
	Decide: func(c *rule.Case) {
		have := c.Now()
		if c.Options.Profile == rule.OneC && have > 0 && have < bgwriterMore {
			c.Set(bgwriterMore,
				"1C dirties buffers in bursts and recommends {most}; {present} leaves the rest to the backends", "most",
				bgwriterMore, "present", c.Shown())
			return
		}
		// Without counts there is no evidence, and the default is kept.
		s, ok := rule.Need(c, c.Instance.Server.Checkpoints)
		delay, ok2 := c.Seconds(knob.PG("bgwriter_delay"))
		if !ok || !ok2 || s.Secs < 3600 || delay <= 0 || have == 0 {
			return
		}
		rounds := s.Secs / delay
		share := float64(s.MaxWritten) / rounds
		if share < bgwriterStops || have >= bgwriterMore {
			c.Keep("rounds that stopped at the limit of {present}: {stops} of about {rounds}", "stops", s.MaxWritten,
				"rounds",
				int64(rounds), "present", c.Shown())
			return
		}
		c.Set(bgwriterMore,
			"rounds that stopped at the limit of {present}: {stops} of about {rounds}, so backends wrote the rest",
			"stops",
			s.MaxWritten, "rounds", int64(rounds), "present", c.Shown())
	},
}
