package storage

import "github.com/pgfettle/pgfettle/internal/judge/check"

// DirtyWritebackOff is a warning: nothing is written until a process waits for it.
var DirtyWritebackOff = check.Check{
	ID:       "dirty_writeback_off",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "Periodic writeback of dirty pages is disabled",
	Why: "With vm.dirty_writeback_centisecs = 0, the kernel does not write old dirty pages periodically. They " +
		"accumulate up to the dirty page limits, and then a checkpoint's fsync or any writing backend waits for " +
		"all of them at once. Laptop guides set it to let the disk sleep.",
	Do: "1. Write this line into /etc/sysctl.d/60-postgresql.conf: vm.dirty_writeback_centisecs = 500\n" +
		"2. Load it (takes effect now): sysctl --system\n" +
		"3. Find the file that disabled it and remove its line: grep -r dirty_writeback /etc",
	Commands: []check.Command{
		check.Conf("vm.dirty_writeback_centisecs = 500"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"linux-vm", "linux-writeback"},
	Judge: func(c *check.Case) {
		n, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.dirty_writeback_centisecs"))
		if ok && n == 0 {
			c.Found("vm.dirty_writeback_centisecs = 0.")
		}
	},
}
