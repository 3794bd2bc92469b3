package service

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// OpenFilesLimit is a notice: at start the server lowers its own limit to the allowed
// one, and only logs that at DEBUG level. Its own descriptors (sockets, logs) are within
// max_files_per_process, so with 1024, systemd's default, the default of 1000 applies:
// measured on 13–18.
var OpenFilesLimit = check.Check{
	ID:       "open_files_limit",
	Area:     check.Service,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Open files limit is too low for max_files_per_process",
	Why: "Each backend keeps up to max_files_per_process files open. A lower limit of the process applies " +
		"silently. With many tables or partitions, backends then close and reopen files all the time. " +
		"Extensions that open files themselves fail with \"too many open files\".",
	Do: "1. Run: systemctl edit UNIT\n" +
		"2. Add under [Service]: LimitNOFILE=65536\n" +
		"3. Run: systemctl daemon-reload\n" +
		"4. Restart the server.\n" +
		"If the server is started without systemd, raise nofile of its user in /etc/security/limits.d.",
	Commands: []check.Command{
		check.Conf("LimitNOFILE=65536"),
		check.Shell("systemctl daemon-reload"),
	},
	Sources: []string{"pg-kernel-resources", "pg-config-resource"},
	Judge: func(c *check.Case) {
		l, ok := check.Need(c, c.Instance.Limits)
		if !ok {
			return
		}
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		want, ok := set.Int("max_files_per_process")
		if !ok || l.NoFile < 0 || l.NoFile >= want {
			return
		}
		c.Found("max_files_per_process = {want}, open files limit of the postmaster = {limit}.", "want",
			strconv.FormatInt(want, 10), "limit", strconv.FormatInt(l.NoFile, 10))
	},
}
