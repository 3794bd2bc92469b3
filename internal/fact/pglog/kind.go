package pglog

import "bytes"

// Kind is what an entry tells of.
type Kind uint8

// The kinds. Other is everything that no diagnosis asks for.
const (
	Other           Kind = iota
	Corrupt              // damaged data, or a page that could not be read
	ChildDied            // a process of the server was killed or exited
	Reinit               // the postmaster starts all over after a crash
	CrashNotice          // a session was ended because another process crashed
	EndingAll            // the postmaster ends all of them, because a process crashed
	PostmasterGone       // a session finds that the postmaster has gone
	Starting             // a postmaster starts
	StartPhase           // it listens, or hands its log on, which it does while it starts
	StartFailed          // it does not start, or a standby does not take connections
	StartupGaveUp        // as its startup process ended
	LockFile             // another server seems to run, or the lock file was taken away
	NoRestart            // restart_after_crash is off
	WasShutDown          // the startup process finds a clean shutdown
	Interrupted          // the startup process finds none
	NotShutDown          // and recovers by itself
	Restoring            // a standby, or a restored backup
	Promoted             //
	NewTimeline          //
	RedoStart            // recovery begins
	RedoDone             //
	Ready                // connections are accepted
	ShutdownAsked        //
	ShutDown             //
	OutOfMemory          // an allocation was refused
	OutOfShared          // a table in shared memory is full: locks, predicate locks
	ForkFailed           // no process could be made
	NoSharedMemory       // the server could not get its shared memory
	DynamicShared        // a parallel query did not get its own: /dev/shm
	DiskFull             //
	IOError              //
	TempLimit            // temp_file_limit
	TempFile             //
	CheckpointStart      //
	CheckpointDone       //
	CheckpointOften      // «occurring too frequently»
	LockWait             // still waiting
	LockGot              // acquired after a wait
	Deadlock             //
	DeadlockFound        // a session found one: it says so before its error, where waits are logged
	LockTimeout          // lock_timeout, or NOWAIT
	Canceled             // statement_timeout, or by a user
	TooMany              // no connection left
	RoleLimit            // ALTER ROLE … CONNECTION LIMIT
	DatabaseLimit        // ALTER DATABASE … CONNECTION LIMIT
	SendersLimit         // max_wal_senders
	NoSuchName           // no such role or database
	AuthFailed           //
	NotAccepting         // the server starts, stops or recovers
	ConnectionLost       // the client went away
	Terminated           // by an administrator or by a timeout of idle sessions
	ArchiveFailed        // one attempt
	ArchiveGaveUp        // the archiver waits a minute
	Wraparound           // transaction ids run out
	Failsafe             // vacuum leaves out all but freezing
	VacuumRun            // a report of autovacuum
	VacuumCanceled       // autovacuum gave way to a person
	WALGone              // a standby or slot needs WAL that is removed
	SlotLost             // a replication slot was invalidated
	StandbyConflict      // a query on a standby was canceled for replay
	StreamBroken         // replication was interrupted
	Diverged             // two servers have different histories
	ConfigError          //
	ConfigReloaded       // «contains errors»: what went before says which, and some are none
	NeedsRestart         // a changed setting waits for one
	StrangeClient        // what connects speaks another protocol, or nothing
	StaleStats           // the statistics collector does not answer
	NoWorker             // max_worker_processes
	Collation            // the C library sorts in another way than when the database was made
	Duration             // how long a statement took
	Fault                // any other ERROR, FATAL or PANIC

	// Kinds is how many there are.
	Kinds
)

// Kind tells what an entry is about: by its text, which is one of messages, and where
// that is in another language by its SQLSTATE.
func (e *Entry) Kind() Kind {
	m := e.Message
	if len(m) == 0 {
		return Other
	}
	if string(e.State) == "P0001" { // RAISE EXCEPTION: its words are somebody's own
		return Fault
	}
	k := byText(m, e)
	if k == Other && (e.Severity >= Error || e.Severity == Warning) && len(e.State) == 5 {
		k = e.byState()
	}
	if k == Other || k == Corrupt || k == StartFailed {
		// «could not access status of transaction» is of damaged data or of a full disk.
		if other := e.byErrno(); other != Other {
			return other
		}
	}
	if k != Other {
		return k
	}
	if e.Severity >= Error {
		return Fault
	}
	if e.Severity == Log && len(m) > 20 && isDigit(m[len(m)-1]) && bytes.Contains(m, tmpPath) { // in any language
		return TempFile
	}
	return Other
}

// maxWho is longer than the name of a process of the server: a background worker's
// has up to 96 bytes.
const maxWho = 160

var tmpPath = []byte("/pgsql_tmp/pgsql_tmp")

