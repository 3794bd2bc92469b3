package service

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// OpenFilesLimit is a notice: the server lowers its own limit to what it is
// allowed at start, and only logs that at DEBUG level. Its own descriptors (sockets, logs)
// lie within max_files_per_process, so that 1024, systemd's default, lets the
// setting's default of 1000 decide: measured on 13 to 18.
var OpenFilesLimit = check.Check{
	ID:       "open_files_limit",
	Area:     check.Service,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The server may open fewer files than it is set to",
	Why: "Each backend keeps up to max_files_per_process files open. A lower limit of the process wins silently: " +
		"files are closed and opened again all the time where there are many tables or partitions, and " +
		"extensions that open files of their own meet \"too many open files\".",
	Do: "Run systemctl edit for the unit, add [Service] and LimitNOFILE=65536, then systemctl daemon-reload and " +
		"restart the server. Started by hand, raise the owner's nofile in /etc/security/limits.d.",
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
		c.Found("max_files_per_process = {want}, and the postmaster's limit is {limit} open files.", "want",
			strconv.FormatInt(want, 10), "limit", strconv.FormatInt(l.NoFile, 10))
	},
}
