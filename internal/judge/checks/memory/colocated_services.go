package memory

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// otherMemory, in percent of RAM: a tenth is what a plan would otherwise
	// leave to the page cache, and twice the reserve for the kernel.
	otherMemory = 10
	// otherCPU, in percent of all CPUs, as a mean since the program was
	// started: a quarter is one core of four that queries cannot use.
	otherCPU = 25
	// otherSince, in seconds: the mean of less than an hour shows the start of the
	// program, not its load.
	otherSince = 3600
)

// ColocatedServices judges by the memory that a program holds now and by its
// CPU time since its start; its peak is unknown.
var ColocatedServices = check.Check{
	ID:       "colocated_services",
	Area:     check.Memory,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "Other services compete for memory and CPU",
	Why: "Two services sized for the whole host compete as soon as both are busy. The page cache shrinks " +
		"first, then backends are swapped out, and finally the OOM killer kills the largest process. A Java " +
		"heap or another database grows to its own limit whatever PostgreSQL needs.",
	Do: "Move the service to another host. Or limit it: heap or cache size in its configuration, MemoryMax= " +
		"and CPUWeight= in its unit.\n" +
		"pgfettle plan subtracts the private memory of other programs and their huge pages. With watch " +
		"history it subtracts their peak of a week, otherwise services with their limits and long-running " +
		"processes. It does not subtract their shared memory or files on tmpfs, which cannot be distinguished " +
		"from those of the servers. With --dedicated=false it leaves half of the host to them.",
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
		var told []say.Message
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
			text := say.N(p.Processes, "{name} ({n} process) uses {held}", "{name} ({n} processes) uses {held}",
				"name", p.Name, "held", held)
			if !exact {
				text = say.N(p.Processes, "{name} ({n} process) uses {held}, shared pages included",
					"{name} ({n} processes) uses {held}, shared pages included", "name", p.Name, "held", held)
			}
			if much {
				text = say.All(", ", text, say.M("{cores} of {cpus} CPUs busy on average", "cores",
					say.Number(strconv.FormatFloat(cores, 'f', 1, 64)), "cpus", cpu.Logical))
			}
			told, sum = append(told, text), sum+held
		}
		if len(told) > 0 {
			c.Found("{programs}. In total {share} of {total} RAM.", "programs", say.List{Items: told, Sep: "; ",
				Most: 4},
				"share", check.PercentOf(sum, mem.Total), "total", mem.Total)
		}
	},
}

// cores returns how many CPUs a program has kept busy on average since
// its oldest process was started; 0 if that is unknown, or the time is too short.
func cores(c *check.Case, p host.Program) float64 {
	t, ok := c.Snapshot.Host.CPUTime.Get()
	age := float64(c.Snapshot.TakenAt-t.BootTime) - p.Since
	if !ok || age < otherSince {
		return 0
	}
	return p.CPUTime / age
}
