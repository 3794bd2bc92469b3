package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var OvercommitKBytes = rule.Rule{
	Address: knob.Sysctl("vm.overcommit_kbytes"),
	Title:   "how much memory may be promised under strict overcommit, swap not counted",
	Why: "The limit can be told as a percentage (vm.overcommit_ratio) or as an amount; writing one sets the other " +
		"to 0. A percentage is of the memory without huge pages, so it means another limit " +
		"whenever the pool changes, and on a large host one percent is gigabytes. With the amount the kernel does " +
		"not take huge pages off: they are taken off here, and the amount has to be computed again when the pool " +
		"changes.",
	Formula: "80 % of the memory, less huge pages of all sizes as planned, less swap, which the kernel adds again. " +
		"Not beside ZFS, whose cache is not counted.",
	Sources: []string{"linux-commit-limit", "linux-vm", "dalibo-j1"},
	Needs:   []knob.Address{knob.Sysctl("vm.overcommit_memory")},
	Effect:  knob.Now,
	Risk:    knob.High,
	Unit:    "kB",
	Decide: func(c *rule.Case) {
		mode, ok := c.Int(knob.Sysctl("vm.overcommit_memory"))
		if !ok || mode != 2 || c.Among() || !c.Kernel() {
			return
		}
		if mounts, ok := c.Snapshot.Host.Mounts.Get(); ok && rule.ZfsMounted(mounts) {
			return // whoever chose strict overcommit beside the ARC chose the limit as well
		}
		s, ok := sizing.StrictCommit(c)
		if !ok || s.Commit.KBytes == 0 {
			return
		}
		amount := []say.Message{say.M("80 % of {memory}", "memory", s.Commit.Total)}
		if s.Commit.Hugetlb > 0 {
			amount = append(amount, say.M("less {huge} of huge pages, which the kernel does not take off where an "+
				"amount is given", "huge", s.Commit.Hugetlb))
		}
		if s.Commit.Swap > 0 {
			amount = append(amount, say.M("less {swap} of swap, which it adds", "swap", s.Commit.Swap))
		}
		c.SetAs(s.Commit.KBytes, say.All(": ", say.All(", ", amount...),
			say.M("CommitLimit becomes {limit}. vm.overcommit_ratio becomes 0 by it", "limit", s.Limit)))
	},
}
