package devices

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// SsdCacheWriteback is silent if every path down from the cache ends in a
// mirror: then the failure of one SSD does not lose the unwritten blocks.
var SsdCacheWriteback = check.Check{
	ID:       "ssd_cache_writeback",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "SSD write-back cache (bcache, dm-cache) or flashcache",
	Why: "In writeback mode, bcache, dm-cache and dm-writecache acknowledge a write when it is on the SSD, and " +
		"copy it to the disks later. If that SSD fails, the newest blocks of the filesystem are lost, regardless " +
		"of the redundancy of the disks, and the rest is inconsistent. Flashcache, which old guides recommend, " +
		"has been unmaintained since 2017.",
	Do: "1. For bcache, use writethrough mode: echo writethrough > /sys/block/BCACHE/bcache/cache_mode\n" +
		"2. For dm-cache, use writethrough mode: lvchange --cachemode writethrough VG/LV\n" +
		"3. For dm-writecache, which has no such mode, detach the cache: lvconvert --splitcache VG/LV\n" +
		"4. Wait until no dirty blocks are left.\n" +
		"5. To keep writeback mode, put the cache on a mirror of two SSDs with power-loss protection. If the " +
		"database fits on flash, put it there without a cache.",
	Sources: []string{"linux-bcache", "linux-dm", "its-1c"},
	Judge: func(c *check.Case) {
		list := volumes.Stacks(c)
		dm := volumes.MappedUnder(c, list, func(b host.Block) bool {
			return strings.HasSuffix(b.DMUUID, "-cpool") || strings.HasSuffix(b.DMUUID, "-cvol")
		})
		seen := volumes.OnDevices(list, func(d volumes.Device) say.Message {
			mode, how, name := "", "bcache", volumes.DeviceName(d.Block)
			if v, ok := d.CacheMode.Get(); ok && d.Kind == "bcache" {
				mode = v
			}
			if m, ok := volumes.Mapped(dm, d.Block); ok && (m.Target == "cache" || m.Target == "writecache" ||
				m.Target == "flashcache") {
				mode, how = m.Mode, "dm-"+m.Target
				if m.Target == "flashcache" {
					return say.M("{device} is a flashcache ({directories})", "device", name, "directories",
						d.Directories())
				}
			}
			if mode != "writeback" {
				return say.Message{}
			}
			blocks, _ := c.Snapshot.Host.Blocks.Get()
			if mirrored(blocks, d.Name, 0) {
				return say.Message{}
			}
			return say.M("{device}: {kind} in writeback mode ({directories})", "device", name, "kind", how,
				"directories", d.Directories())
		})
		if len(seen.Items) > 0 {
			c.Found("{devices}.", "devices", seen)
		}
	},
}

// mirrored returns whether every path down from a device meets an array with
// redundancy.
func mirrored(blocks []host.Block, name string, depth int) bool {
	for _, b := range blocks {
		if b.Name != name {
			continue
		}
		if b.MDLevel != "" && b.MDLevel != "raid0" && b.MDLevel != "linear" {
			return true
		}
		for _, n := range b.Below {
			if depth > 16 || !mirrored(blocks, n, depth+1) { // deeper than any real stack: a loop
				return false
			}
		}
		return len(b.Below) > 0
	}
	return false
}