func (e *Entry) byState() Kind {
	m := e.Message
	switch string(e.State) {
	case "XX001", "XX002":
		return Corrupt
	case "53200":
		if bytes.Contains(e.Hint, []byte("max_locks_per_transaction")) ||
			bytes.Contains(e.Hint, []byte("max_pred_locks_per_transaction")) ||
			bytes.Contains(m, []byte("out of shared memory")) {
			return OutOfShared
		}
		return OutOfMemory
	case "53100":
		return DiskFull
	case "53300":
		return TooMany
	case "53400":
		if bytes.Contains(m, []byte("temp_file_limit")) {
			return TempLimit
		}
	case "58030":
		return IOError
	case "40P01":
		return Deadlock
	case "55P03":
		return LockTimeout
	case "57014":
		if bytes.Contains(m, []byte("autovacuum")) {
			return VacuumCanceled
		}
		return Canceled
	case "57P02":
		return CrashNotice
	case "57P01", "57P05":
		return Terminated
	case "57P03":
		return NotAccepting
	case "F0000":
		return ConfigError
	case "28000", "28P01":
		return AuthFailed
	case "F0001":
		return LockFile
	case "40001":
		if bytes.Contains(m, []byte("conflict with recovery")) {
			return StandbyConflict
		}
	}
	return Other
}

func hasPrefix(m []byte, s string) bool { return bytes.HasPrefix(m, []byte(s)) }

func contains(m []byte, s string) bool { return bytes.Contains(m, []byte(s)) }

// errnos are what the kernel said, by the C library's words: glibc's, and musl's where
// they differ.
var errnos = []struct {
	text string
	kind Kind
}{
	{"No space left on device", DiskFull},
	{"Disk quota exceeded", DiskFull},
	{"Quota exceeded", DiskFull},
	{"Input/output error", IOError},
	{"I/O error", IOError},
	{"Structure needs cleaning", IOError},
	{"Stale file handle", IOError},
	{"Read-only file system", IOError},
}

// byErrno reads what failed from «could not …: %m», or from such a DETAIL.
func (e *Entry) byErrno() Kind {
	if m := e.Message; hasPrefix(m, "could not ") {
		for _, x := range errnos {
			if contains(m, x.text) {
				return x.kind
			}
		}
	}
	if e.Severity < Error || len(e.Detail) == 0 || !hasPrefix(e.Detail, "Could not ") {
		return Other
	}
	for _, x := range errnos {
		if contains(e.Detail, x.text) {
			return x.kind
		}
	}
	return Other
}

// byText goes by the first letter: most entries of a busy log are of no interest,
// and are to cost nothing.
func byText(m []byte, e *Entry) Kind {
	switch m[0] {
	case 'd':
		if e.Severity == Log && hasPrefix(m, "duration: ") {
			return Duration
		}
		if hasPrefix(m, "disconnection: ") || hasPrefix(m, "duplicate key value") {
			return Other
		}
	case 'c':
		if hasPrefix(m, "connection ") && !hasPrefix(m, "connection to ") {
			return Other
		}
	case 's':
		if hasPrefix(m, "statement: ") {
			return Other
		}
	case 'e':
		if hasPrefix(m, "execute ") {
			return Other
		}
	case '"': // "%s" is not a valid data directory
		if e.Severity >= Fatal && contains(m, `" is not a valid data directory`) {
			return StartFailed
		}
	}
	found := Other
	for i := range patterns[m[0]] {
		p := &patterns[m[0]][i]
		if !p.match(m) || !p.only.has(e.Severity) {
			continue
		}
		if len(m) >= len(p.head) {
			return streamOrGone(p.kind, m)
		}
		if found != Other && found != p.kind { // cut where several may go on
			return Other
		}
		found = p.kind
	}
	if found != Other {
		return found
	}
	// These begin with the name of a process, or of a person's role.
	if head := m[:min(len(m), maxWho)]; e.Severity == Log && contains(head, " (PID ") &&
		(contains(m, ") was terminated by ") || contains(m, ") exited with ") || foreignSignal(m) > 0) {
		return ChildDied
	}
	if e.Severity >= Fatal && contains(m, " authentication failed for user ") {
		return AuthFailed
	}
	if e.Severity >= Error && contains(m, " could not connect to the publisher: ") {
		return StreamBroken
	}
	return Other
}

// streamOrGone tells a stream that broke from one whose WAL is gone or of another history, which the other server says
// within the message.
func streamOrGone(k Kind, m []byte) Kind {
	if k == StreamBroken && contains(m, "has already been removed") {
		return WALGone
	}
	if k == StreamBroken && (contains(m, "is ahead of the WAL flush position") ||
		contains(m, "is not in this server's history") || contains(m, "This server's history forked from timeline ")) {
		return Diverged
	}
	return k
}
