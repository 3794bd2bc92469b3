package kernel

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// dirtyLimits are the amounts for a kind of storage: what a second or so of its
// sequential writing takes away.
type dirtyLimits struct{ background, hard unit.Bytes }

var dirtyFor = map[rule.Storage]dirtyLimits{
	rule.NVMe: {256 * unit.MB, unit.GB},
	rule.SAN:  {256 * unit.MB, unit.GB}, // its controller's cache takes the burst
	rule.SSD:  {128 * unit.MB, 512 * unit.MB},
	rule.HDD:  {64 * unit.MB, 512 * unit.MB},
	"":        {64 * unit.MB, 512 * unit.MB}, // not known: what TuneD's profile for PostgreSQL takes for any
}

// dirty checks one of the two limits: its ratio is the setting in effect when bytes is 0. Configured values from least
// to most are kept. If everything that the instances write goes to ZFS, nothing is decided: it writes through its own
// cache (zfs_dirty_data_max), which these limits do not count.
func dirty(c *rule.Case, ratioName string, pick func(dirtyLimits) unit.Bytes, least, most unit.Bytes) {
	if !c.Kernel() || c.Snapshot.AllOnZFS() {
		return
	}
	b, ok := c.Basis()
	if !ok {
		return
	}
	now, ok := c.Sysctl()
	if !ok {
		return
	}
	have := unit.Bytes(now)
	kind, why := slowestStorage(c)
	want := pick(dirtyFor[kind])
	if have > 0 {
		if have >= least && have <= most {
			c.Keep("{present} is between {least} and {most}", "present", have, "least", least, "most", most)
			return
		}
		c.WarnTuned()
		c.Set(want, "{present} is not between {least} and {most}: {want} suits {storage}",
			"present", have, "least", least, "most", most, "want", want, "storage", why)
		return
	}
	ratio, ok := rule.Need(c, c.Snapshot.Host.Sysctls.Int(ratioName))
	if !ok {
		return
	}
	// The ratio is of free memory and file cache; that much of it there may be.
	base := b.Total - b.Reserve
	if !c.Options.Shared {
		base -= b.Others // on a shared host they are assumed, and file cache of theirs counts as well
	}
	waiting := base.Scale(float64(ratio) / 100)
	large := unit.Bytes(limits.DirtyPlanned)
	if ratioName == "vm.dirty_background_ratio" {
		large /= 2 // half of the hard limit, as the kernel's own defaults have it
	}
	if waiting <= large {
		c.Keep("{ratio}% of free memory and page cache is at most {now}", "ratio", ratio, "now", waiting)
		return
	}
	c.WarnTuned()
	c.Set(want,
		"{ratio}% of free memory and page cache is up to {now} of dirty memory; {want} suits {storage}. "+
			"{counterpart} becomes 0",
		"ratio", ratio, "now", waiting, "want", want, "storage", why, "counterpart", ratioName)
}

// slowestStorage returns the slowest storage below the data of the instances,
// and its name for people.
func slowestStorage(c *rule.Case) (rule.Storage, say.Message) {
	worst := rule.Storage("")
	for i := range c.Snapshot.Instances {
		s, _, ok := c.ForInstance(&c.Snapshot.Instances[i]).StorageOf(snapshot.DataPlace)
		if !ok {
			return "", unknownStorage
		}
		if worst == "" || slices.Index(rule.Slowness, s) > slices.Index(rule.Slowness, worst) {
			worst = s
		}
	}
	switch worst {
	case rule.NVMe:
		return worst, say.M("NVMe")
	case rule.SSD:
		return worst, say.M("SSDs")
	case rule.HDD:
		return worst, say.M("rotating disks")
	case rule.SAN:
		return worst, say.M("a SAN")
	}
	return "", unknownStorage
}

var unknownStorage = say.M("storage of unknown type")
