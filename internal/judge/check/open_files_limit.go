package check

import "strconv"

// ownFiles is what a backend holds beside the files of max_files_per_process:
// sockets, logs, the epoll and AIO descriptors. PostgreSQL reserves 10 and asks
// for 48 more at least (fd.c); 100 is room for extensions.
const ownFiles = 100

// OpenFilesLimit is a notice: the server lowers its own limit to what it is
// allowed at start, and only logs that at DEBUG level.
var OpenFilesLimit = Check{
	ID:       "open_files_limit",
	Area:     Service,
	Severity: Notice,
	Scope:    PerInstance,
	Title:    "The server may open fewer files than it is set to",
	Why: "Each backend keeps up to max_files_per_process files open. A lower limit of the process wins silently: files are closed and opened again all the time where there are many tables or partitions, and " +
		"extensions that open files of their own meet \"too many open files\".",
	Do:      "Run systemctl edit for the unit, add [Service] and LimitNOFILE=65536, then systemctl daemon-reload and restart the server. Started by hand, raise the owner's nofile in /etc/security/limits.d.",
	Sources: []string{"pg-kernel-resources", "pg-config-resource"},
	Judge: func(c *Case) {
		l, ok := Need(c, c.Instance.Limits)
		if !ok {
			return
		}
		set, ok := Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		want, ok := set.Int("max_files_per_process")
		if !ok || l.NoFile < 0 || l.NoFile >= want+ownFiles {
			return
		}
		c.Found("max_files_per_process = {want}, and the postmaster's limit is {limit} open files.", "want", strconv.FormatInt(want, 10), "limit", strconv.FormatInt(l.NoFile, 10))
	},
}
