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
		if bytes.Contains(e.Hint, []byte("max_locks_per_transaction")) || bytes.Contains(e.Hint, []byte("max_pred_locks_per_transaction")) || bytes.Contains(m, []byte("out of shared memory")) {
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

func has(m []byte, s string) bool { return bytes.HasPrefix(m, []byte(s)) }

func holds(m []byte, s string) bool { return bytes.Contains(m, []byte(s)) }

// byText goes by the first letter: most entries of a busy log are of no interest,
// and are to cost nothing.
func byText(m []byte, e *Entry) Kind {
	switch m[0] {
	case 'a':
		switch {
		case has(m, "automatic vacuum of"), has(m, "automatic aggressive vacuum"):
			return VacuumRun
		case has(m, "all server processes terminated; reinitializing"):
			return Reinit
		case has(m, "archive command failed"), has(m, "archive command was terminated"), has(m, "archiving write-ahead log file"):
			return ArchiveFailed
		}
	case 'b':
		if has(m, "bypassing nonessential maintenance of table") {
			return Failsafe
		}
	case 'c':
		switch {
		case has(m, "connection received"), has(m, "connection auth"):
			return Other
		case has(m, "checkpoint complete:"):
			return CheckpointDone
		case has(m, "checkpoint starting:"):
			return CheckpointStart
		case has(m, "checkpoints are occurring too frequently"):
			return CheckpointOften
		case has(m, "connection to client lost"), has(m, "could not receive data from client"), has(m, "could not send data to client"):
			return ConnectionLost
		case has(m, "could not fork"):
			return ForkFailed
		case has(m, "could not map anonymous shared memory"), has(m, "could not create shared memory segment"):
			return NoSharedMemory
		case has(m, "canceling autovacuum task"):
			return VacuumCanceled
		case has(m, "canceling statement due to conflict with recovery"):
			return StandbyConflict
		case has(m, "canceling statement due to lock timeout"):
			return LockTimeout
		case has(m, "canceling statement due to"):
			return Canceled
		case has(m, "configuration file "), has(m, "could not load pg_hba.conf"):
			if holds(m, "contains errors") || m[6] != 'g' {
				return ConfigError
			}
		case has(m, "could not receive data from WAL stream"), has(m, "could not send data to WAL stream"), has(m, "could not connect to the primary server"):
			return streamOrGone(m)
		case has(m, "could not ") && holds(m, "No space left on device"):
			return DiskFull
		case has(m, "could not ") && holds(m, "Input/output error"):
			return IOError
		case has(m, "could not read block "):
			return Corrupt
		}
	case 'd':
		switch {
		case has(m, "duration: "):
			return Other
		case has(m, "database system is ready to accept"):
			return Ready
		case has(m, "database system was interrupted"), has(m, "database system was not properly shut down"), has(m, "database system shutdown was interrupted"):
			return Interrupted
		case has(m, "database system is shut down"):
			return ShutDown
		case has(m, "deadlock detected"):
			return Deadlock
		case has(m, "database ") && (holds(m, " must be vacuumed within ") || holds(m, "not accepting commands")):
			return Wraparound
		}
	case 'i':
		switch {
		case has(m, "invalid page in block"), has(m, "index ") && holds(m, "contains unexpected zero page"), has(m, "index ") && holds(m, "contains corrupted page"):
			return Corrupt
		case has(m, "invalidating obsolete replication slot"), has(m, "invalidating slot "):
			return SlotLost
		}
	case 'm':
		if has(m, "missing chunk number ") || has(m, "multixact \"members\" limit exceeded") {
			if m[1] == 'i' {
				return Corrupt
			}
			return Wraparound
		}
	case 'n':
		if has(m, "no pg_hba.conf entry for") {
			return AuthFailed
		}
	case 'o':
		switch {
		case has(m, "out of memory"):
			return OutOfMemory
		case has(m, "out of shared memory"):
			return OutOfShared
		case has(m, "oldest xmin is far in the past"), has(m, "oldest multixact is far in the past"):
			return Wraparound
		}
	case 'p':
		switch {
		case has(m, "process ") && holds(m, " still waiting for "):
			return LockWait
		case has(m, "process ") && holds(m, " acquired "):
			return LockGot
		case has(m, "parameter \"") && (holds(m, "cannot be changed without restarting") || holds(m, "cannot be changed now")):
			return NeedsRestart
		case has(m, "page verification failed"):
			return Corrupt
		case has(m, "password authentication failed"):
			return AuthFailed
		case has(m, "peer authentication failed"), has(m, "pg_hba.conf rejects"):
			return AuthFailed
		}
	case 'r':
		switch {
		case has(m, "redo starts at "):
			return RedoStart
		case has(m, "redo done at "), has(m, "redo is not required"):
			return RedoDone
		case has(m, "received fast shutdown request"), has(m, "received smart shutdown request"), has(m, "received immediate shutdown request"):
			return ShutdownAsked
		case has(m, "remaining connection slots are reserved"):
			return TooMany
		case has(m, "requested WAL segment ") && holds(m, "has already been removed"):
			return WALGone
		case has(m, "restartpoint complete:"):
			return CheckpointDone
		case has(m, "restartpoint starting:"):
			return CheckpointStart
		case has(m, "replication terminated by primary server"):
			return StreamBroken
		}
	case 's':
		switch {
		case has(m, "sorry, too many clients already"):
			return TooMany
		case has(m, "starting PostgreSQL "):
			return Starting
		}
	case 't':
		switch {
		case has(m, "temporary file: path "):
			return TempFile
		case has(m, "temporary file size exceeds"):
			return TempLimit
		case has(m, "the database system is "):
			return NotAccepting
		case has(m, "terminating connection because of crash of another server process"):
			return CrashNotice
		case has(m, "terminating connection due to conflict with recovery"):
			return StandbyConflict
		case has(m, "terminating connection due to "), has(m, "terminating autovacuum process due to"):
			return Terminated
		case has(m, "terminating any other active server processes"):
			return EndingAll
		case has(m, "terminating walreceiver"), has(m, "terminating walsender process due to replication timeout"):
			return StreamBroken
		case has(m, "too many connections for "):
			return TooMany
		}
	case 'u':
		if has(m, "unrecognized configuration parameter ") && e.Severity == Log {
			return ConfigError
		}
		if has(m, "using stale statistics instead of current ones") {
			return Other
		}
	}
	// These begin with the name of a process, or of a person's role.
	if head := m[:min(len(m), maxWho)]; e.Severity == Log && holds(head, " (PID ") && (holds(m, ") was terminated by ") || holds(m, ") exited with ") || foreignSignal(m) > 0) {
		return ChildDied
	}
	if e.Severity >= Fatal && holds(m, " authentication failed for user ") {
		return AuthFailed
	}
	return Other
}

func streamOrGone(m []byte) Kind {
	if holds(m, "has already been removed") {
		return WALGone
	}
	return StreamBroken
}
