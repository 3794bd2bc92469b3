package rule

import (
	"fmt"

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
	// workerMemory is how much memory there has to be for each worker: it costs
	// its base, its page tables and its share of work_mem. The default of 8
	// parallel workers then needs 4 GB, and a container of that size on a host of
	// 64 processors gets no more of them.
	workerMemory = 512 * unit.MB
	// parallelLeast is how many parallel workers there are at least: with fewer a
	// single query cannot have the two of max_parallel_workers_per_gather.
	parallelLeast = 2
	// slotsNear is how far max_worker_processes may be from the wanted number and
	// be as good.
	slotsNear = 0.2
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
	Tolerance: slotsNear,
	Decide: func(c *Case) {
		have := int(c.now())
		p, ok := c.parallelWorkers()
		want := workerDefault
		if ok {
			want = max(want, p.want+workerOthers)
		}
		switch {
		case have >= want && ok:
			c.Keep("{present} slots are enough for {cpus}", "present", c.shown(), "cpus", processors(p.cpus))
		case have >= want:
			return
		default:
			c.warnStandbys(want)
			if !ok {
				c.Set(want, "{present} slots are fewer than the default of 8: parallel queries, replication and extensions share them", "present", c.shown())
				return
			}
			c.Set(want, "{parallel} for {cpus}"+p.clause+", and 4 for replication and extensions; at least 8", "parallel", count{p.want, "parallel worker"}, "cpus", processors(p.cpus))
		}
	},
}

// parallel is how many parallel workers suit a host, before
// max_worker_processes caps them.
type parallel struct {
	want   int    // what the profile chooses, and the memory can feed
	chosen int    // what the profile chooses, however much memory there is
	most   int    // what the processors can run and the memory can feed
	cpus   int    // processors
	clause string // for the reason: says that the memory decides, where it does
}

// parallelWorkers returns the parallel workers for this host.
func (c *Case) parallelWorkers() (p parallel, ok bool) {
	p.cpus, ok = c.CPUs()
	if !ok {
		return p, false
	}
	p.want, p.most = p.cpus, max(p.cpus, parallelLeast)
	switch c.Options.Profile {
	case Web, OLTP, Desktop:
		// The sessions themselves keep the processors busy.
		p.want = p.cpus / 2
	case OneC:
		// No query has any (max_parallel_workers_per_gather = 0): two index builds
		// or VACUUMs at once do. It is reckoned from what the processors suggest for
		// one of them and not from what is set, which is decided after this and
		// bounded by it; a present value above it stays anyway.
		p.want = 2 * maintenanceWorkers(p.cpus)
		p.clause = ", for two index builds at once, as its queries run without any"
		p.most = max(p.most, p.want)
	}
	p.want = max(p.want, parallelLeast)
	p.chosen = p.want
	if fed, clause, ok := c.fed(parallelLeast); ok && fed < p.most {
		p.most = fed
		if fed < p.want {
			p.want, p.clause = fed, ", as many as "+clause
		}
	}
	return p, true
}

// fed returns how many workers of a kind the memory can feed, at least low, and
// the end of a clause that says so: «… 4 GB of memory can feed»; ok is false
// where the memory is not known.
func (c *Case) fed(low int) (n int, clause string, ok bool) {
	b, ok := c.Basis()
	if !ok {
		return 0, "", false
	}
	return int(fedExactly(b, low)), fmt.Sprintf("%s of memory can feed (one for each %s, at least %d)", b.Part(), workerMemory, low), true
}

// fedExactly is fed before it is rounded down.
func fedExactly(b Basis, low int) float64 {
	return max(float64(b.Part())/float64(workerMemory), float64(low))
}

// workers decides for so many processes of a kind, as far as the memory can feed
// them. The server's default is never lowered, and more than that only where the
// memory cannot feed it.
func (c *Case) workers(want, byDefault int, noun, text string, cpus int) {
	have := int(c.now())
	enough := "{present} are enough for {cpus}"
	fed, clause, ok := c.fed(byDefault)
	if ok && want > fed {
		want, text, enough = fed, text+", as many as "+clause, "{present} are as many as "+clause
	}
	present := count{have, noun}
	switch {
	case ok && have > fed && !near(c.canonical(have), c.canonical(fed), workersNear):
		c.Set(want, "{present} are more than "+clause, "present", present)
	case have >= want:
		c.Keep(enough, "present", present, "cpus", processors(cpus))
	default:
		c.Set(want, text, "workers", count{want, noun}, "cpus", processors(cpus))
	}
}
