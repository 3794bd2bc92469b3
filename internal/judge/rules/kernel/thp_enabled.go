package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var ThpEnabled = rule.Rule{
	Address: "thp:enabled",
	Title:   "whether the kernel puts the private memory of all programs into huge pages unasked",
	Why: "Transparent huge pages are not what huge_pages uses: the shared memory does not get them. With always the " +
		"kernel compacts memory while a session waits for a page, " +
		"and a small allocation may take 2 MB. With madvise only programs that ask for them get them, and " +
		"PostgreSQL does not ask.",
	Formula: "madvise where it is always; madvise and never stay.",
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
			c.Keep("{present} is right: no program gets them unasked", "present", have)
			return
		}
		c.WarnTuned()
		c.Set("madvise",
			"with always the kernel compacts memory while sessions wait, for pages that the shared memory does not "+
				"use; programs that ask for them still get them. Running processes keep what they have")
	},
}
