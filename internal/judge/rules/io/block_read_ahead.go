package io

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
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
	// readAheadNever is where the check read_ahead_wrong begins, whatever the
	// device asks for: some disks ask for 32 MB by a fault of their firmware.
	readAheadNever = limits.ReadAheadMost
)

var BlockReadAhead = rule.Rule{
	Address: "block:*/read_ahead_kb",
	Title:   "how far the kernel reads ahead of a sequential scan",
	Why: "Up to PostgreSQL 17 a sequential scan asks for a block or a few at a time, and it is the kernel's " +
		"read-ahead that makes large reads of them; from 18 on most scans ask ahead themselves. " +
		"Without it a scan waits for every block; with a huge window every scan that stops early, as LIMIT and most " +
		"index scans do, has read megabytes for nothing that push other files out of the cache. " +
		"Between 128 kB and 4 MB the right value depends on how much is scanned, and the difference is small.",
	Formula: "Of the device that the filesystem is on (a partition's disk, the array or the volume), as those below " +
		"it do not count. 0 becomes 128 kB, the kernel's default. More than 4 MB, and more than twice what the " +
		"device asks " +
		"for (optimal_io_size, by which the kernel sets it for arrays), becomes 512 kB on flash, and 4 MB on " +
		"rotating disks, for the profile dw, and where the kind of the storage is not known. " +
		"At 128 kB or less it becomes 4 MB on rotating disks for the profile dw. Devices over a network keep more " +
		"than 4 MB. All else stays.",
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
			return fmt.Errorf("%q is no whole number of kB from 0 to %d", value, most)
		}
		if page, ok := c.Snapshot.Host.PageSize.Get(); ok && page > 0 && unit.Bytes(n)*unit.KB%page != 0 {
			return fmt.Errorf("%s kB are no whole number of pages of %s, which the kernel counts it in", value, page)
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
		if why := rule.Unlike(b); why != "" {
			c.Keep("{device} {why}", "device", b.Name, "why", why)
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
				"the profile dw scans, and {what}: where several scans run it takes 10 ms to get to the next and "+
					"reads {present} in less than one; 4 MB take it 20", "what", what, "present", have)
		case have == 0:
			c.WarnTuned()
			c.Set(readAheadDefault,
				"read-ahead of {device} is switched off: every scan waits for it block by block, or a few at a "+
					"time; 128 kB is the kernel's default", "device", device)
		case have > readAheadScans && b.Network():
			c.Keep(
				"{device} is a device over a network: a window of {present} asks its server once where a smaller "+
					"one would wait for it several times", "device", device, "present", have)
		case have > readAheadScans:
			optimal, ok := b.OptimalIO.Get()
			if !ok && have < readAheadNever {
				c.Miss(known.Gap{Fact: "optimal_io_size of " + b.Name,
					Reason: "without it nobody can say whether the device asks for so much read-ahead",
					Reveal: "take the evidence again with pgfettle snapshot"})
				return
			}
			asked := 2 * optimal // as the kernel doubles it
			if asked >= readAheadNever {
				asked = 0
			}
			if have <= asked {
				c.Keep("{present} is what the kernel made of the {optimal} that {device} asks for", "present", have,
					"optimal", optimal, "device", device)
				return
			}
			c.WarnTuned()
			c.Set(max(usual, asked),
				"a scan that stops early has read up to {present} of {device} for nothing, and pushed as much out "+
					"of the cache; {what}", "present", have, "device", device, "what", what)
		default:
			c.Keep("{present} for {device} is within what serves", "present", have, "device", device)
		}
	},
}

// storageUnder returns what a device and all below it are, the slowest of them, and
// how that is known, as a clause; "" where it is not.
func storageUnder(c *rule.Case, top host.Block) (rule.Storage, string) {
	if s := c.Options.Storage; s != "" {
		return s, "you said that the storage is " + string(s)
	}
	blocks, _ := c.Snapshot.Host.Blocks.Get()
	s, why, reason := c.StorageOfChain(host.Chain(blocks, top.Name))
	if reason != "" {
		return "", "what the storage is is not known: " + reason
	}
	return s, why
}
