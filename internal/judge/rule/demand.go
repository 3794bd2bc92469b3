package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// hugeDemand is how many huge pages of the default size are wanted.
type hugeDemand struct {
	pages     int64 // by the instances that should run on them
	instances int
	foreign   int64 // used by other programs now, the neighbours included
	beside    int64 // of these those of the neighbours, which may not run now
	exact     bool  // the sizes were said by the servers or their binaries, or nothing unknown is in them
	whole     bool  // every instance could be asked
}

func (d hugeDemand) sum() int64 { return d.pages + d.foreign }

// hugeDemand adds up what the instances want. c is a case of the host.
func (c *Case) hugeDemand(m host.Memory) hugeDemand {
	d := hugeDemand{foreign: foreignPages(c.Snapshot, m), beside: neighbourPages(c.Snapshot), exact: true, whole: true}
	for i := range c.Snapshot.Neighbours {
		in := &c.Snapshot.Neighbours[i]
		if running, ok := in.Running.Get(); (!ok || !running) && !in.Server.Settings.Known() {
			d.whole = false // it may need pages of the pool when it is started
		}
	}
	for i := range c.Snapshot.Instances {
		in := &c.Snapshot.Instances[i]
		if running, ok := in.Running.Get(); ok && !running && !in.Server.Settings.Known() {
			continue // a stopped instance holds nothing, and nobody can ask it
		}
		if !in.Server.Settings.Known() {
			c.Miss(in.Server.Settings.Gap())
			d.whole = false
			continue
		}
		on := c.On(in)
		if hugePageSize(c.Snapshot, in) != m.HugePageSize || !on.wantsHuge() {
			continue
		}
		sh, ok := on.SharedMemory()
		if !ok {
			c.Miss(known.Gap{Fact: "pg/" + in.Key + "/shared memory", Reason: "neither the server nor its settings tell its size"})
			d.whole = false
			continue
		}
		d.instances++
		d.pages += sh.Pages
		d.exact = d.exact && (sh.Exact || on.knownLibraries())
	}
	return d
}

// knownLibraries says whether the estimate of the shared memory covers all
// preloaded libraries: pg_stat_statements is in it, and those that ask for none.
func (c *Case) knownLibraries() bool {
	for _, lib := range c.preloaded() {
		switch lib {
		case "pg_stat_statements", "auto_explain", "auth_delay", "passwordcheck", "sepgsql", "pg_prewarm", "basic_archive":
		default:
			return false
		}
	}
	return true
}
