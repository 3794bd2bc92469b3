package kernel

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// commitLeft is the percentage of the limit that must be uncommitted: below it
// one sort or a few new sessions fail.
const commitLeft = 5

// OvercommitLimitTooLow is for vm.overcommit_memory = 2 only. It is critical
// if the limit is nearly reached now, and a warning if the settings of the
// instances can exceed it.
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
		do := say.Template("Move shared_buffers into huge pages if they are on regular pages, or lower work_mem and " +
			"max_connections. CommitLimit and huge pages together are already at least 80% of RAM.")
		if k.KBytesFor()+k.Swap > k.Limit() {
			do = "1. Write into /etc/sysctl.d/60-postgresql.conf: vm.overcommit_kbytes = {kbytes}\n" +
				"That is 80% of RAM, minus huge pages and swap.\n" +
				"2. Run: sysctl --system\n" +
				"3. If that is not enough, move shared_buffers into huge pages, or lower work_mem and max_connections."
		}
		pairs := []any{"limit", k.Limit(), "usable", usable, "committed", mem.CommittedAS, "kbytes",
			fmt.Sprint(int64(k.KBytesFor() / unit.KB))}
		if !check.AtLeast(usable-mem.CommittedAS, commitLeft, usable) {
			c.FoundDo(check.Critical, do,
				"CommitLimit = {limit}, usable by regular processes: {usable}. Committed_AS = {committed}.", pairs...)
			return
		}
		need, expected, ok := committedByAll(c)
		if !ok || need <= usable {
			return
		}
		// No limit is right for settings that exceed the memory itself.
		c.Because("shared_buffers_vs_memory", "connections_vs_memory", "temp_buffers_vs_memory")
		if expected > mem.Total { // else work_mem_vs_memory is only about all connections active
			c.Because("work_mem_vs_memory")
		}
		c.FoundDo(check.Warning, do,
			"CommitLimit = {limit}, usable by regular processes: {usable}. With all connections open and their sorts "+
				"and hashes, the settings can commit {need} (Committed_AS now: {committed}).",
			append(pairs, "need", need)...)
	},
}

// committedByAll adds up the memory that all instances can commit with the expected
// active sessions, or with one hash in every connection if that is more: private
// memory, and shared memory that is not in huge pages. expected is the memory that the
// former use. ok is false if an instance or the CPUs are unknown.
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
