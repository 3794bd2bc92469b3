package start

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StartLockFile judges postmaster.pid as the server does: any live process of its user
// with the process ID in it counts as a server.
var StartLockFile = check.Check{
	ID:       "start_lock_file",
	Area:     check.Startup,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "postmaster.pid prevents the server from starting",
	Why: "postmaster.pid holds a process ID. The server does not start if a process of its user has that ID, " +
		"or if processes still use the shared memory that the file names. Two servers in one data directory " +
		"would destroy the data. After a crash, or in a copy of a data directory, the file is stale, and its " +
		"process ID can belong to any other process.",
	Do: "1. Check the process. If it is a server of this data directory, stop it: pg_ctl stop -D " +
		"DATA_DIRECTORY\n" +
		"2. If processes of a crashed server remain, terminate them with kill -INT or kill -QUIT, never with " +
		"kill -9 first.\n" +
		"3. Check that no process uses the data directory: fuser -v DATA_DIRECTORY\n" +
		"4. Only then remove postmaster.pid, and start the server.",
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
				"1. Check that no server uses the data directory: fuser -v DATA_DIRECTORY\n"+
					"2. Remove postmaster.pid, and start the server.",
				"{file}: {fault}.", "file", l.File, "fault", l.Fault)
		case l.Live && l.DataDir != "":
			c.Found("{file} names {process}, which runs in {dir}.", "file", l.File, "process",
				check.Process(l.Program, l.PID), "dir", l.DataDir)
		case l.Live:
			c.Found("{file} names {process}.", "file", l.File, "process", check.Process(l.Program, l.PID))
		case l.Attached > 0:
			c.That(check.Critical, say.M(c.Remedy()), say.N(l.Attached,
				"Process {pid} in {file} no longer exists; {n} process still uses its shared memory (ID {id}).",
				"Process {pid} in {file} no longer exists; {n} processes still use its shared memory (ID {id}).",
				"file", l.File, "pid", strconv.Itoa(l.PID), "id", strconv.Itoa(l.Segment)))
		}
	},
}
