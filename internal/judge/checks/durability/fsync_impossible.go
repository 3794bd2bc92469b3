package durability

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// The most that a device can do, in writes of one block that are flushed one
// after the other.
const (
	// turnsMost: the fastest disks have 15,000 rotations per minute, 250 per second, and
	// the same block passes the head once per rotation. Twice that allows for
	// blocks that follow each other on a track.
	turnsMost = 500
	// sataMost: a flush on SATA is two commands that cannot overlap, each of some
	// 25 µs on the wire and in the controller.
	sataMost = 20_000
	// anyMost: a write and a flush over PCIe take 10 µs together on the fastest
	// flash with protected caches.
	anyMost = 100_000
)

// FsyncImpossible compares a measured rate with the maximum of this kind of
// device. It ignores persistent memory, and uses for a virtual disk only the
// maximum of every device: the host may have protected caches.
var FsyncImpossible = check.Check{
	ID:       "fsync_impossible",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "fsync faster than the disk can flush: a write cache answers",
	Why: "More flushed writes per second were measured than this kind of device can execute. A cache answers " +
		"instead: that of the controller, of the disk itself, or of a hypervisor that does not pass flushes on. " +
		"Unless a battery or capacitors protect it, a power failure loses committed transactions and the order " +
		"between WAL and data files.",
	Do: "1. Find the cache that answers. The controller's tool shows whether its cache has a working battery; for " +
		"the disk itself, run: smartctl -g wcache /dev/DISK\n" +
		"2. In a virtual machine, verify that the cache mode of the disk is not unsafe and does not ignore " +
		"flushes.\n" +
		"3. If nothing protects the cache, disable it.\n" +
		"4. Measure again: pgfettle probe --only fsync",
	Sources: []string{"pg-wal-reliability", "pg-test-fsync", "linux-block"},
	Judge: func(c *check.Case) {
		probe, ok := check.Need(c, c.Snapshot.Measured)
		if !ok {
			return
		}
		seen := map[string]bool{}
		for _, s := range volumes.Stacks(c) {
			d, ok := probe.On(s.Device)
			if !ok || seen[s.Device] || d.Flush == nil {
				continue
			}
			seen[s.Device] = true
			method, rate := fastest(d.Flush)
			kind, most := ceiling(c, s.Chain)
			if most == 0 || rate <= most {
				continue
			}
			sev := check.Warning // a controller with a battery is as fast
			if rate > anyMost {
				sev = check.Critical
			}
			inputs := []any{"method", method, "rate", int64(rate), "by", d.Flush.Author(), "kind", kind,
				"most", int64(most)}
			name := volumes.DeviceName(s.Chain[0])
			if name == measured.UnnamedDisk {
				c.FoundAs(sev, "{method}: {rate} flushed writes per second on the disk ({by}); at most {most} are "+
					"possible ({kind}).", inputs...)
				continue
			}
			c.FoundAs(sev,
				"{method}: {rate} flushed writes per second on {disk} ({by}); at most {most} are possible ({kind}).",
				append(inputs, "disk", name)...)
		}
	},
}

// fastest returns the method with the highest rate of one write.
func fastest(f *measured.Flush) (method string, rate float64) {
	for _, r := range f.Fsync.One {
		if !r.Missing && r.PerSecond > rate {
			method, rate = r.Name, r.PerSecond
		}
	}
	return method, rate
}

// ceiling returns the most that the disks below a directory can do, 0 if it is
// unknown.
func ceiling(c *check.Case, chain []host.Block) (kind say.Message, most float64) {
	rotates, sata := volumes.Physical(c), volumes.Physical(c)
	for _, b := range chain {
		if strings.HasPrefix(b.Name, "pmem") || strings.HasPrefix(b.Name, "ram") || b.Kind == "zram" {
			return say.Message{}, 0 // memory; another check reports data that is there
		}
		if b.Kind != "disk" {
			continue
		}
		r, ok := b.Rotational.Get()
		rotates = rotates && ok && r && !b.Virtual()
		sata = sata && b.Driver == "sd" && !b.Virtual()
	}
	switch {
	case rotates:
		return say.M("rotating disk"), turnsMost
	case sata:
		return say.M("SATA or SAS disk"), sataMost
	}
	return say.M("fastest flash"), anyMost
}
