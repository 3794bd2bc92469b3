package kernel

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// CommitLimitAbove80 uses memory.CommitShare, the rule of Dalibo's training module J1:
// 20% of RAM stays for the page cache, page tables and the kernel, none of which the
// limit counts. If limit and huge pages together exceed RAM and swap, the limit
// protects from nothing: a warning.
var CommitLimitAbove80 = check.Check{
	ID:        "commit_limit_above_80",
	Area:      check.Kernel,
	Severity:  check.Notice,
	Scope:     check.PerHost,
	DependsOn: []string{"overcommit_limit_too_low"}, // first the server needs less, then the limit may be lowered
	Title:     "Commit limit is too high: too little left for the page cache and kernel",
	Why: "vm.overcommit_memory = 2 is set so that a query fails with an error before the OOM killer runs. The " +
		"commit limit counts only memory that processes allocate. Page tables, kernel memory, huge pages and " +
		"the page cache need memory in addition. If the limit is too close to RAM, the OOM killer still runs " +
		"first.",
	Do: "Lower vm.overcommit_ratio or vm.overcommit_kbytes so that CommitLimit and huge pages together are " +
		"80% of RAM.",
	Commands: []check.Command{
		check.Conf("vm.overcommit_ratio = {ratio}"),
		check.Conf("vm.overcommit_kbytes = {kbytes}"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"dalibo-j1", "pg-overcommit", "linux-commit-limit"},
	Judge: func(c *check.Case) {
		k, ok := check.CommitLimit(c)
		if !ok || k.Total == 0 {
			return
		}
		sum := k.Limit() + k.Hugetlb
		if sum <= k.Total.Scale(memory.CommitShare) {
			return
		}
		sev := check.Notice
		if sum > k.Total+k.Swap {
			sev = check.Warning
		}
		do := say.Template("1. Check in /proc/meminfo that Committed_AS is well below the new limit.\n" +
			"2. Write into /etc/sysctl.d/60-postgresql.conf: vm.overcommit_ratio = {ratio}\n" +
			"3. Run: sysctl --system")
		if k.KBytes > 0 {
			do = "1. Check in /proc/meminfo that Committed_AS is well below the new limit.\n" +
				"2. Write into /etc/sysctl.d/60-postgresql.conf: vm.overcommit_kbytes = {kbytes}\n" +
				"3. Run: sysctl --system"
		}
		c.FoundDo(sev, do,
			"CommitLimit ({limit}) and huge pages ({huge}) together are {share} of {total} RAM. The limit includes "+
				"{swap} of swap.",
			"limit", k.Limit(), "huge", k.Hugetlb, "share", check.PercentOf(sum, k.Total), "total", k.Total,
			"swap", k.Swap,
			"ratio", k.RatioFor(), "kbytes", fmt.Sprint(int64(k.KBytesFor()/unit.KB)))
	},
}
