package serverlog

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// lockFileLost is the cause of a shutdown that the server asks itself for.
const lockFileLost = "lock_file"

// maxStarts is how many starts and shutdowns are reported one by one.
const maxStarts = 20

// starts follows starts and shutdowns, which are no faults.
type starts struct {
	list      []Start
	count     int64
	open      bool // the last start has not come to its end
	shutdowns []Shutdown
	down      bool // the last shutdown has not been followed by a start that was ready
	downAt    stamp
	lockLost  bool // the server has said that it stops for its lock file: nobody asks it to
}

// take follows an entry; over says that the postmaster starts all over by itself after a
// crash, which is no start of it.
func (s *starts) take(e *pglog.Entry, k pglog.Kind, at stamp, over bool) {
	switch k {
	case pglog.WasShutDown, pglog.Interrupted:
		if over {
			return
		}
	}
	switch k {
	case pglog.Starting:
		s.open = false
		if x := s.begin(at); x != nil {
			x.Version = e.Version()
		}
	case pglog.StartPhase:
		s.begin(at)
	case pglog.WasShutDown, pglog.Interrupted:
		x := s.begin(at)
		if x == nil {
			return
		}
		us, zone, told := e.LastUp()
		x.Found = "interrupted"
		if k == pglog.WasShutDown {
			x.Found = "shut_down"
			if told {
				x.ShutDownAt = stamp{us: us, zone: string(zone), ok: true}.String()
			}
		} else if bytes.Contains(e.Message, []byte("while in recovery")) {
			x.Found = "recovering"
		}
	case pglog.Ready:
		if s.open && len(s.list) > 0 {
			s.list[len(s.list)-1].Ready = at.String()
		}
		s.open = false
		if s.down {
			if v, ok := at.since(s.downAt); ok && len(s.shutdowns) > 0 {
				s.shutdowns[len(s.shutdowns)-1].DownSeconds = &v
			}
			s.down = false
		}
	case pglog.ShutdownAsked:
		s.open, s.down, s.downAt = false, false, at
		if len(s.shutdowns) < maxStarts {
			s.shutdowns = append(s.shutdowns, Shutdown{Time: at.String(), How: howOf(e)})
			if s.lockLost {
				s.shutdowns[len(s.shutdowns)-1].Cause = lockFileLost
			}
			s.down = true
		}
		s.lockLost = false
	case pglog.ShutDown:
		s.open = false
		if s.down {
			x := &s.shutdowns[len(s.shutdowns)-1]
			if x.Done = at.String(); x.How != "immediate" { // that one ends the sessions when it is asked for
				s.downAt = at
			}
		}
	}
}

// begin is the start that is going on, a new one if there is none; nil if there are too many.
func (s *starts) begin(at stamp) *Start {
	if !s.open {
		s.open = true
		s.count++
		if len(s.list) < maxStarts {
			s.list = append(s.list, Start{Time: at.String()})
		}
	}
	if s.count > int64(len(s.list)) {
		return nil
	}
	return &s.list[len(s.list)-1]
}

// startFaults are what to do by what kept the server from starting.
var startFaults = []struct {
	words string
	do    say.Message
}{
	{"has wrong ownership", say.M("The data directory must belong to the account that the server runs as: chown -R " +
		"postgres: DATA_DIRECTORY. For a volume of a container, set runAsUser and fsGroup, or run chown on the host.")},
	{"invalid permissions", say.M("Run chmod 0700 DATA_DIRECTORY (since PostgreSQL 11 also 0750, if its group may " +
		"read it).")},
	{"group or world access", say.M("Run chmod 0700 DATA_DIRECTORY; for a private key file, chmod 0600.")},
	{"incompatible with server", say.M("The DETAIL shows why. Usually the files are of another major version: start " +
		"the programs of that version, or use pg_upgrade.")},
	{"does not exist", say.M("Check that the volume is mounted and that data_directory (PGDATA) is correct. Do not " +
		"run initdb on an empty mount point before you know where the data is.")},
	{"checkpoint record", say.M("Files are missing or damaged, or a backup was restored incompletely. Check the " +
		"disks, then restore a backup, or rebuild from a standby. pg_resetwal makes the server start, but loses data " +
		"and consistency: use it only on a copy, as the last resort, followed by a dump and restore.")},
	{"redo location",
		say.M("Usually a backup was restored without its backup_label, or with part of its WAL: restore it again as " +
			"a whole.")},
	{"recovery target", say.M("The WAL archive ends before the recovery target (recovery_target_time, _lsn, _xid, " +
		"_name). Set an earlier target, provide the missing WAL, or remove the recovery_target settings to recover " +
		"as far as possible.")},
	{"recovery stop point", say.M("The recovery target is before the end of the backup: use an earlier backup, or a " +
		"later target.")},
	{"WAL ends before", say.M("WAL of the backup is missing: restore_command must find all WAL up to the end of the " +
		"backup.")},
	{"insufficient parameter settings", say.M("A standby needs at least the primary's max_connections, " +
		"max_worker_processes, max_wal_senders, max_prepared_transactions and max_locks_per_transaction.")},
	{"could not bind", say.M("If the address is in use, ss -ltnp shows the process: stop it, or set port. If the " +
		"address is not one of the host, correct listen_addresses.")},
	{"sockets", say.M("Another server uses the port (ss -ltnp), or the socket directory is not writable " +
		"(unix_socket_directories).")},
	{"library", say.M("A library of shared_preload_libraries is not installed for this version, or was built for " +
		"another one.")},
	{"could not access file", say.M("A library of shared_preload_libraries is not installed for this version.")},
	{"startup process failure", say.M("The startup process, which recovers the database, ended. If the log before " +
		"does not show why, check the kernel log and the system log of that time, on Windows also the virus scanner.")},
	{"No space left", say.M("Free disk space first: there is none for the small files of the server itself.")},
}

