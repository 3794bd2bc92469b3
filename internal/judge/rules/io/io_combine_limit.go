package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var IOCombineLimit = rule.Rule{
	Address: knob.PG("io_combine_limit"),
	Title:   "Maximum I/O size of combined reads and writes",
	Why: "Adjacent pages are read in one request. Larger requests cost less on remote storage and on rotating disks. " +
		"Single page reads do not become faster.",
	Formula: "dw on hdd or san: 256 kB. Otherwise at least 128 kB, the default. Never above io_max_combine_limit " +
		"(18). Larger values stay.",
	Sources: []string{"pg-config-resource"},
	From:    17,
	Decide: func(c *rule.Case) {
		want, text := 128*unit.KB, say.Template("{present} is below the default and splits a scan into many small "+
			"reads")
		if c.Options.Profile == rule.DW {
			if s, why, ok := c.StorageOf(snapshot.DataPlace); ok && (s == rule.HDD || s == rule.SAN) {
				want = 256 * unit.KB
				if cap, ok := c.Bytes(knob.PG("io_max_combine_limit")); ok {
					want = min(want, cap)
				}
				if have, ok := c.Bytes(c.Rule.Address); ok && have < want {
					c.Set(want, "a data warehouse scans whole tables; on {storage} ({why}), larger requests cost "+
						"hardly more", "storage", string(s), "why", why)
					return
				}
			}
		}
		have, ok := c.Bytes(c.Rule.Address)
		switch cap, capped := c.Bytes(knob.PG("io_max_combine_limit")); {
		case !ok:
		case have >= want, capped && have >= cap:
			c.Keep("reads of up to {present} are large enough", "present", c.Shown())
		default:
			if capped {
				want = min(want, cap)
			}
			c.Set(want, text, "present", c.Shown())
		}
	},
}
