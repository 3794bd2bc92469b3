package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// minWALMost bounds what is kept for ever: 8 GB of ready files take a burst of
// 100 MB/s for 80 seconds, after which recycling has caught up.
const minWALMost = 8 * unit.GB

var MinWALSize = rule.Rule{
	Address: knob.PG("min_wal_size"),
	Title:   "how much WAL is kept as files to be used again",
	Why: "WAL files that are recycled need not be created and zeroed when a burst of writes comes. What is kept " +
		"is disk space that nobody else may use.",
	Formula: "A quarter of max_wal_size, at most 8 GB, at least two WAL files. A larger present value stays while " +
		"it is not above max_wal_size. The desktop profile keeps the default.",
	Sources: []string{"pg-config-wal", "pg-wal-configuration", "pgtune"},
	Needs:   []knob.Address{maxWALSizeAddress},
	// The size of the reserve is a matter of order of magnitude.
	Tolerance: 0.15,
	Decide: func(c *rule.Case) {
		most, ok := c.Bytes(maxWALSizeAddress)
		have, ok2 := c.Bytes(knob.PG("min_wal_size"))
		if !ok || !ok2 {
			return
		}
		want := wholeSegments(c, min(most/4, minWALMost))
		switch {
		case have > most:
			c.Set(want, "{present} is above max_wal_size = {max}; a quarter of it is kept for bursts", "present",
				have, "max", most)
		case have >= want || c.Options.Profile == rule.Desktop:
			c.Keep("{present} of WAL files to be used again is enough for max_wal_size = {max}", "present", have,
				"max", most)
		default:
			c.Set(want, "a quarter of max_wal_size = {max} is kept as files for the next burst", "max", most)
		}
	},
}