func (c *Collector) startFailed(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.StartFailed, "start_failed", Critical, "Server could not start (once)",
		"Server could not start ({n} times)")
	if !ok {
		return f, false
	}
	// A start that fails writes a line for each address, and at last one that ends it.
	if c.fatalStarts > 0 && c.fatalStarts < f.Count {
		f.Count = c.fatalStarts
		f.Verdict = say.N(f.Count, "Server could not start (once)", "Server could not start ({n} times)")
	}
	all := c.kinds[pglog.StartFailed].words
	switch {
	case c.fatalStarts > 0:
	case onlyRecords(all) && c.kinds[pglog.Ready].count > 0:
		f.Severity = Warning
		f.Verdict = say.N(f.Count, "A checkpoint record was invalid, but the server started (once)",
			"A checkpoint record was invalid, but the server started ({n} times)")
	case onlyRecords(all):
		f.Verdict = say.N(f.Count, "Server found an invalid checkpoint record: it cannot start without a valid one "+
			"(once)", "Server found an invalid checkpoint record: it cannot start without a valid one ({n} times)")
	case c.kinds[pglog.Ready].count > 0 && onlyAddresses(all):
		f.Severity = Warning
		f.Verdict = say.N(f.Count, "Server could not listen on one of its addresses, but started with the others "+
			"(once)", "Server could not listen on one of its addresses, but started with the others ({n} times)")
	case strings.HasPrefix(all, "hot standby is not possible"): // at first a running standby only pauses
		f.Verdict = say.N(f.Count, "Standby stopped replaying WAL, its settings are lower than on the primary (once)",
			"Standby stopped replaying WAL, its settings are lower than on the primary ({n} times)")
	}
	for _, x := range startFaults {
		if strings.Contains(all, x.words) && !slices.ContainsFunc(f.Do, x.do.Equal) {
			f.Do = append(f.Do, x.do)
		}
	}
	if strings.Contains(strings.Join(c.kinds[pglog.StartFailed].samples, "\n"), "backup_label") {
		f.Do = append(f.Do, say.M("Remove backup_label only if these files are not a restored backup. After a "+
			"restore, "+
			"the server needs it, and all WAL since the beginning of the backup."))
	}
	if d := c.startup; d.Exit > 0 && d.PID > 0 {
		f.Evidence = append(f.Evidence, say.M("startup process (PID {pid}) exited with code {code}", "pid",
			strconv.Itoa(d.PID), "code", d.Exit))
	}
	if name, value := settingOfPrimary(all); name != "" {
		f.Do = append(f.Do, say.M("Set {name} to at least {value} on this server, the value of the primary, and start "+
			"it again.", "name", name, "value", value))
	}
	if len(f.Do) == 0 {
		f.Do = append(f.Do, say.M("Correct what the message names. pgfettle check --conf postgresql.conf checks the "+
			"settings."))
	}
	return f, true
}

// settingOfPrimary reads «… because NAME = N is a lower setting than on the primary server (its value was N)»; "":
// there is none.
func settingOfPrimary(all string) (name, value string) {
	before, rest, ok := strings.Cut(all, " is a lower setting than on the ")
	_, value, told := strings.Cut(rest, "(its value was ")
	if value, _, told = strings.Cut(value, ")"); !ok || !told {
		return "", ""
	}
	words := strings.Fields(before)
	if len(words) < 3 || words[len(words)-2] != "=" {
		return "", ""
	}
	return words[len(words)-3], value
}

// onlyRecords reports whether all of some messages are of checkpoint records, whose PANIC is not among them.
func onlyRecords(all string) bool {
	for line := range strings.Lines(all) {
		if !strings.HasPrefix(line, "invalid ") || !strings.Contains(line, " checkpoint ") {
			return false
		}
	}
	return all != ""
}

// onlyAddresses reports whether all of some messages are of addresses to listen on.
func onlyAddresses(all string) bool {
	for line := range strings.Lines(all) {
		if !strings.Contains(line, "could not bind ") && !strings.Contains(line, "could not create listen socket") &&
			!strings.Contains(line, "could not create Unix-domain socket in") {
			return false
		}
	}
	return true
}

