package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var ThpDefrag = rule.Rule{
	Address: "thp:defrag",
	Title:   "whether a program waits for the kernel to make a huge page",
	Why: "With always any allocation that could be a huge page stops until memory has been compacted for it. It " +
		"is the wait that gave transparent huge pages their name.",
	Formula: "madvise, the default, where it is always; all else stays.",
	Sources: []string{"linux-thp", "pg-config-resource"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		have, ok := rule.Need(c, c.Snapshot.Host.THP.Defrag)
		if !ok {
			return
		}
		if have != "always" {
			c.Keep("{present} lets no program wait that did not ask to", "present", have)
			return
		}
		c.WarnTuned()
		c.Set("madvise",
			"with always every large allocation waits until memory has been compacted; madvise is the kernel's default")
	},
}
