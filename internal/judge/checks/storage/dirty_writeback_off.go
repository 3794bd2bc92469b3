package storage

import "github.com/pgfettle/pgfettle/internal/judge/check"

// DirtyWritebackOff is a warning: nothing is written until somebody waits for it.
var DirtyWritebackOff = check.Check{
	ID:       "dirty_writeback_off",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "The kernel does not write dirty pages by itself",
	Why: "With vm.dirty_writeback_centisecs = 0 the periodic writing of old dirty pages is off: they pile up to the " +
		"dirty limits, and then a checkpoint's fsync or any writing backend pays for all of them at once. Laptop " +
		"guides set it to spare a disk.",
	Do: "Write vm.dirty_writeback_centisecs = 500 into /etc/sysctl.d/60-postgresql.conf and run sysctl --system; " +
		"find with grep -r dirty_writeback /etc what set it.",
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
