package memory

import (
	"fmt"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// otherMemory, in percent of the memory: a tenth is what a plan would
	// otherwise give to the file cache, and double of what is kept for the
	// kernel and the unforeseen.
	otherMemory = 10
	// otherCPU, in percent of all processors, as a mean since the program was
	// started: a quarter is a core of four, of which some query has to do without.
	otherCPU = 25
	// otherSince, in seconds: the mean of less than an hour is the start of the
	// program, no load.
	otherSince = 3600
)

// ColocatedServices judges by the memory that a program holds now and by its
// processor time since its start; its peak is not seen.
var ColocatedServices = check.Check{
	ID:       "colocated_services",
	Area:     check.Memory,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "Another program takes a good part of the machine",
	Why: "Two programs that each reckon with the whole machine are fine until both are busy: the file cache goes " +
		"first, then backends are swapped, and the OOM killer ends whichever is larger. " +
		"A Java heap or another database grows to its own limit whatever PostgreSQL needs, and statistics of one " +
		"say nothing of the other.",
	Do: "Move it to a machine of its own, or bound it: a heap size or a cache size in its configuration, and " +
		"MemoryMax= and CPUWeight= in its unit. " +
		"A plan leaves out the private memory of other programs (their peak of a watched week, else services with " +
		"their limits and what lasts) and their huge pages, " +
		"but not what they have in shared memory or in files of a tmpfs, which nothing tells apart from " +
		"that of the servers; with --dedicated=false it leaves half of the machine to them.",
	Sources: []string{"pg-config-resource", "linux-proc"},
	Judge: func(c *check.Case) {
		if len(c.Snapshot.Instances) == 0 {
			return
		}
		list, ok := c.OtherPrograms()
		if !ok {
			return
		}
		mem, ok := check.Need(c, c.Snapshot.Host.Memory)
		if !ok {
			return
		}
		var told []string
		var sum unit.Bytes
		for _, p := range list {
			held, exact := p.Private.Get()
			if !exact {
				held = p.RSS
			}
			cores := cores(c, p)
			cpu, _ := c.Snapshot.Host.CPU.Get()
			much := cpu.Logical > 0 && cores*100 >= otherCPU*float64(cpu.Logical)
			if !check.AtLeast(held, otherMemory, mem.Total) && !much {
				continue
			}
			text := fmt.Sprintf("%s (%s) holds %s", p.Name, processes(p.Processes), held)
			if !exact {
				text += " with what its processes share"
			}
			if much {
				text += fmt.Sprintf(" and has kept %s of %d processors busy", strconv.FormatFloat(cores, 'f', 1, 64),
					cpu.Logical)
			}
			told, sum = append(told, text), sum+held
		}
		if len(told) > 0 {
			c.Found("{programs}: {share} of the memory of {total}.", "programs", check.Join(told, "; ", 4), "share",
				check.PercentOf(sum, mem.Total), "total", mem.Total)
		}
	},
}

// cores returns how many processors a program has kept busy on average since
// its oldest process was started; 0 where that is not known, or too short a time.
func cores(c *check.Case, p host.Program) float64 {
	t, ok := c.Snapshot.Host.CPUTime.Get()
	age := float64(c.Snapshot.TakenAt-t.BootTime) - p.Since
	if !ok || age < otherSince {
		return 0
	}
	return p.CPUTime / age
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}
