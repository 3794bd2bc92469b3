package check

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// atPeak returns the instance's memory as its settings let it grow under a
// mixed load, which is what a plan assumes where nobody said what the instance
// is for.
func (c *Case) atPeak(in *snapshot.Instance) (memory.Instance, bool) {
	return Need(c, memory.AtPeak(c.Snapshot, in, memory.Mixed))
}

// pageTables returns the page tables that all processes of the instance have now.
func pageTables(in *snapshot.Instance) known.Fact[unit.Bytes] {
	return known.Map(in.Processes, func(ps []host.Process) unit.Bytes {
		var sum unit.Bytes
		for _, p := range ps {
			sum += p.PageTables
		}
		return sum
	})
}

// pagesText spells a number of huge pages, and says when it is an estimate.
func pagesText(pages int64, exact bool) string {
	if exact {
		return fmt.Sprint(pages)
	}
	return fmt.Sprintf("%d (estimated)", pages)
}
