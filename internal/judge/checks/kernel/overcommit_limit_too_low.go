package kernel

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// commitLeft is the percentage of the limit that must be uncommitted: below it
// one sort or a few new sessions are refused.
const commitLeft = 5

// OvercommitLimitTooLow is for vm.overcommit_memory = 2 only. It is critical
// when the limit is nearly reached now, and a warning when the settings of the
// instances lead beyond it.
var OvercommitLimitTooLow = check.Check{
	ID:        "overcommit_limit_too_low",
	Area:      check.Kernel,
	Severity:  check.Warning,
	Scope:     check.PerHost,
	DependsOn: []string{"start_shared_memory"},
	Title:     "Commit limit is too low for this configuration",
	Why: "With vm.overcommit_memory = 2 the kernel refuses memory beyond CommitLimit, even while much memory " +
		"is free. Queries fail with \"out of memory\", new connections with \"could not fork new process\", " +
		"and other programs of the host fail too. Shared buffers on regular pages count in full. Huge pages " +
		"do not count, but they lower a limit that is set as a ratio.",
	Do: "1. Raise vm.overcommit_kbytes or vm.overcommit_ratio so that CommitLimit and huge pages together are " +
		"80% of RAM.\n" +
		"2. Or move shared_buffers into huge pages, or lower work_mem and max_connections.",
	Commands: []check.Command{
		check.Conf("vm.overcommit_kbytes = {kbytes}"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"pg-overcommit", "linux-commit-limit", "linux-vm"},
	Judge: func(c *check.Case) {
		k, ok := check.CommitLimit(c)
		if !ok {
			return
		}
		mem, _ := c.Snapshot.Host.Memory.Get()
		admin, ok1 := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.admin_reserve_kbytes"))
		user, ok2 := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.user_reserve_kbytes"))
		if !ok1 || !ok2 {
			return
		}
		usable := k.Usable(unit.Bytes(admin)*unit.KB, unit.Bytes(user)*unit.KB)
		do := say.Template("Put shared buffers into huge pages if they are on ordinary ones, or lower work_mem and " +
			"max_connections: with huge pages and swap the limit is already at four fifths of the memory.")
		if k.KBytesFor()+k.Swap > k.Limit() {
			do = "Write vm.overcommit_kbytes = {kbytes} into /etc/sysctl.d/60-postgresql.conf and run sysctl " +
				"--system: that is four fifths of the memory, less huge pages and swap. " +
				"If that does not suffice, put shared buffers into huge pages, or lower work_mem and max_connections."
		}
		pairs := []any{"limit", k.Limit(), "usable", usable, "committed", mem.CommittedAS, "kbytes",
			fmt.Sprint(int64(k.KBytesFor() / unit.KB))}
		if !check.AtLeast(usable-mem.CommittedAS, commitLeft, usable) {
			c.FoundDo(check.Critical, do,
				"CommitLimit is {limit}, of which {usable} are for ordinary processes, and {committed} are "+
					"committed already.", pairs...)
			return
		}
		need, expected, ok := committedByAll(c)
		if !ok || need <= usable {
			return
		}
		// No limit is right for settings that exceed the memory itself.
		c.Because("shared_buffers_vs_memory", "connections_vs_memory", "temp_buffers_vs_memory")
		if expected > mem.Total { // else work_mem is only said not to fit every connection
			c.Because("work_mem_vs_memory")
		}
		c.FoundDo(check.Warning, do,
			"CommitLimit is {limit}, of which {usable} are for ordinary processes; with all connections open and "+
				"sorts and hashes at work the settings lead to {need} ({committed} now).",
			append(pairs, "need", need)...)
	},
}

// committedByAll adds up what the settings of all instances let them commit with the
// sessions at work that are expected, or one hash in every connection where that is
// more: private memory, and the shared memory that is not in huge pages. expected is
// what the former take of the memory. ok is false when an instance or the processors
// are not known.
func committedByAll(c *check.Case) (sum, expected unit.Bytes, ok bool) {
	for i := range c.Snapshot.Instances {
		in := &c.Snapshot.Instances[i]
		m, ok := c.AtPeak(in)
		if !ok {
			return 0, 0, false
		}
		shared := m.SharedPage <= memory.BasePage(c.Snapshot)
		sum += max(m.Commits(shared), m.OneNodeEach().Commits(shared))
		expected += m.Parts().Sum()
	}
	return sum, expected, true
}
