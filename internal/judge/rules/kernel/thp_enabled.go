package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var ThpEnabled = rule.Rule{
	Address: "thp:enabled",
	Title:   "Transparent huge pages (THP)",
	Why: "THP are not the huge pages of huge_pages: shared_buffers does not use them. With always, the kernel " +
		"compacts memory while a session waits for a page, and a small allocation can take 2 MB. With madvise, only " +
		"programs that request them get them; PostgreSQL does not.",
	Formula: "madvise if it is always. madvise and never stay.",
	Sources: []string{"linux-thp", "pg-config-resource", "dalibo-j1"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		have, ok := rule.Need(c, c.Snapshot.Host.THP.Enabled)
		if !ok {
			return
		}
		if have != "always" {
			c.Keep("with {present}, no program gets THP without a request", "present", have)
			return
		}
		c.WarnTuned()
		c.Set("madvise",
			"with always, the kernel compacts memory while sessions wait, for pages that shared_buffers does not "+
				"use; running processes keep their THP")
	},
}
