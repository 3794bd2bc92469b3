package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

const (
	// workerDefault is the server's own default of max_worker_processes; fewer
	// starve parallel queries, logical replication and extensions.
	workerDefault = 8
	// workerOthers are the worker processes that are no parallel workers: the
	// launcher of logical replication, its workers (4 by default), extensions.
	workerOthers = 4
	// workerMemory is how much memory a further process of the server asks for:
	// 5 MB of its own and its share of work_mem; an eighth of a gigabyte keeps
	// a small machine from having more workers than it can feed.
	workerMemory = 128 * unit.MB
)

var maxWorkerProcessesAddress = knob.PG("max_worker_processes")

var maxWorkerProcesses = Rule{
	Address: knob.PG("max_worker_processes"),
	Title:   "how many background worker processes there may be",
	Why: "Parallel workers, logical replication and extensions all take their processes from this pool. A slot that is not used costs next to nothing; " +
		"when none is left a query silently runs without its workers. On a standby it must not be less than on the primary.",
	Formula: "The parallel workers of the host plus 4 for replication and extensions, at least 8; never lowered.",
	Sources: []string{"pg-config-resource", "dalibo-j1"},
	// 16 or 20 slots for 16 processors is not worth a restart.
	Tolerance: 0.2,
	Decide: func(c *Case) {
		have := int(c.now())
		parallel, cpus, memory, ok := c.parallelWorkers()
		want := workerDefault
		if ok {
			want = max(want, parallel+workerOthers)
		}
		switch {
		case have >= want && ok:
			c.Keep("{present} slots are enough for {cpus}", "present", c.shown(), "cpus", processors(cpus))
		case have >= want:
			return
		default:
			c.warnStandbys(want)
			if !ok {
				c.Set(want, "{present} slots are fewer than the default of 8: parallel queries, replication and extensions share them", "present", c.shown())
				return
			}
			c.Set(want, "{parallel} parallel workers for {cpus}"+memory+", and 4 for replication and extensions; at least 8", "parallel", parallel, "cpus", processors(cpus))
		}
	},
}

// parallelWorkers returns how many parallel workers the profile wants on this
// host, before max_worker_processes caps them, its processors, and what affordable says.
func (c *Case) parallelWorkers() (workers, cpus int, memory string, ok bool) {
	cpus, ok = c.CPUs()
	if !ok {
		return 0, 0, "", false
	}
	n := cpus
	switch c.Options.Profile {
	case Web, OLTP, OneC, Desktop:
		// The sessions themselves keep the processors busy.
		n = cpus / 2
	}
	workers, memory = c.affordable(max(n, 2), 2)
	return workers, cpus, memory, true
}

// affordable returns n, or as many processes as the memory can feed, at least
// low; and a clause for the reason where it is the memory that decides.
func (c *Case) affordable(n, low int) (int, string) {
	b, ok := c.Basis()
	if !ok {
		return n, ""
	}
	if fed := max(int(b.Part()/workerMemory), low); fed < n {
		return fed, ", as many as " + b.Part().String() + " of memory can feed"
	}
	return n, ""
}
