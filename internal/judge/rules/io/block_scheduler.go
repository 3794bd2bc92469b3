package io

import (
	"fmt"
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
	Title:   "in which order the requests of all processes go to a disk",
	Why: "A scheduler is worth what it computes only where the order of requests matters: a rotating disk seeks " +
		"less with mq-deadline, and writes do not starve reads. NVMe, virtual disks and the volumes of " +
		"a controller or an array order by themselves, and none costs nothing there. bfq (cfq before Linux 5.0) " +
		"divides a disk among programs and holds it idle in wait for the next request of one: " +
		"a server's many processes are many programs to it. It is the only one that obeys io.bfq.weight, to which " +
		"systemd's IOWeight= comes down.",
	Formula: "Of the disks under data directories, WAL and tablespaces, never of arrays and volumes above them: bfq " +
		"and cfq give way to none on NVMe, virtual disks, devices over a network and paths of a multipath device, " +
		"and to mq-deadline on all " +
		"others; a rotating disk of a machine without a hypervisor has mq-deadline instead of none and kyber, " +
		"unless a RAID controller is before it. Only among those that the kernel has loaded. All else stays.",
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
			return fmt.Errorf("%q is not one of those that the kernel has for %s: %s", value, b.Name,
				strings.Join(offered, ", "))
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
		if why := rule.Unlike(b); why != "" {
			c.Keep("{device} {why}", "device", b.Name, "why", why)
			return
		}
		what, orders := ordersItself(c, b)
		fair := slices.Contains(fairness, have)
		var want []string
		var why say.Template
		switch {
		case fair && orders:
			want, why = passing,
				"{present} divides the disk among programs, and a server's sessions are many of them to it; "+
					"{device} {what}, so nothing has to be put into an order here"
		case fair:
			want, why = sorting,
				"{present} divides the disk among programs and holds it idle for one of them, and a server's "+
					"sessions are many of them to it; {device} {what}"
		case !orders && what == rotates && (have == "kyber" || slices.Contains(passing, have)):
			want, why = sorting,
				"{device} {what}: with {present} its requests go to it in the order of their arrival, and it seeks "+
					"between them"
		default:
			c.Keep("{present} is right for {device}, which {what}", "present", have, "device", b.Name, "what", what)
			return
		}
		i := slices.IndexFunc(want, func(s string) bool { return slices.Contains(offered, s) })
		if i < 0 {
			c.Miss(known.Gap{Fact: string(c.Address), Reason: "the kernel has not loaded " + strings.Join(want, " or "),
				Reveal: "modprobe " + want[0]})
			return
		}
		if fair {
			c.Warn(
				"The scheduler {present} of {device} is the one that obeys IOWeight= of systemd units and "+
					"io.bfq.weight of control groups; without it these have no effect on that disk.", "present", have,
				"device", b.Name)
		}
		c.WarnTuned()
		c.Set(want[i], why, "present", have, "device", b.Name, "what", what)
	},
}

// rotates is what is said of a disk whose requests have to be put into an order.
const rotates = "is a rotating disk"

// raidModel are words in the model of a volume that a RAID controller shows: its
// rotational flag is that of the disks behind it, which it orders by itself.
var raidModel = regex.New(`(?i)raid|perc|logical volume|smart array|virtual|^mr[89]`)

// ordersItself says whether what lies behind a disk's queue puts requests into
// an order by itself, and what the disk is, as a clause.
func ordersItself(c *rule.Case, b host.Block) (what string, orders bool) {
	blocks, _ := c.Snapshot.Host.Blocks.Get()
	above := slices.ContainsFunc(blocks, func(o host.Block) bool {
		return strings.HasPrefix(o.DMUUID, "mpath-") && slices.Contains(o.Below, b.Name)
	})
	switch {
	case strings.HasPrefix(b.Name, "nvme"):
		return "is NVMe", true
	case b.Network():
		return "is a device over a network, whose server orders by itself", true
	case strings.HasPrefix(b.DMUUID, "mpath-"), above:
		return "is of a multipath device, whose array orders by itself", true
	case b.Virtual():
		return "is a virtual disk", true
	case raidModel.MatchString(b.Model):
		return "is a volume of a RAID controller", true
	}
	kind, reason := c.DiskKind(b)
	if reason != "" {
		if v, ok := c.Snapshot.Host.Virt.Get(); ok && v.Kind != "none" && v.Kind != "" {
			return "is a disk of a virtual machine", true
		}
		return "is a disk of which more is not known", false
	}
	// A person knows better than the flag.
	if said := c.Options.Storage; said == rule.HDD || said == rule.SSD {
		kind = said
	}
	if kind == rule.HDD {
		return rotates, false
	}
	return "is flash", false
}
