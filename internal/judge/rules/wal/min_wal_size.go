package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// minWALMost bounds what is kept forever: 8 GB of ready files take a burst of 100 MB/s for 80 seconds, after which
// recycling has caught up.
const minWALMost = 8 * unit.GB

var MinWALSize = rule.Rule{
	Address: knob.PG("min_wal_size"),
	Title:   "WAL size below which files are recycled",
	Why: "Recycled WAL files need not be created and zero-filled in a burst of writes. They occupy disk space that " +
		"nothing else can use.",
	Formula: "1/4 of max_wal_size, at most 8 GB and at least two WAL files. Higher values stay up to max_wal_size. " +
		"The desktop profile keeps its value.",
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
			c.Set(want, "{present} is above max_wal_size = {max}; 1/4 of that is kept for bursts", "present",
				have, "max", most)
		case have >= want || c.Options.Profile == rule.Desktop:
			c.Keep("{present} of recycled WAL is enough for max_wal_size = {max}", "present", have,
				"max", most)
		default:
			c.Set(want, "1/4 of max_wal_size = {max} is kept as recycled files for bursts", "max", most)
		}
	},
}
