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
	Title:   "how large one read may be",
	Why: "Neighbouring pages are read in one request. Larger requests cost less on storage that is far away or " +
		"has to move a head; a single page read is not made faster by it.",
	Formula: "dw on rotating disks or a storage network 256 kB; otherwise at least the default of 128 kB. Never " +
		"above io_max_combine_limit (18+). More stays.",
	Sources: []string{"pg-config-resource"},
	From:    17,
	Decide: func(c *rule.Case) {
		want, text := 128*unit.KB, say.Template("{present} is below the default and makes many small reads of a scan")
		if c.Options.Profile == rule.DW {
			if s, why, ok := c.StorageOf(snapshot.DataPlace); ok && (s == rule.HDD || s == rule.SAN) {
				want = 256 * unit.KB
				if cap, ok := c.Bytes(knob.PG("io_max_combine_limit")); ok {
					want = min(want, cap)
				}
				if have, ok := c.Bytes(c.Rule.Address); ok && have < want {
					c.Set(want, "a warehouse reads whole tables from {storage} ({why}), where a larger request costs "+
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
