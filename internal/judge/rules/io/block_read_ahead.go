package io

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

const (
	// readAheadDefault is the kernel's own (VM_READAHEAD_PAGES).
	readAheadDefault = 128 * unit.KB
	// readAheadFlash is the upper end of what is said to serve short transactions
	// on flash: beyond it nothing is gained, and a scan that stops has read more
	// for nothing.
	readAheadFlash = 512 * unit.KB
	// readAheadScans is what TuneD's profiles for servers set: a rotating disk reads
	// 4 MB in some 20 ms, twice the time that it takes to get there, and 128 kB in
	// less than one.
	readAheadScans = 4 * unit.MB
	// readAheadNever is the threshold of the check read_ahead_wrong, whatever the device requests: some disks ask for
	// 32 MB by a fault of their firmware.
	readAheadNever = limits.ReadAheadMost
)

var BlockReadAhead = rule.Rule{
	Address: "block:*/read_ahead_kb",
	Title:   "Kernel read-ahead per block device",
	Why: "Before PostgreSQL 18, a sequential scan requests one block or a few at a time, and kernel read-ahead turns " +
		"them into large reads. Since 18 most scans read ahead themselves. Without read-ahead a scan waits for every " +
		"block. With a very large window, scans that stop early (LIMIT, most index scans) read megabytes in vain and " +
		"evict other pages from the page cache. Between 128 kB and 4 MB the right value depends on the share of " +
		"scans, and the difference is small.",
	Formula: "Applies to the device with the filesystem (the disk of a partition, the array or the volume), not to " +
		"the devices below it. 0 becomes 128 kB, the kernel default. A value above 4 MB and above 2 × " +
		"optimal_io_size becomes 512 kB on flash. It becomes 4 MB on hdd, on storage of unknown type and for the " +
		"profile dw. With dw on hdd, 128 kB or less becomes 4 MB. Network block devices keep more than 4 MB. Other " +
		"values stay.",
	Sources: []string{"linux-block", "dalibo-j1"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Unit:    "kB",
	Over: func(c *rule.Case) []knob.Address {
		var tops []host.Block
		for _, chain := range c.Stacks() {
			for len(chain) > 1 && chain[0].Kind == "partition" {
				chain = chain[1:] // a partition has the window of its disk
			}
			tops = append(tops, chain[0])
		}
		return c.AddressesOf("read_ahead_kb", tops)
	},
	Legal: func(c *rule.Case, value string) error {
		const most = 1 << 20 // 1 GB: more than any window that was ever set on purpose
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > most || strconv.Itoa(n) != value {
			return say.Err("invalid value {value}: use a whole number of kB from 0 to {most}",
				"value", say.Quoted(value), "most", strconv.Itoa(most))
		}
		if page, ok := c.Snapshot.Host.PageSize.Get(); ok && page > 0 && unit.Bytes(n)*unit.KB%page != 0 {
			return say.Err("{value} kB is not a multiple of the page size, {page}", "value", value, "page", page)
		}
		return nil
	},
	Decide: func(c *rule.Case) {
		b, ok := rule.BlockOf(c.Snapshot, c.Address)
		if !ok || !c.Kernel() {
			return
		}
		have, ok := rule.Need(c, b.ReadAhead)
		if !ok {
			return
		}
		if why := rule.Unlike(b); !why.IsZero() {
			c.Keep("{device} is {why}", "device", b.Name, "why", why)
			return
		}
		device := strings.TrimPrefix(c.Address.Subject(), "mapper/")
		kind, what := storageUnder(c, b)
		scans := c.Options.Profile == rule.DW
		usual := readAheadScans
		if (kind == rule.NVMe || kind == rule.SSD) && !scans {
			usual = readAheadFlash
		}
		switch {
		case have == 0 && kind == rule.HDD && scans, have > 0 && have <= readAheadDefault && kind == rule.HDD && scans:
			c.WarnTuned()
			c.Set(readAheadScans,
				"the dw profile scans large tables ({what}): a seek takes 10 ms, reading {present} less than 1 ms, "+
					"reading 4 MB 20 ms", "what", what, "present", have)
		case have == 0:
			c.WarnTuned()
			c.Set(readAheadDefault,
				"read-ahead of {device} is off: scans wait for one block, or a few, at a time; 128 kB is the kernel "+
					"default", "device", device)
		case have > readAheadScans && b.Network():
			c.Keep(
				"{device} is a network block device: a window of {present} needs fewer round trips than a smaller one",
				"device", device, "present", have)
		case have > readAheadScans:
			optimal, ok := b.OptimalIO.Get()
			if !ok && have < readAheadNever {
				c.Miss(known.Gap{Fact: "optimal_io_size of " + b.Name,
					Reason: "needed to find out whether the device requests this much read-ahead",
					Reveal: "run pgfettle snapshot again"})
				return
			}
			asked := 2 * optimal // as the kernel doubles it
			if asked >= readAheadNever {
				asked = 0
			}
			if have <= asked {
				c.Keep("{present} is what the kernel derived from optimal_io_size = {optimal} of {device}", "present",
					have,
					"optimal", optimal, "device", device)
				return
			}
			c.WarnTuned()
			c.Set(max(usual, asked),
				"scans that stop early read up to {present} of {device} in vain and evict as much from the page "+
					"cache; {what}", "present", have, "device", device, "what", what)
		default:
			c.Keep("{present} for {device} is in the useful range", "present", have, "device", device)
		}
	},
}

// storageUnder returns what a device and all below it are, the slowest of them, and how that is known, as a clause; ""
// if it is not.
func storageUnder(c *rule.Case, top host.Block) (rule.Storage, say.Message) {
	if s := c.Options.Storage; s != "" {
		return s, say.M("--storage is {storage}", "storage", string(s))
	}
	blocks, _ := c.Snapshot.Host.Blocks.Get()
	s, why, reason := c.StorageOfChain(host.Chain(blocks, top.Name))
	if !reason.IsZero() {
		return "", say.M("storage type unknown: {reason}", "reason", reason)
	}
	return s, why
}
