package memory

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// PsiMemoryPressure takes the mean of five minutes, which one backup or one
// large sort changes little.
var PsiMemoryPressure = check.Check{
	ID:       "psi_memory_pressure",
	Area:     check.Memory,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "High memory pressure (PSI)",
	Why: "Pressure stall information (PSI) counts the time in which tasks wait because memory must be " +
		"reclaimed, compacted or read back from swap. Queries are slow meanwhile, with little CPU and " +
		"seemingly little disk activity. An OOM kill may be near.",
	Do: "1. Find the processes that hold the memory (smem, or ps sorted by RSS). Anonymous memory counts, " +
		"page cache does not.\n" +
		"2. Check for swapping (columns si and so): vmstat 1\n" +
		"3. Lower work_mem or the number of active sessions.\n" +
		"4. Check the limits of the cgroups: pressure inside one cgroup counts here too.",
	Commands: []check.Command{
		check.Shell("vmstat 1"),
	},
	Sources: []string{"linux-psi"},
	Judge: func(c *check.Case) {
		p, ok := check.Need(c, c.Snapshot.Host.Pressure.Memory)
		if ok && p.Some300 >= memory.PressureMuch {
			c.Found(
				"Memory pressure of the last 5 minutes (avg300): some {some}%, full {full}%.",
				"some", say.Number(fmt.Sprintf("%.1f", p.Some300)), "full", say.Number(fmt.Sprintf("%.1f", p.Full300)))
		}
	},
}
