package sizing

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

const (
	// WorkerOthers are the worker processes that are no parallel workers: the
	// launcher of logical replication, its workers (4 by default), extensions.
	WorkerOthers = 4
	// workerMemory is how much memory there has to be for each worker: it costs its base, its page tables and its share
	// of work_mem. The default of 8 parallel workers then needs 4 GB, and a container of that size on a host of 64 CPUs
	// gets no more of them.
	workerMemory = 512 * unit.MB
	// parallelLeast is how many parallel workers there are at least: with fewer a
	// single query cannot have the two of max_parallel_workers_per_gather.
	parallelLeast = 2
	// SlotsNear is how far max_worker_processes may be from the wanted number and
	// be as good.
	SlotsNear = 0.2
)

// parallel is how many parallel workers suit a host, before
// max_worker_processes caps them.
type parallel struct {
	Want   int         // what the profile chooses, and the memory can feed
	chosen int         // what the profile chooses, however much memory there is
	Most   int         // what the CPUs can run and the memory can feed
	Cpus   int         // processors
	Clause say.Message // for the reason: what decides in addition to the CPUs, if anything
}

// parallelWorkers returns the parallel workers for this host.
func ParallelWorkers(c *rule.Case) (p parallel, ok bool) {
	p.Cpus, ok = c.CPUs()
	if !ok {
		return p, false
	}
	p.Want, p.Most = p.Cpus, max(p.Cpus, parallelLeast)
	switch c.Options.Profile {
	case rule.Web, rule.OLTP, rule.Desktop:
		// The sessions themselves keep the CPUs busy.
		p.Want = p.Cpus / 2
	case rule.OneC:
		// No query has any (max_parallel_workers_per_gather = 0; before 16, two): index builds and VACUUMs do. It is
		// computed from what the CPUs suggest for one of them and not from what is set, which is decided after this and
		// bounded by it; a present value above it stays anyway.
		p.Want = 2 * MaintenanceWorkers(p.Cpus)
		p.Clause = say.M("for two index builds at once")
		p.Most = max(p.Most, p.Want)
	}
	p.Want = max(p.Want, parallelLeast)
	p.chosen = p.Want
	if fed, clause, ok := fed(c, parallelLeast); ok && fed < p.Most {
		p.Most = fed
		if fed < p.Want {
			p.Want, p.Clause = fed, say.M("limited by memory ({clause})", "clause", clause)
		}
	}
	return p, true
}

// fed returns how many workers of a kind the memory can feed, at least low, and a
// clause that says how that is computed; ok is false if the memory is unknown.
func fed(c *rule.Case, low int) (n int, clause say.Message, ok bool) {
	b, ok := c.Basis()
	if !ok {
		return 0, say.Message{}, false
	}
	return int(fedExactly(b, low)), say.M("one per {worker} of {part} memory, at least {low}", "part",
		b.Part(), "worker", workerMemory, "low", low), true
}

// fedExactly is fed before it is rounded down.
func fedExactly(b rule.Basis, low int) float64 {
	return max(float64(b.Part())/float64(workerMemory), float64(low))
}

// workers decides for so many processes of a kind, as far as the memory can feed them. The server's default is never
// lowered, and values above it only if the memory cannot feed them.
//
// count says so many of them, and text the reason, of {workers} and {cpus}.
func Workers(c *rule.Case, want, byDefault int, count func(n int) say.Message, text say.Template, cpus int) {
	have := int(c.Now())
	present := count(have)
	fed, clause, ok := fed(c, byDefault)
	bound := ok && want > fed
	if bound {
		want = fed
	}
	reason := say.M(text, "workers", count(want), "cpus", rule.Processors(cpus))
	switch {
	case ok && have > fed && !rule.Near(c.Canonical(have), c.Canonical(fed), WorkersNear):
		c.Set(want, "{present} are too many for the memory ({clause})", "present", present, "clause", clause)
	case have >= want && bound:
		c.Keep("{present} are the most that the memory allows ({clause})", "present", present, "clause", clause)
	case have >= want:
		c.Keep("{present} are enough for {cpus}", "present", present, "cpus", rule.Processors(cpus))
	case bound:
		c.SetAs(want, say.All(", ", reason, say.M("limited by memory ({clause})", "clause", clause)))
	default:
		c.SetAs(want, reason)
	}
}

var MaxWorkerProcessesAddress = knob.PG("max_worker_processes")

var MaxParallelWorkersAddress = knob.PG("max_parallel_workers")

// WorkersNear is how far a number of workers may be from the wanted one and be as good: 8 for 7 or 10 CPUs. It is not
// the rule's Tolerance, as the engine would then keep a number that the next cap does not allow.
const WorkersNear = 0.25

// AutovacuumDefault is the server's own default: it is not lowered if memory is short.
const AutovacuumDefault = 3

// vacuumsFor returns how many autovacuum workers suit so many CPUs, however much memory there is.
func VacuumsFor(c *rule.Case, cpus int) int {
	want := min(max(cpus/4, AutovacuumDefault), 5)
	if c.Options.Profile == rule.OneC {
		want = min(max(cpus/4, 4), 8)
	}
	if slots, bounded := c.Int(knob.PG("autovacuum_worker_slots")); bounded { // 18+
		want = min(want, slots)
	}
	return want
}

// IoWorkersDefault is the server's own default: it is not lowered if memory is short.
const IoWorkersDefault = 3

// IoMaxWorkersDefault is the default of 19, whose workers start as they are needed: it is not lowered if memory is
// short.
const IoMaxWorkersDefault = 8

// IoWorkersFor returns how many suit so many CPUs, however much memory there is: a quarter, as most of the time they
// wait for a disk, at least the server's default, and at most 32, the bound of both parameters.
func IoWorkersFor(cpus, byDefault int) int { return min(max(cpus/4, byDefault), 32) }

// MaintenanceWorkers returns how many workers one index build should have on so many CPUs: half of them, at least the
// server's default of 2 and at most 4, as reading and merging stay with one process.
func MaintenanceWorkers(cpus int) int { return min(max(cpus/2, 2), 4) }
