package serverlog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// maxStarts is how many starts and shutdowns are told one by one.
const maxStarts = 20

// starts follows starts and shutdowns, which are no faults.
type starts struct {
	list      []Start
	count     int64
	open      bool // the last start has not come to its end
	shutdowns []Shutdown
	down      bool // the last shutdown has not been followed by a start that was ready
	downAt    stamp
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
			s.down = true
		}
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

// begin is the start that is going on, a new one where none is; nil where there are too many.
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
var startFaults = []struct{ words, do string }{
	{"has wrong ownership", "The data directory has to belong to the account that the server runs as: chown -R " +
		"postgres: DATA_DIRECTORY. In a container it is the volume's: its runAsUser and fsGroup, or chown on " +
		"the host."},
	{"invalid permissions", "chmod 0700 DATA_DIRECTORY (0750 where its group may read, 11+)."},
	{"group or world access", "chmod 0700 DATA_DIRECTORY; a key file: chmod 0600."},
	{"incompatible with server", "The files are of another major version: start that one's program, or pg_upgrade."},
	{"does not exist", "Is the volume mounted, and data_directory (PGDATA) the right one? Do not run initdb over an " +
		"empty mount point before it is clear where the data is."},
	{"checkpoint record", "Files are missing or damaged: look into the disks, then restore a backup, or rebuild from " +
		"a standby. pg_resetwal gets it to start and loses data and consistency: for a copy, as the last resort, " +
		"followed by a dump and a restore."},
	{"redo location", "Files of a backup without its backup_label, or with part of its WAL: restore it again as a " +
		"whole."},
	{"recovery target", "The archive does not reach recovery_target_time (…_lsn, …_xid, …_name): set an earlier one, " +
		"bring the WAL that is missing, or leave the recovery_target settings out to recover all that there is."},
	{"recovery stop point", "The recovery target is before the end of the backup: take an earlier backup, or a later " +
		"target."},
	{"WAL ends before", "WAL of the backup is missing: restore_command has to find it, up to the backup's end."},
	{"insufficient parameter settings", "A standby needs at least the primary's max_connections, " +
		"max_worker_processes, max_wal_senders, max_prepared_transactions and max_locks_per_transaction."},
	{"could not bind", "Another server has that address: ss -ltnp names its process. Stop it, or set port."},
	{"sockets", "Another server has that port, or the socket's directory may not be written to: ss -lntp, " +
		"unix_socket_directories."},
	{"library", "shared_preload_libraries names what is not installed for this version, or is of another one."},
	{"could not access file", "shared_preload_libraries names what is not installed for this version."},
	{"No space left", "Make room on the disk first: it has none for the server's own small files."},
}

func (c *Collector) startFailed(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.StartFailed, "start_failed", Critical, "the server could not start, {n}")
	if !ok {
		return f, false
	}
	// A start that fails writes a line for each address, and at last one that ends it.
	if c.fatalStarts > 0 && c.fatalStarts < f.Count {
		f.Count = c.fatalStarts
		f.Verdict = "the server could not start, " + times(f.Count)
	}
	all := c.kinds[pglog.StartFailed].words
	if c.fatalStarts == 0 && c.kinds[pglog.Ready].count > 0 && onlyAddresses(all) {
		f.Severity = Warning
		f.Verdict = "the server could not listen on one of its addresses, " + times(f.Count) +
			", and started on the others"
	}
	for _, x := range startFaults {
		if strings.Contains(all, x.words) && !slices.Contains(f.Do, x.do) {
			f.Do = append(f.Do, x.do)
		}
	}
	if len(f.Do) == 0 {
		f.Do = append(f.Do, "What the message names has to be mended first; pgfettle check --conf postgresql.conf "+
			"looks through the settings.")
	}
	return f, true
}

// onlyAddresses says whether all of some messages are of addresses to listen on.
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
		"the server could not start or had to stop, as of its lock file, {n}")
	if !ok {
		return f, false
	}
	if c.locked.pid > 0 {
		f.Do = append(f.Do, fmt.Sprintf("Look at what process that is: ps -p %d -o pid,user,lstart,args. If it is a "+
			"postmaster, the server runs already: use it, or stop it with pg_ctl.", c.locked.pid))
		if c.locked.pid <= 200 {
			f.Do = append(f.Do, "So low a PID is mostly one of a container, where each new one has the same: the file "+
				"is left of a container that was killed, or two use one volume.")
		}
	}
	f.Do = append(f.Do, "Only if no postgres process of that data directory runs anywhere (also not in another "+
		"container or on another host that mounts it): remove the file, and start. Two servers on one data directory "+
		"destroy it.")
	return f, true
}

// panics are those of all kinds: each ends the server.
func (c *Collector) panics(*Report) (Finding, bool) {
	t := &c.panicked
	if t.count == 0 {
		return Finding{}, false
	}
	f := Finding{ID: "panic", Severity: Critical, Count: t.count, First: t.first.String(), Last: t.last.String(),
		Verdict: "the server met what it cannot go on from (PANIC), " + times(t.count), Evidence: t.samples,
		Do: []string{"What the PANIC names has to be mended: until then it comes again, often in each recovery."}}
	return f, true
}

func (c *Collector) promoted(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.Promoted, "promoted", Notice, "a standby was promoted to a primary, {n}",
		"The former primary must not take writes any more; pg_rewind makes it a standby of this one.")
	if ok && c.timeline > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("it went on as timeline %d", c.timeline))
	}
	return f, ok
}

func (c *Collector) diverged(*Report) (Finding, bool) {
	return c.finding(pglog.Diverged, "timeline_diverged", Critical,
		"two servers have different histories, {n}: a standby or a restore cannot follow",
		"One of them went on by itself after the other was promoted. Decide which one counts; pg_rewind (with "+
			"wal_log_hints or checksums) brings the other back, else pg_basebackup. For a restore: "+
			"recovery_target_timeline.")
}

// notAccepting is the finding of connections that were turned away by a server that starts
// or recovers, where no crash tells of them.
func (c *Collector) notAccepting(r *Report) (Finding, bool) {
	if c.refusing == 0 || len(r.Crashes) > 0 {
		return Finding{}, false
	}
	f, ok := c.finding(pglog.NotAccepting, "not_accepting", Notice,
		"connections were turned away while the server started or recovered, {n}")
	f.Count = c.refusing
	return f, ok
}
