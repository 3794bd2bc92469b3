package io

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Names of schedulers: before Linux 5.0 disks with one queue had those of the
// older block layer beside them.
var (
	sorting  = []string{"mq-deadline", "deadline"}
	passing  = []string{"none", "noop"}
	fairness = []string{"bfq", "cfq"}
)

var BlockScheduler = rule.Rule{
	Address: "block:*/scheduler",
	Title:   "I/O scheduler per block device",
	Why: "A scheduler pays off only if the order of requests matters. On a rotating disk, mq-deadline saves seeks " +
		"and keeps writes from starving reads. NVMe devices, virtual disks and the volumes of controllers and arrays " +
		"order requests themselves; there, none costs least. bfq (cfq before Linux 5.0) divides a disk among " +
		"processes and idles while it waits for the next request of one. This slows a server with many processes. " +
		"Only bfq obeys io.bfq.weight, set by systemd from IOWeight=.",
	Formula: "Applies to the disks below data directories, WAL and tablespaces, not to arrays and volumes above " +
		"them. bfq and cfq become none on devices that order requests themselves: NVMe, virtual disks, network block " +
		"devices, multipath paths and RAID controller volumes. On all others they become mq-deadline. A rotating " +
		"disk on bare metal without a RAID controller gets mq-deadline instead of none or kyber. Only schedulers " +
		"that the kernel has loaded. Other values stay.",
	Sources: []string{"linux-block", "linux-bfq", "dalibo-j1"},
	Effect:  knob.Now,
	Risk:    knob.Medium,
	Over: func(c *rule.Case) []knob.Address {
		var disks []host.Block
		for _, chain := range c.Stacks() {
			for _, b := range chain {
				if len(b.Below) == 0 && b.Kind != "partition" {
					disks = append(disks, b)
				}
			}
		}
		return c.AddressesOf("scheduler", disks)
	},
	Legal: func(c *rule.Case, value string) error {
		b, _ := rule.BlockOf(c.Snapshot, c.Address)
		if offered, ok := b.Schedulers.Get(); ok && !slices.Contains(offered, value) {
			return say.Err("invalid scheduler {value}: the kernel offers for {device}: {names}",
				"value", say.Quoted(value), "device", b.Name, "names", say.Names(offered, 0))
		}
		return nil
	},
	Decide: func(c *rule.Case) {
		b, ok := rule.BlockOf(c.Snapshot, c.Address)
		if !ok || !c.Kernel() {
			return
		}
		have, ok1 := rule.Need(c, b.Scheduler)
		offered, ok2 := rule.Need(c, b.Schedulers)
		if !ok1 || !ok2 {
			return
		}
		if why := rule.Unlike(b); !why.IsZero() {
			c.Keep("{device} is {why}", "device", b.Name, "why", why)
			return
		}
		what, orders, rotating := ordersItself(c, b)
		fair := slices.Contains(fairness, have)
		var want []string
		var why say.Template
		switch {
		case fair && orders:
			want, why = passing,
				"{present} divides the disk among processes, and every session is one; {device} ({what}) orders "+
					"requests itself"
		case fair:
			want, why = sorting,
				"{present} divides the disk among processes (every session is one) and idles between their requests; "+
					"it is used for {device} ({what})"
		case !orders && rotating && (have == "kyber" || slices.Contains(passing, have)):
			want, why = sorting,
				"with {present}, {device} ({what}) serves requests in order of arrival and seeks between them"
		default:
			c.Keep("{present} suits {device} ({what})", "present", have, "device", b.Name, "what", what)
			return
		}
		i := slices.IndexFunc(want, func(s string) bool { return slices.Contains(offered, s) })
		if i < 0 {
			c.Miss(known.Gap{Fact: string(c.Address), Reason: "not loaded in the kernel: " + strings.Join(want, ", "),
				Reveal: "modprobe " + want[0]})
			return
		}
		if fair {
			c.Warn(
				"The scheduler {present} of {device} obeys the I/O weights of systemd units (IOWeight=) and cgroups. "+
					"With another scheduler, these weights have no effect on that disk unless io.cost is configured.",
				"present", have,
				"device", b.Name)
		}
		c.WarnTuned()
		c.Set(want[i], why, "present", have, "device", b.Name, "what", what)
	},
}

// raidModel are words in the model of a volume that a RAID controller shows: its
// rotational flag is that of the disks behind it, which it orders itself.
var raidModel = regex.New(`(?i)raid|perc|logical volume|smart array|virtual|^mr[89]`)

// ordersItself says what the disk is, as a noun phrase, whether what is behind its
// queue orders requests itself, and whether it is known to rotate.
func ordersItself(c *rule.Case, b host.Block) (what say.Message, orders, rotating bool) {
	blocks, _ := c.Snapshot.Host.Blocks.Get()
	above := slices.ContainsFunc(blocks, func(o host.Block) bool {
		return strings.HasPrefix(o.DMUUID, "mpath-") && slices.Contains(o.Below, b.Name)
	})
	switch {
	case strings.HasPrefix(b.Name, "nvme"):
		return say.M("NVMe device"), true, false
	case b.Network():
		return say.M("network block device"), true, false
	case strings.HasPrefix(b.DMUUID, "mpath-"), above:
		return say.M("part of a multipath device"), true, false
	case b.Virtual():
		return say.M("virtual disk"), true, false
	case raidModel.MatchString(b.Model):
		return say.M("volume of a RAID controller"), true, false
	}
	kind, reason := c.DiskKind(b)
	if !reason.IsZero() {
		if v, ok := c.Snapshot.Host.Virt.Get(); ok && v.Kind != "none" && v.Kind != "" {
			return say.M("disk of a virtual machine"), true, false
		}
		return say.M("disk of unknown type"), false, false
	}
	// A person knows better than the flag.
	if said := c.Options.Storage; said == rule.HDD || said == rule.SSD {
		kind = said
	}
	if kind == rule.HDD {
		return say.M("rotating disk"), false, true
	}
	return say.M("flash"), false, false
}
