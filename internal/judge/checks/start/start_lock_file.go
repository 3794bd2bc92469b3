package start

import "github.com/pgfettle/pgfettle/internal/judge/check"

// StartLockFile tells what the server itself would say of postmaster.pid: any live
// process of its account with the number in it counts as a server.
var StartLockFile = check.Check{
	ID:       "start_lock_file",
	Area:     check.Startup,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "postmaster.pid keeps the server from starting",
	Why: "The server takes postmaster.pid as a sign that another server works in the data directory, if a process " +
		"of its account has the number in it, or if processes still use the shared memory that it names. " +
		"Two servers in one directory would destroy the data. After a crash or in a copy of a data directory the " +
		"file is a leftover, and its number may be that of any other process.",
	Do: "1. Look at the named process. If it is a server of this directory, stop it: pg_ctl stop -D DATA_DIRECTORY.\n" +
		"2. If processes of a server that crashed are left, end them with kill -INT or kill -QUIT, never with kill " +
		"-9 first.\n" +
		"3. Remove postmaster.pid only when no process uses the data directory (fuser -v DATA_DIRECTORY), and start " +
		"the server.",
	Sources: []string{"pg-server-start", "pg-server-shutdown"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		l, ok := check.Need(c, c.Instance.Start.Lock)
		if !ok {
			return
		}
		switch {
		case l.Fault != "":
			c.FoundDo(check.Critical,
				"Make sure that no server uses the data directory (fuser -v DATA_DIRECTORY), remove postmaster.pid, "+
					"and start the server.",
				"{file}: {fault}.", "file", l.File, "fault", l.Fault)
		case l.Live && l.DataDir != "":
			c.Found("{file} names {process}, which works in {dir}.", "file", l.File, "process",
				check.ProcessName(l.Program, l.PID), "dir", l.DataDir)
		case l.Live:
			c.Found("{file} names {process}.", "file", l.File, "process", check.ProcessName(l.Program, l.PID))
		case l.Attached > 0:
			c.Found(
				"The server that {file} names (process {pid}) has ended; {n} of its processes still use the shared "+
					"memory (id {id}).",
				"file", l.File, "pid", l.PID, "n", l.Attached, "id", l.Segment)
		}
	},
}
