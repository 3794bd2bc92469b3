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
	Starting             // a postmaster starts
	Interrupted          // the startup process finds no clean shutdown
	RedoStart            // recovery begins
	RedoDone             //
	Ready                // connections are accepted
	ShutdownAsked        //
	ShutDown             //
	OutOfMemory          // an allocation was refused
	OutOfShared          // a table in shared memory is full: locks, predicate locks
	ForkFailed           // no process could be made
	NoSharedMemory       // the server could not get its shared memory
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
	LockTimeout          // lock_timeout, or NOWAIT
	Canceled             // statement_timeout, or by a user
	TooMany              // no connection left
	AuthFailed           //
	NotAccepting         // the server starts, stops or recovers
	ConnectionLost       // the client went away
	Terminated           // by an administrator or by a timeout of idle sessions
	ArchiveFailed        //
	Wraparound           // transaction ids run out
	Failsafe             // vacuum leaves out all but freezing
	VacuumRun            // a report of autovacuum
	VacuumCanceled       // autovacuum gave way to somebody
	WALGone              // a standby or slot needs WAL that is removed
	SlotLost             // a replication slot was invalidated
	StandbyConflict      // a query on a standby was canceled for replay
	StreamBroken         // replication was interrupted
	ConfigError          //
	NeedsRestart         // a changed setting waits for one
	Fault                // any other ERROR, FATAL or PANIC
	kinds
)

// Kind tells what an entry is about: by its SQLSTATE where it has one, in any
// language; else, and for what the server logs without an error, by the English text.
func (e *Entry) Kind() Kind {
	m := e.Message
	if len(m) == 0 {
		return Other
	}
	if e.Severity >= Error || e.Severity == Warning {
		if len(e.State) == 5 {
			if k := e.byState(); k != Other {
				return k
			}
		}
	}
	if k := byText(m, e); k != Other {
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
	case "40001":
		if bytes.Contains(m, []byte("conflict with recovery")) {
			return StandbyConflict
		}
	}
	return Other
}

func hasPrefix(m []byte, s string) bool { return bytes.HasPrefix(m, []byte(s)) }

func contains(m []byte, s string) bool { return bytes.Contains(m, []byte(s)) }

