package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var ThpDefrag = rule.Rule{
	Address: "thp:defrag",
	Title:   "THP: direct compaction on page fault",
	Why: "With always, every allocation that could use a huge page waits until the kernel has compacted memory for " +
		"it. These stalls are the main cost of transparent huge pages (THP).",
	Formula: "madvise, the default, if it is always. Other values stay.",
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
			c.Keep("with {present}, only programs that request it wait for compaction", "present", have)
			return
		}
		c.WarnTuned()
		c.Set("madvise",
			"with always, every large allocation waits for memory compaction; madvise is the kernel default")
	},
}
