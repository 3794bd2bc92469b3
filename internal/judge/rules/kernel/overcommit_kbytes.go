package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var OvercommitKBytes = rule.Rule{
	Address: knob.Sysctl("vm.overcommit_kbytes"),
	Title:   "Commit limit for strict overcommit",
	Why: "The commit limit is a percentage (vm.overcommit_ratio) or an amount; writing one sets the other to 0. The " +
		"percentage applies to RAM without huge pages, so the limit changes with the huge page pool, and 1% is " +
		"gigabytes on a large host. The kernel does not subtract huge pages from an amount. pgfettle subtracts them, " +
		"so the amount must be computed again when the pool changes.",
	Formula: "80% of RAM − huge pages of all sizes as planned − swap, which the kernel adds again. Not planned with " +
		"ZFS, whose cache (ARC) is not counted.",
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
			return // strict overcommit next to the ARC was set deliberately, and so was the limit
		}
		s, ok := sizing.StrictCommit(c)
		if !ok || s.Commit.KBytes == 0 {
			return
		}
		amount := []say.Message{say.M("80% of {memory} RAM", "memory", s.Commit.Total)}
		if s.Commit.Hugetlb > 0 {
			amount = append(amount, say.M("− {huge} huge pages",
				"huge", s.Commit.Hugetlb))
		}
		if s.Commit.Swap > 0 {
			amount = append(amount, say.M("− {swap} swap", "swap", s.Commit.Swap))
		}
		c.SetAs(s.Commit.KBytes, say.All("; ", say.All(" ", amount...),
			say.M("CommitLimit becomes {limit}, to which the kernel adds swap; vm.overcommit_ratio becomes 0", "limit",
				s.Limit)))
	},
}
