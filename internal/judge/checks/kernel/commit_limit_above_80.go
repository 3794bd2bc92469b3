package kernel

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// CommitLimitAbove80 draws its line at memory.CommitShare, the rule of the
// training module that this project was founded on: a fifth stays for the page
// cache, page tables and the kernel, none of which the limit counts. Where the
// limit and the huge pages together exceed memory and swap, it protects from
// nothing: a warning.
var CommitLimitAbove80 = check.Check{
	ID:        "commit_limit_above_80",
	Area:      check.Kernel,
	Severity:  check.Notice,
	Scope:     check.PerHost,
	DependsOn: []string{"overcommit_limit_too_low"}, // first the server needs less, then the limit may be lowered
	Title:     "The commit limit leaves too little for cache and kernel",
	Why: "vm.overcommit_memory = 2 is set so that memory ends with an error for one query instead of the OOM killer " +
		"for the server. The limit counts only what processes asked for; page " +
		"tables, kernel memory, huge pages and the page cache come on top. When it lies too near to the memory " +
		"itself the OOM killer comes first after all.",
	Do: "Lower vm.overcommit_ratio or vm.overcommit_kbytes so that the limit and the huge pages together are four " +
		"fifths of the memory.",
	Commands: []check.Command{
		check.Conf("vm.overcommit_ratio = {ratio}"),
		check.Conf("vm.overcommit_kbytes = {kbytes}"),
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
		do := say.Template("Write vm.overcommit_ratio = {ratio} into /etc/sysctl.d/60-postgresql.conf and run sysctl " +
			"--system, after making sure that Committed_AS is well below the new limit.")
		if k.KBytes > 0 {
			do = "Write vm.overcommit_kbytes = {kbytes} into /etc/sysctl.d/60-postgresql.conf and run sysctl " +
				"--system, after making sure that Committed_AS is well below the new limit."
		}
		c.FoundDo(sev, do,
			"CommitLimit {limit} and {huge} of huge pages are {share} of {total} of memory ({swap} of swap are part "+
				"of the limit).",
			"limit", k.Limit(), "huge", k.Hugetlb, "share", check.PercentOf(sum, k.Total), "total", k.Total,
			"swap", k.Swap,
			"ratio", k.RatioFor(), "kbytes", fmt.Sprint(int64(k.KBytesFor()/unit.KB)))
	},
}