func (c *Collector) lockFile(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.LockFile, "lock_file", Critical,
		"Lock file kept the server from starting or made it stop (once)",
		"Lock file kept the server from starting or made it stop ({n} times)")
	if !ok {
		return f, false
	}
	if c.locked.pid > 0 {
		f.Do = append(f.Do, say.M("Check which process that is: ps -p {pid} -o pid,user,lstart,args. If it is a "+
			"postmaster, the server already runs: use it, or stop it with pg_ctl.", "pid", strconv.Itoa(c.locked.pid)))
		if c.locked.pid <= 200 {
			f.Do = append(f.Do, say.M("Such a low PID is usually that of a container, where each new one has the "+
				"same PID: the file is left from a container that was killed, or two containers use one volume."))
		}
	}
	all := c.kinds[pglog.LockFile].words
	if strings.Contains(all, "shared memory block") {
		f.Do = append(f.Do, say.M("A shared memory block still in use means that processes of the former server "+
			"still run: ps -ef shows them. Stop them with pg_ctl stop, or kill -TERM PID, before you start the "+
			"server. Deleting postmaster.pid does not help."))
	}
	if strings.Contains(all, "data directory lock file is invalid") || strings.Contains(all, "contains wrong PID") {
		f.Do = append(f.Do, say.M("A running server stops itself if its postmaster.pid is missing or belongs to "+
			"another process. Find what deletes or replaces that file, such as a script that stops or cleans up "+
			"the server, and remove that step."))
	}
	if !otherLocks(all) {
		return f, true
	}
	f.Do = append(f.Do, say.M("Only if no postgres process of that data directory runs anywhere, also not in another "+
		"container or on another host that mounts it: remove the file, and start the server. Two servers on one data "+
		"directory destroy it."))
	return f, true
}

// otherLocks reports whether a message is of a lock file that stands in the way of a start.
func otherLocks(all string) bool {
	for line := range strings.Lines(all) {
		if !strings.Contains(line, "shared memory block") && !strings.Contains(line, "lock file is invalid") &&
			!strings.Contains(line, "contains wrong PID") {
			return true
		}
	}
	return false
}

// panics are those of all kinds: each ends the server.
func (c *Collector) panics(*Report) (Finding, bool) {
	t := &c.panicked
	if t.count == 0 {
		return Finding{}, false
	}
	f := Finding{ID: "panic", Severity: Critical, Count: t.count, First: t.first.String(), Last: t.last.String(),
		Verdict:  say.N(t.count, "Server stopped with a PANIC once", "Server stopped with a PANIC {n} times"),
		Evidence: texts(t.samples),
		Do:       []say.Message{say.M("Correct what the PANIC names. Until then it can recur in each recovery.")}}
	return f, true
}

func (c *Collector) promoted(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.Promoted, "promoted", Notice, "Standby was promoted to a primary",
		"Standby was promoted to a primary {n} times",
		say.M("The former primary must not accept writes any more. pg_rewind turns it into a standby of this server."))
	if ok && c.timeline > 0 {
		f.Evidence = append(f.Evidence, say.M("new timeline: {timeline}", "timeline",
			strconv.FormatInt(c.timeline, 10)))
	}
	return f, ok
}

func (c *Collector) diverged(*Report) (Finding, bool) {
	return c.finding(pglog.Diverged, "timeline_diverged", Critical,
		"Timelines diverged, a standby or a restore cannot follow (once)",
		"Timelines diverged, a standby or a restore cannot follow ({n} times)",
		say.M("Usually one server went on after the other was promoted. Decide which of them is right. pg_rewind "+
			"(with wal_log_hints or data checksums) or pg_basebackup turns the other into its standby. For a "+
			"restore, set recovery_target_timeline."))
}

// notAccepting is the finding of connections that were turned away by a server that is starting or recovering, if no
// crash accounts for them.
func (c *Collector) notAccepting(r *Report) (Finding, bool) {
	if len(r.Crashes) > 0 {
		return Finding{}, false
	}
	if c.refusing == 0 && c.refusedLast > 0 && len(r.Shutdowns) == 0 { // nothing else in the log says that it stopped
		f, ok := c.findingOf(pglog.NotAccepting, "not_accepting", Notice, say.N(c.refusedLast,
			"{n} connection was refused because the server was shutting down",
			"{n} connections were refused because the server was shutting down"))
		f.Count = c.refusedLast
		return f, ok
	}
	if c.refusing == 0 {
		return Finding{}, false
	}
	f, ok := c.findingOf(pglog.NotAccepting, "not_accepting", Notice, say.N(c.refusing,
		"{n} connection was refused during startup or recovery",
		"{n} connections were refused during startup or recovery"))
	f.Count = c.refusing
	return f, ok
}