// byText goes by the first letter: most entries of a busy log are of no interest,
// and are to cost nothing.
func byText(m []byte, e *Entry) Kind {
	switch m[0] {
	case 'a':
		switch {
		case hasPrefix(m, "automatic vacuum of"), hasPrefix(m, "automatic aggressive vacuum"):
			return VacuumRun
		case hasPrefix(m, "all server processes terminated; reinitializing"):
			return Reinit
		case hasPrefix(m, "archive command failed"), hasPrefix(m, "archive command was terminated"),
			hasPrefix(m, "archiving write-ahead log file"):
			return ArchiveFailed
		}
	case 'b':
		if hasPrefix(m, "bypassing nonessential maintenance of table") {
			return Failsafe
		}
	case 'c':
		switch {
		case hasPrefix(m, "connection received"), hasPrefix(m, "connection auth"):
			return Other
		case hasPrefix(m, "checkpoint complete:"):
			return CheckpointDone
		case hasPrefix(m, "checkpoint starting:"):
			return CheckpointStart
		case hasPrefix(m, "checkpoints are occurring too frequently"):
			return CheckpointOften
		case hasPrefix(m, "connection to client lost"), hasPrefix(m, "could not receive data from client"),
			hasPrefix(m, "could not send data to client"):
			return ConnectionLost
		case hasPrefix(m, "could not fork"):
			return ForkFailed
		case hasPrefix(m, "could not map anonymous shared memory"),
			hasPrefix(m, "could not create shared memory segment"):
			return NoSharedMemory
		case hasPrefix(m, "canceling autovacuum task"):
			return VacuumCanceled
		case hasPrefix(m, "canceling statement due to conflict with recovery"):
			return StandbyConflict
		case hasPrefix(m, "canceling statement due to lock timeout"):
			return LockTimeout
		case hasPrefix(m, "canceling statement due to"):
			return Canceled
		case hasPrefix(m, "configuration file "), hasPrefix(m, "could not load pg_hba.conf"):
			if contains(m, "contains errors") || m[6] != 'g' {
				return ConfigError
			}
		case hasPrefix(m, "could not receive data from WAL stream"), hasPrefix(m, "could not send data to WAL stream"),
			hasPrefix(m, "could not connect to the primary server"):
			return streamOrGone(m)
		case hasPrefix(m, "could not ") && contains(m, "No space left on device"):
			return DiskFull
		case hasPrefix(m, "could not ") && contains(m, "Input/output error"):
			return IOError
		case hasPrefix(m, "could not read block "):
			return Corrupt
		}
	case 'd':
		switch {
		case hasPrefix(m, "duration: "):
			return Other
		case hasPrefix(m, "database system is ready to accept"):
			return Ready
		case hasPrefix(m, "database system was interrupted"),
			hasPrefix(m, "database system was not properly shut down"),
			hasPrefix(m, "database system shutdown was interrupted"):
			return Interrupted
		case hasPrefix(m, "database system is shut down"):
			return ShutDown
		case hasPrefix(m, "deadlock detected"):
			return Deadlock
		case hasPrefix(m, "database ") && (contains(m, " must be vacuumed within ") ||
			contains(m, "not accepting commands")):
			return Wraparound
		}
	case 'i':
		switch {
		case hasPrefix(m, "invalid page in block"), hasPrefix(m, "index ") &&
			contains(m, "contains unexpected zero page"), hasPrefix(m, "index ") &&
			contains(m, "contains corrupted page"):
			return Corrupt
		case hasPrefix(m, "invalidating obsolete replication slot"), hasPrefix(m, "invalidating slot "):
			return SlotLost
		}
	case 'm':
		if hasPrefix(m, "missing chunk number ") || hasPrefix(m, "multixact \"members\" limit exceeded") {
			if m[1] == 'i' {
				return Corrupt
			}
			return Wraparound
		}
	case 'n':
		if hasPrefix(m, "no pg_hba.conf entry for") {
			return AuthFailed
		}
	case 'o':
		switch {
		case hasPrefix(m, "out of memory"):
			return OutOfMemory
		case hasPrefix(m, "out of shared memory"):
			return OutOfShared
		case hasPrefix(m, "oldest xmin is far in the past"), hasPrefix(m, "oldest multixact is far in the past"):
			return Wraparound
		}
	case 'p':
		switch {
		case hasPrefix(m, "process ") && contains(m, " still waiting for "):
			return LockWait
		case hasPrefix(m, "process ") && contains(m, " acquired "):
			return LockGot
		case hasPrefix(m, "parameter \"") && (contains(m, "cannot be changed without restarting") ||
			contains(m, "cannot be changed now")):
			return NeedsRestart
		case hasPrefix(m, "page verification failed"):
			return Corrupt
		case hasPrefix(m, "password authentication failed"):
			return AuthFailed
		case hasPrefix(m, "peer authentication failed"), hasPrefix(m, "pg_hba.conf rejects"):
			return AuthFailed
		}
	case 'r':
		switch {
		case hasPrefix(m, "redo starts at "):
			return RedoStart
		case hasPrefix(m, "redo done at "), hasPrefix(m, "redo is not required"):
			return RedoDone
		case hasPrefix(m, "received fast shutdown request"), hasPrefix(m, "received smart shutdown request"),
			hasPrefix(m, "received immediate shutdown request"):
			return ShutdownAsked
		case hasPrefix(m, "remaining connection slots are reserved"):
			return TooMany
		case hasPrefix(m, "requested WAL segment ") && contains(m, "has already been removed"):
			return WALGone
		case hasPrefix(m, "restartpoint complete:"):
			return CheckpointDone
		case hasPrefix(m, "restartpoint starting:"):
			return CheckpointStart
		case hasPrefix(m, "replication terminated by primary server"):
			return StreamBroken
		}
	case 's':
		switch {
		case hasPrefix(m, "sorry, too many clients already"):
			return TooMany
		case hasPrefix(m, "starting PostgreSQL "):
			return Starting
		}
	case 't':
		switch {
		case hasPrefix(m, "temporary file: path "):
			return TempFile
		case hasPrefix(m, "temporary file size exceeds"):
			return TempLimit
		case hasPrefix(m, "the database system is "):
			return NotAccepting
		case hasPrefix(m, "terminating connection because of crash of another server process"):
			return CrashNotice
		case hasPrefix(m, "terminating connection due to conflict with recovery"):
			return StandbyConflict
		case hasPrefix(m, "terminating connection due to "), hasPrefix(m, "terminating autovacuum process due to"):
			return Terminated
		case hasPrefix(m, "terminating any other active server processes"):
			return EndingAll
		case hasPrefix(m, "terminating walreceiver"), hasPrefix(m,
			"terminating walsender process due to replication timeout"):
			return StreamBroken
		case hasPrefix(m, "too many connections for "):
			return TooMany
		}
	case 'u':
		if hasPrefix(m, "unrecognized configuration parameter ") && e.Severity == Log {
			return ConfigError
		}
		if hasPrefix(m, "using stale statistics instead of current ones") {
			return Other
		}
	}
	// These begin with the name of a process, or of a person's role.
	if head := m[:min(len(m), maxWho)]; e.Severity == Log && contains(head, " (PID ") &&
		(contains(m, ") was terminated by ") || contains(m, ") exited with ") || foreignSignal(m) > 0) {
		return ChildDied
	}
	if e.Severity >= Fatal && contains(m, " authentication failed for user ") {
		return AuthFailed
	}
	return Other
}

func streamOrGone(m []byte) Kind {
	if contains(m, "has already been removed") {
		return WALGone
	}
	return StreamBroken
}
