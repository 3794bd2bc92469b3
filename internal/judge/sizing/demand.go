package sizing

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// hugeDemand is how many huge pages of the default size are wanted.
type hugeDemand struct {
	Pages     int64 // by the instances that should run on them
	Instances int
	Foreign   int64 // used by other programs now, the neighbors included
	Beside    int64 // of these those of the neighbors, which may not run now
	Exact     bool  // the sizes were said by the servers or their binaries, or nothing unknown is in them
	Whole     bool  // every instance could be asked
}

func (d hugeDemand) Sum() int64 { return d.Pages + d.Foreign }

// hugeDemand adds up what the instances want. c is a case of the host.
func HugeDemand(c *rule.Case, m host.Memory) hugeDemand {
	d := hugeDemand{Foreign: rule.ForeignPages(c.Snapshot, m), Beside: rule.NeighbourPages(c.Snapshot), Exact: true,
		Whole: true}
	for i := range c.Snapshot.Neighbours {
		in := &c.Snapshot.Neighbours[i]
		if running, ok := in.Running.Get(); (!ok || !running) && !in.Server.Settings.Known() {
			d.Whole = false // it may need pages of the pool when it is started
		}
	}
	for i := range c.Snapshot.Instances {
		in := &c.Snapshot.Instances[i]
		if running, ok := in.Running.Get(); ok && !running && !in.Server.Settings.Known() {
			continue // a stopped instance holds nothing, and cannot be asked
		}
		if !in.Server.Settings.Known() {
			c.Miss(in.Server.Settings.Gap())
			d.Whole = false
			continue
		}
		on := c.ForInstance(in)
		if rule.HugePageSize(c.Snapshot, in) != m.HugePageSize || !WantsHuge(on) {
			continue
		}
		sh, ok := SharedMemoryOf(on)
		if !ok {
			c.Miss(known.Gap{Fact: "pg/" + in.Key + "/shared memory",
				Reason: "neither the server nor its settings show its size"})
			d.Whole = false
			continue
		}
		d.Instances++
		d.Pages += sh.Pages
		d.Exact = d.Exact && (sh.Exact || knownLibraries(on))
	}
	return d
}

// knownLibraries reports whether the estimate of the shared memory covers all preloaded libraries: pg_stat_statements
// is in it, and those that ask for none.
func knownLibraries(c *rule.Case) bool {
	for _, lib := range Preloaded(c) {
		switch lib {
		case "pg_stat_statements", "auto_explain", "auth_delay", "passwordcheck", "sepgsql", "pg_prewarm",
			"basic_archive":
		default:
			return false
		}
	}
	return true
}
