package memory

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// PsiMemoryPressure takes the mean of five minutes, which one backup or one
// large sort does not move far.
var PsiMemoryPressure = check.Check{
	ID:       "psi_memory_pressure",
	Area:     check.Memory,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "Tasks wait for memory",
	Why: "Pressure stall information counts the time in which tasks stood still because memory had to be reclaimed, " +
		"compacted or read back from swap. Queries are slow then " +
		"without using the processor or, seemingly, the disk, and the OOM killer is not far.",
	Do: "Find who holds the memory (smem, or ps ordered by RSS; anonymous memory counts, cached files do not), " +
		"lower work_mem or the number of sessions at work, see in " +
		"vmstat 1 whether it swaps, and check the limits of the control groups, as pressure in one of them counts " +
		"here too.",
	Commands: []check.Command{
		check.Shell("vmstat 1"),
	},
	Sources: []string{"linux-psi"},
	Judge: func(c *check.Case) {
		p, ok := check.Need(c, c.Snapshot.Host.Pressure.Memory)
		if ok && p.Some300 >= memory.PressureMuch {
			c.Found(
				"In the last five minutes some task waited for memory in {some} % of the time, and all tasks "+
					"together in {full} %.",
				"some", fmt.Sprintf("%.1f", p.Some300), "full", fmt.Sprintf("%.1f", p.Full300))
		}
	},
}
