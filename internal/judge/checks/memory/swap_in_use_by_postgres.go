package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

const (
	// swappedMuch, in percent of RAM: so much is not only idle memory.
	swappedMuch = 5
)

// SwapInUseByPostgres adds up VmSwap, which is private memory only: shared
// buffers that were swapped out appear in no process.
var SwapInUseByPostgres = check.Check{
	ID:       "swap_in_use_by_postgres",
	Area:     check.Memory,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Server memory has been swapped out",
	Why: "Memory was short at some time, and the kernel swapped out private memory of server processes. The " +
		"next query of such a backend waits for one page read after the other while it holds its locks. " +
		"Shared buffers on regular pages may be swapped out too, but the kernel does not count them per " +
		"process.",
	Do: "1. Check whether swapping goes on (columns si and so): vmstat 1\n" +
		"2. If it does, lower work_mem, the number of connections or shared_buffers, or find the program that " +
		"uses the memory. Lower vm.swappiness.\n" +
		"3. If it does not, no action is needed: pages come back from swap when they are used.",
	Commands: []check.Command{
		check.Shell("vmstat 1"),
	},
	Sources: []string{"linux-vm", "dalibo-j1"},
	Judge: func(c *check.Case) {
		ps, ok := check.Need(c, c.Instance.Processes)
		if !ok {
			return
		}
		mem, ok := check.Need(c, c.Snapshot.Host.Memory)
		if !ok {
			return
		}
		var sum unit.Bytes
		n := 0
		for _, p := range ps {
			sum += p.Swap
			if p.Swap > 0 {
				n++
			}
		}
		if sum < memory.SwappedMuch {
			return
		}
		sev := check.Notice
		if check.AtLeast(sum, swappedMuch, mem.Total) {
			sev = check.Warning
		}
		c.That(sev, say.M(c.Remedy()), say.N(n,
			"{sum} of private memory of {n} server process in swap, {share} of RAM. Swap in use on the host: {used} "+
				"of {total}.",
			"{sum} of private memory of {n} server processes in swap, {share} of RAM. Swap in use on the host: {used} "+
				"of {total}.",
			"sum", sum, "share", check.PercentOf(sum, mem.Total), "used", mem.SwapTotal-mem.SwapFree, "total",
			mem.SwapTotal))
	},
}
