package pglog

import (
	"bytes"
	"slices"
	"strings"
)

// only says at which severities a message is what it seems: the same words at another
// one come from a session that did something wrong, or asked for them.
type only uint8

const (
	anywhere only = iota
	logged        // LOG
	fatal         // FATAL or PANIC
	refused       // LOG, FATAL or PANIC: of the configuration, not of SET in a session
	worse         // WARNING and up
)

func (o only) has(s Severity) bool {
	switch o {
	case logged:
		return s == Log
	case fatal:
		return s >= Fatal
	case refused:
		return s == Log || s >= Fatal
	case worse:
		return s >= Warning
	}
	return true
}

// message is one that a diagnosis asks for, as PostgreSQL's source has it, which is its
// msgid in the server's catalogues: what begins with % stands for any text. Those of
// versions that are out of support stand there too: logs live longer.
type message struct {
	kind Kind
	id   string
	only only
	with string // what the first value has to begin with
	head bool   // what stands before the first value is enough: the rest differs by version
}

// What «complete» tells, to 9.6, to 14, since 15, since 17. The name of what was
// completed stands before it.
const (
	completeTimes = "%d removed, %d recycled; write=%ld.%03d s, sync=%ld.%03d s, total=%ld.%03d s; sync files=%d, " +
		"longest=%ld.%03d s, average=%ld.%03d s; distance=%d kB, estimate=%d kB"
	complete9  = " complete: wrote %d buffers (%.1f%%); %d transaction log file(s) added, " + completeTimes
	complete14 = " complete: wrote %d buffers (%.1f%%); %d WAL file(s) added, " + completeTimes
	complete15 = complete14 + "; lsn=%X/%X, redo lsn=%X/%X"
	complete17 = " complete: wrote %d buffers (%.1f%%), wrote %d SLRU buffers; %d WAL file(s) added, " + completeTimes +
		"; lsn=%X/%X, redo lsn=%X/%X"
)

// messages are all that are told apart by their text, but for those that begin with a
// value, which are in kind.go. TestMessagesAreTheServers holds them to the servers' own.
var messages = []message{
	// The postmaster, and its children.
	{kind: Starting, id: "starting %s", only: logged, with: "PostgreSQL "},
	{kind: StartPhase, id: "listening on %s address \"%s\", port %d", only: logged},
	{kind: StartPhase, id: "listening on Unix socket \"%s\"", only: logged},
	{kind: StartPhase, id: "redirecting log output to logging collector process", only: logged},
	{kind: StartPhase, id: "ending log output to stderr", only: logged},
	{kind: WasShutDown, id: "database system was shut down at %s", only: logged},
	{kind: WasShutDown, id: "database system was shut down in recovery at %s", only: logged},
	{kind: Interrupted, id: "database system shutdown was interrupted; last known up at %s", only: logged},
	{kind: Interrupted, id: "database system was interrupted while in recovery at %s", only: logged},
	{kind: Interrupted, id: "database system was interrupted while in recovery at log time %s", only: logged},
	{kind: Interrupted, id: "database system was interrupted; last known up at %s", only: logged},
	{kind: NotShutDown, only: logged,
		id: "database system was not properly shut down; automatic recovery in progress"},
	{kind: Restoring, id: "entering standby mode", only: logged},
	{kind: Restoring, id: "starting archive recovery", only: logged},
	{kind: Restoring, id: "starting backup recovery with redo LSN %X/%X, checkpoint LSN %X/%X, on timeline ID %u",
		only: logged, head: true},
	{kind: Restoring, id: "starting point-in-time recovery to %s", only: logged},
	{kind: RedoStart, id: "redo starts at %X/%X", only: logged},
	{kind: RedoDone, id: "redo done at %X/%X system usage: %s", only: logged},
	{kind: RedoDone, id: "redo done at %X/%X", only: logged},
	{kind: RedoDone, id: "redo is not required", only: logged},
	{kind: Promoted, id: "received promote request", only: logged},
	{kind: NewTimeline, id: "selected new timeline ID: %u", only: logged},
	{kind: Ready, id: "database system is ready to accept connections", only: logged},
	{kind: Ready, id: "database system is ready to accept read-only connections", only: logged},
	{kind: Ready, id: "database system is ready to accept read only connections", only: logged},
	{kind: ShutdownAsked, id: "received fast shutdown request", only: logged},
	{kind: ShutdownAsked, id: "received smart shutdown request", only: logged},
	{kind: ShutdownAsked, id: "received immediate shutdown request", only: logged},
	{kind: ShutDown, id: "database system is shut down", only: logged},
	{kind: Reinit, id: "all server processes terminated; reinitializing", only: logged},
	{kind: EndingAll, id: "terminating any other active server processes", only: logged},
	{kind: CrashNotice, id: "terminating connection because of crash of another server process", only: worse},
	{kind: PostmasterGone, id: "terminating connection due to unexpected postmaster exit", only: worse},
	{kind: PostmasterGone, id: "postmaster exited during a parallel transaction", only: worse},
	{kind: StartupGaveUp, id: "aborting startup due to startup process failure", only: logged},
	{kind: StartupGaveUp, id: "shutting down due to startup process failure", only: logged},
	{kind: NoRestart, id: "shutting down because \"restart_after_crash\" is off", only: logged},
	{kind: NoRestart, id: "shutting down because restart_after_crash is off", only: logged},
	{kind: LockFile, id: "performing immediate shutdown because data directory lock file is invalid", only: logged},
	{kind: NotAccepting, id: "the database system is starting up"},
	{kind: NotAccepting, id: "the database system is shutting down"},
	{kind: NotAccepting, id: "the database system is in recovery mode"},
	{kind: NotAccepting, id: "the database system is not yet accepting connections"},
	{kind: NotAccepting, id: "the database system is not accepting connections"},

	// It does not start.
	{kind: LockFile, id: "lock file \"%s\" already exists", only: fatal},
	{kind: LockFile, id: "lock file \"%s\" is empty", only: fatal},
	{kind: LockFile, id: "lock file \"%s\" contains wrong PID: %ld instead of %ld", only: logged},
	{kind: LockFile, id: "bogus data in lock file \"%s\": \"%s\"", only: fatal},
	{kind: LockFile, id: "pre-existing shared memory block (key %lu, ID %lu) is still in use", only: fatal},
	{kind: StartFailed, id: "could not create lock file \"%s\": %m", only: fatal},
	{kind: StartFailed, id: "could not open lock file \"%s\": %m", only: fatal},
	{kind: StartFailed, id: "could not write lock file \"%s\": %m", only: fatal},
	{kind: StartFailed, id: "could not remove old lock file \"%s\": %m", only: fatal},
	{kind: StartFailed, id: "data directory \"%s\" does not exist", only: fatal},
	{kind: StartFailed, id: "data directory \"%s\" has wrong ownership", only: fatal},
	{kind: StartFailed, id: "data directory \"%s\" has invalid permissions", only: fatal},
	{kind: StartFailed, id: "data directory \"%s\" has group or world access", only: fatal},
	{kind: StartFailed, id: "could not read permissions of directory \"%s\": %m", only: fatal},
	{kind: StartFailed, id: "specified data directory \"%s\" is not a directory", only: fatal},
	{kind: StartFailed, id: "database files are incompatible with server", only: fatal},
	{kind: StartFailed, id: "could not locate a valid checkpoint record", only: fatal},
	{kind: StartFailed, id: "could not locate a valid checkpoint record at %X/%X", only: fatal},
	{kind: StartFailed, id: "could not locate required checkpoint record", only: fatal},
	{kind: StartFailed, id: "could not locate required checkpoint record at %X/%X", only: fatal},
	{kind: StartFailed, id: "could not find redo location referenced by checkpoint record", only: fatal},
	{kind: StartFailed, id: "recovery ended before configured recovery target was reached", only: fatal},
	{kind: StartFailed, id: "requested recovery stop point is before consistent recovery point", only: fatal},
	{kind: StartFailed, id: "WAL ends before end of online backup", only: fatal},
	{kind: StartFailed, id: "WAL ends before consistent recovery point", only: fatal},
	{kind: StartFailed, id: "recovery aborted because of insufficient parameter settings", only: fatal},
	{kind: StartFailed, id: "hot standby is not possible because of insufficient parameter settings", only: worse},
	{kind: StartFailed, id: "could not access file \"%s\": %m", only: fatal},
	{kind: StartFailed, id: "could not load library \"%s\": %s", only: fatal},
	{kind: StartFailed, id: "incompatible library \"%s\": version mismatch", only: fatal},
	{kind: StartFailed, id: "incompatible library \"%s\": missing magic block", only: fatal},
	{kind: StartFailed, id: "private key file \"%s\" has group or world access", only: fatal},
	{kind: StartFailed, id: "could not load server certificate file \"%s\": %s", only: fatal},
	{kind: StartFailed, id: "could not load private key file \"%s\": %s", only: fatal},
	{kind: StartFailed, id: "could not bind %s address \"%s\": %m", only: logged},
	{kind: StartFailed, id: "could not create listen socket for \"%s\"", only: worse},
	{kind: StartFailed, id: "could not create any TCP/IP sockets", only: fatal},
	{kind: StartFailed, id: "could not create any Unix-domain sockets", only: fatal},
	{kind: StartFailed, id: "could not create Unix-domain socket in directory \"%s\"", only: worse},
	{kind: StartFailed, id: "incorrect checksum in control file", only: fatal},
	// Of 16 and later; before it told which of them, of the two that servers until 10 had.
	{kind: StartFailed, id: "invalid checkpoint record", only: logged},
	{kind: StartFailed, id: "invalid resource manager ID in checkpoint record", only: logged},
	{kind: StartFailed, id: "invalid xl_info in checkpoint record", only: logged},
	{kind: StartFailed, id: "invalid length of checkpoint record", only: logged},
	{kind: StartFailed, id: "invalid primary checkpoint link in control file", only: logged},
	{kind: StartFailed, id: "invalid primary checkpoint record", only: logged},
	{kind: StartFailed, id: "invalid resource manager ID in primary checkpoint record", only: logged},
	{kind: StartFailed, id: "invalid xl_info in primary checkpoint record", only: logged},
	{kind: StartFailed, id: "invalid length of primary checkpoint record", only: logged},
	{kind: StartFailed, id: "invalid secondary checkpoint link in control file", only: logged},
	{kind: StartFailed, id: "invalid secondary checkpoint record", only: logged},
	{kind: StartFailed, id: "invalid resource manager ID in secondary checkpoint record", only: logged},
	{kind: StartFailed, id: "invalid xl_info in secondary checkpoint record", only: logged},
	{kind: StartFailed, id: "invalid length of secondary checkpoint record", only: logged},

	// The configuration.
	{kind: ConfigReloaded, id: "configuration file \"%s\" contains errors; unaffected changes were applied",
		only: logged},
	{kind: ConfigReloaded, id: "configuration file \"%s\" contains errors; no changes were applied", only: logged},
	{kind: ConfigError, id: "configuration file \"%s\" contains errors", only: refused},
	{kind: ConfigError, id: "syntax error in file \"%s\" line %u, near end of line", only: refused},
	{kind: ConfigError, id: "syntax error in file \"%s\" line %u, near token \"%s\"", only: refused},
	{kind: ConfigError, id: "too many syntax errors found, abandoning file \"%s\"", only: refused},
	{kind: ConfigError, id: "unrecognized configuration parameter \"%s\" in file \"%s\" line %d", only: refused},
	{kind: ConfigError, id: "unrecognized configuration parameter \"%s\"", only: refused},
	{kind: ConfigError, id: "invalid value for parameter \"%s\": \"%s\"", only: refused},
	{kind: ConfigError, id: "invalid value for parameter \"%s\": %d", only: refused},
	{kind: ConfigError, id: "parameter \"%s\" requires a Boolean value", only: refused},
	{kind: ConfigError, id: "could not load %s", only: refused, with: "pg_hba.conf"},
	{kind: ConfigError, id: "could not load pg_hba.conf", only: refused},
	{kind: ConfigError, id: "configuration file \"%s\" contains no entries", only: refused},
	{kind: ConfigError, id: "could not open configuration file \"%s\": %m", only: refused},
	{kind: ConfigError, id: "invalid connection type \"%s\"", only: refused},
	{kind: ConfigError, id: "invalid authentication method \"%s\"", only: refused},
	{kind: ConfigError, id: "invalid list syntax in parameter \"%s\"", only: refused},
	{kind: NeedsRestart, id: "parameter \"%s\" cannot be changed without restarting the server", only: logged},
	{kind: NeedsRestart, id: "parameter \"%s\" cannot be changed now", only: logged},

	// Memory and processes.
	{kind: OutOfMemory, id: "out of memory"},
	{kind: OutOfShared, id: "out of shared memory"},
	{kind: ForkFailed, id: "could not fork new process for connection: %m"},
	{kind: ForkFailed, id: "could not fork \"%s\" process: %m"},
	{kind: ForkFailed, id: "could not fork background worker process: %m"},
	{kind: ForkFailed, id: "could not fork worker process: %m"},
	{kind: ForkFailed, id: "could not fork autovacuum launcher process: %m"},
	{kind: ForkFailed, id: "could not fork autovacuum worker process: %m"},
	{kind: ForkFailed, id: "could not fork archiver: %m"},
	{kind: ForkFailed, id: "could not fork statistics collector: %m"},
	{kind: ForkFailed, id: "could not fork system logger: %m"},
	{kind: ForkFailed, id: "could not fork startup process: %m"},
	{kind: ForkFailed, id: "could not fork background writer process: %m"},
	{kind: ForkFailed, id: "could not fork checkpointer process: %m"},
	{kind: ForkFailed, id: "could not fork WAL writer process: %m"},
	{kind: ForkFailed, id: "could not fork WAL receiver process: %m"},
	{kind: NoSharedMemory, id: "could not map anonymous shared memory: %m"},
	{kind: NoSharedMemory, id: "could not create shared memory segment: %m"},
	{kind: NoSharedMemory, id: "could not create semaphores: %m"},
	{kind: NoSharedMemory, id: "huge pages not supported on this platform", only: fatal},
	{kind: DynamicShared, id: "could not resize shared memory segment \"%s\" to %zu bytes: %m", only: worse},
	{kind: DynamicShared, id: "could not map shared memory segment \"%s\": %m", only: worse},
	{kind: DynamicShared, id: "could not open shared memory segment \"%s\": %m", only: worse},

	// Connections.
	{kind: TooMany, id: "sorry, too many clients already", only: worse},
	{kind: TooMany, id: "remaining connection slots are reserved for non-replication superuser connections",
		only: worse},
	{kind: TooMany, id: "remaining connection slots are reserved for roles with the %s attribute", only: worse},
	{kind: TooMany, id: "remaining connection slots are reserved for roles with privileges of the \"%s\" role",
		only: worse},
	{kind: RoleLimit, id: "too many connections for role \"%s\"", only: worse},
	{kind: DatabaseLimit, id: "too many connections for database \"%s\"", only: worse},
	{kind: SendersLimit, id: "number of requested standby connections exceeds \"max_wal_senders\" (currently %d)",
		only: worse},
	{kind: SendersLimit, id: "number of requested standby connections exceeds max_wal_senders (currently %d)",
		only: worse},
	{kind: NoSuchName, id: "database \"%s\" does not exist", only: fatal},
	{kind: NoSuchName, id: "role \"%s\" does not exist", only: fatal},
	{kind: AuthFailed, id: "no pg_hba.conf entry for host \"%s\", user \"%s\", database \"%s\", %s", only: fatal,
		head: true},
	{kind: AuthFailed, id: "no pg_hba.conf entry for replication connection from host \"%s\", user \"%s\", %s",
		only: fatal, head: true},
	{kind: AuthFailed, id: "pg_hba.conf rejects connection for host \"%s\", user \"%s\", database \"%s\", %s",
		only: fatal, head: true},
	{kind: AuthFailed, id: "pg_hba.conf rejects replication connection for host \"%s\", user \"%s\", %s", only: fatal,
		head: true},
	{kind: AuthFailed, id: "password authentication failed for user \"%s\"", only: fatal},
	{kind: AuthFailed, id: "role \"%s\" is not permitted to log in", only: fatal},
	{kind: ConnectionLost, id: "connection to client lost"},
	{kind: ConnectionLost, id: "could not receive data from client: %m"},
	{kind: ConnectionLost, id: "could not send data to client: %m"},
	{kind: ConnectionLost, id: "unexpected EOF on client connection with an open transaction"},
	{kind: Terminated, id: "terminating connection due to administrator command", only: worse},
	{kind: Terminated, id: "terminating connection due to idle-in-transaction timeout", only: worse},
	{kind: Terminated, id: "terminating connection due to idle-session timeout", only: worse},
	{kind: Terminated, id: "terminating connection due to transaction timeout", only: worse},
	{kind: Terminated, id: "terminating connection due to immediate shutdown command", only: worse},
	{kind: Terminated, id: "terminating connection because of unexpected SIGQUIT signal", only: worse},
	{kind: Terminated, id: "terminating autovacuum process due to administrator command", only: worse},
	{kind: Terminated, id: "terminating walreceiver process due to administrator command", only: worse},

	{kind: ConnectionLost, id: "could not accept SSL connection: EOF detected", only: logged},
	{kind: ConnectionLost, id: "could not accept SSL connection: %m", only: logged},
	{kind: StrangeClient, id: "incomplete startup packet", only: logged},
	{kind: StrangeClient, id: "invalid length of startup packet"},
	{kind: StrangeClient, id: "unsupported frontend protocol %u.%u: server supports %u.0 to %u.%u", only: worse},
	{kind: StrangeClient, id: "no PostgreSQL user name specified in startup packet", only: worse},
	{kind: StaleStats, only: logged,
		id: "using stale statistics instead of current ones because stats collector is not responding"},
	{kind: NoWorker, id: "out of background worker slots", only: worse},
	{kind: NoWorker, id: "too many background workers"},
	{kind: Collation, id: "database \"%s\" has a collation version mismatch", only: worse},
	{kind: Collation, id: "collation \"%s\" has version mismatch", only: worse},

	// Replication and archiving.
	{kind: WALGone, id: "requested WAL segment %s has already been removed"},
	{kind: SlotLost, id: "invalidating obsolete replication slot \"%s\""},
	{kind: SlotLost, id: "invalidating slot \"%s\" because its restart_lsn %X/%X exceeds max_slot_wal_keep_size"},
	{kind: StreamBroken, id: "could not receive data from WAL stream: %s", only: worse},
	{kind: StreamBroken, id: "could not send data to WAL stream: %s", only: worse},
	{kind: StreamBroken, id: "could not connect to the primary server: %s", only: worse},
	{kind: StreamBroken, id: "streaming replication receiver \"%s\" could not connect to the primary server: %s",
		only: worse},
	{kind: StreamBroken, id: "could not connect to the publisher: %s", only: worse},
	{kind: StreamBroken, id: "could not start WAL streaming: %s", only: worse},
	{kind: StreamBroken, id: "replication terminated by primary server"},
	{kind: StreamBroken, id: "terminating walreceiver due to timeout", only: worse},
	{kind: StreamBroken, id: "terminating walsender process due to replication timeout"},
	{kind: StreamBroken, id: "database system identifier differs between the primary and standby", only: worse},
	{kind: Diverged, id: "requested starting point %X/%X on timeline %u is not in this server's history"},
	{kind: Diverged, id: "requested timeline %u is not a child of this server's history"},
	{kind: Diverged, id: "requested timeline %u is not in this server's history"},
	{kind: Diverged, id: "requested timeline %u does not contain minimum recovery point %X/%X on timeline %u"},
	{kind: Diverged, id: "highest timeline %u of the primary is behind recovery timeline %u"},
	{kind: Diverged, id: "requested starting point %X/%X is ahead of the WAL flush position of this server %X/%X"},
	{kind: Diverged, only: logged,
		id: "new timeline %u forked off current database system timeline %u before current recovery point %X/%X"},
	{kind: ArchiveFailed, id: "archive command failed with exit code %d"},
	{kind: ArchiveFailed, id: "archive command was terminated by signal %d: %s"},
	{kind: ArchiveFailed, id: "archive command was terminated by exception 0x%X"},
	{kind: ArchiveFailed, id: "archive command exited with unrecognized status %d"},
	{kind: ArchiveGaveUp, id: "archiving write-ahead log file \"%s\" failed too many times, will try again later"},
	{kind: ArchiveGaveUp, id: "archiving transaction log file \"%s\" failed too many times, will try again later"},
	{kind: StandbyConflict, id: "canceling statement due to conflict with recovery"},
	{kind: StandbyConflict, id: "terminating connection due to conflict with recovery"},

	// Statements.
	{kind: Deadlock, id: "deadlock detected", only: worse},
	{kind: DeadlockFound, only: logged,
		id: "process %d detected deadlock while waiting for %s on %s after %ld.%03d ms"},
	{kind: LockTimeout, id: "canceling statement due to lock timeout"},
	{kind: LockTimeout, id: "could not obtain lock on relation \"%s\""},
	{kind: LockTimeout, id: "could not obtain lock on row in relation \"%s\""},
	{kind: Canceled, id: "canceling statement due to statement timeout"},
	{kind: Canceled, id: "canceling statement due to user request"},
	{kind: VacuumCanceled, id: "canceling autovacuum task"},
	{kind: TempFile, id: "temporary file: path \"%s\", size %lu"},
	{kind: TempLimit, id: "temporary file size exceeds \"temp_file_limit\" (%dkB)"},
	{kind: TempLimit, id: "temporary file size exceeds temp_file_limit (%dkB)"},
	{kind: LockWait, id: "process %d still waiting for %s on %s after %ld.%03d ms"},
	{kind: LockGot, id: "process %d acquired %s on %s after %ld.%03d ms"},

	// Checkpoints and vacuum.
	{kind: CheckpointStart, id: "checkpoint starting:%s%s%s%s%s%s%s%s"},
	{kind: CheckpointStart, id: "restartpoint starting:%s%s%s%s%s%s%s%s"},
	{kind: CheckpointDone, id: "checkpoint" + complete9, head: true},
	{kind: CheckpointDone, id: "checkpoint" + complete14, head: true},
	{kind: CheckpointDone, id: "checkpoint" + complete15, head: true},
	{kind: CheckpointDone, id: "checkpoint" + complete17, head: true},
	{kind: CheckpointDone, id: "restartpoint" + complete9, head: true},
	{kind: CheckpointDone, id: "restartpoint" + complete14, head: true},
	{kind: CheckpointDone, id: "restartpoint" + complete15, head: true},
	{kind: CheckpointDone, id: "restartpoint" + complete17, head: true},
	{kind: CheckpointOften, id: "checkpoints are occurring too frequently (%d second apart)"},
	{kind: CheckpointOften, id: "checkpoints are occurring too frequently (%d seconds apart)"},
	{kind: VacuumRun, id: "automatic vacuum of table \"%s.%s.%s\": index scans: %d\n", head: true},
	{kind: VacuumRun, id: "automatic vacuum to prevent wraparound of table \"%s.%s.%s\": index scans: %d\n",
		head: true},
	{kind: VacuumRun, id: "automatic aggressive vacuum of table \"%s.%s.%s\": index scans: %d\n", head: true},
	{kind: VacuumRun,
		id: "automatic aggressive vacuum to prevent wraparound of table \"%s.%s.%s\": index scans: %d\n", head: true},
	{kind: Failsafe,
		id: "bypassing nonessential maintenance of table \"%s.%s.%s\" as a failsafe after %d index scans"},
	{kind: Wraparound, id: "database \"%s\" must be vacuumed within %u transactions"},
	{kind: Wraparound, id: "database with OID %u must be vacuumed within %u transactions"},
	{kind: Wraparound, id: "database \"%s\" must be vacuumed before %u more MultiXactIds are used"},
	{kind: Wraparound, id: "database with OID %u must be vacuumed before %u more MultiXactIds are used"},
	{kind: Wraparound, id: "database is not accepting commands to avoid wraparound data loss in database \"%s\""},
	{kind: Wraparound, id: "database is not accepting commands that assign new transaction IDs to avoid wraparound " +
		"data loss in database \"%s\""},
	{kind: Wraparound, id: "database is not accepting commands that assign new MultiXactIds to avoid wraparound " +
		"data loss in database \"%s\""},
	{kind: Wraparound, id: "database is not accepting commands that generate new MultiXactIds to avoid wraparound " +
		"data loss in database \"%s\""},
	{kind: Wraparound, id: "oldest xmin is far in the past"},
	{kind: Wraparound, id: "oldest multixact is far in the past"},
	{kind: Wraparound, id: "cutoff for removing and freezing tuples is far in the past"},
	{kind: Wraparound, id: "cutoff for freezing multixacts is far in the past"},
	{kind: Wraparound, id: "multixact \"members\" limit exceeded"},

	// Damaged data.
	{kind: Corrupt, id: "page verification failed, calculated checksum %u but expected %u"},
	{kind: Corrupt, id: "invalid page in block %u of relation \"%s\"; zeroing out page"},
	{kind: Corrupt, id: "invalid page in block %u of relation \"%s\""},
	{kind: Corrupt, id: "invalid page in block %u of relation %s"},
	{kind: Corrupt, id: "could not read block %u in file \"%s\": read only %d of %d bytes"},
	{kind: Corrupt, id: "could not read blocks %u..%u in file \"%s\": read only %zu of %zu bytes"},
	{kind: Corrupt, id: "index \"%s\" contains unexpected zero page at block %u", only: worse},
	{kind: Corrupt, id: "index \"%s\" contains corrupted page at block %u", only: worse},
	{kind: Corrupt, id: "missing chunk number %d for toast value %u in %s", only: worse},
	{kind: Corrupt, id: "unexpected chunk number %d (expected %d) for toast value %u in %s", only: worse},
	{kind: Corrupt, id: "could not access status of transaction %u", only: worse},
	{kind: Corrupt, id: "found xmin %u from before relfrozenxid %u", only: worse},
	{kind: Corrupt, id: "found xmax %u from before relfrozenxid %u", only: worse},
	{kind: Corrupt, id: "uncommitted xmin %u from before xid cutoff %u needs to be frozen", only: worse},
	{kind: Corrupt, id: "failed to re-find parent key in index \"%s\" for split pages %u/%u", only: worse},
	{kind: Corrupt, id: "right sibling's left-link doesn't match: block %u links to %u instead of expected %u in " +
		"index \"%s\"", only: worse},
	{kind: Corrupt, id: "WAL contains references to invalid pages", only: worse},
	{kind: Corrupt, id: "incorrect resource manager data checksum in record at %X/%X", only: fatal},
}

// pattern is a message, taken apart at its values.
type pattern struct {
	*message
	head  string   // before the first value
	parts []string // behind it, between the values
}

// patterns are those of messages by their first byte, the most particular first.
var patterns = func() (out [256][]pattern) {
	for i := range messages {
		m := &messages[i]
		parts := literals(m.id)
		p := pattern{message: m, head: parts[0]}
		if !m.head {
			p.parts = slices.DeleteFunc(parts[1:], func(s string) bool { return s == "" })
		}
		list := out[p.head[0]]
		if m.head && slices.ContainsFunc(list, func(q pattern) bool { return q.head == p.head }) {
			continue
		}
		out[p.head[0]] = append(list, p)
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b pattern) int { return len(b.id) - len(a.id) })
	}
	return out
}()

// literals splits a format of C at its values: %d, %ld, %03d, %zu, %.1f, %m, %X.
func literals(id string) []string {
	var out []string
	var lit strings.Builder
	for i := 0; i < len(id); i++ {
		if id[i] != '%' || i+1 == len(id) {
			lit.WriteByte(id[i])
			continue
		}
		if i++; id[i] == '%' {
			lit.WriteByte('%')
			continue
		}
		for i < len(id) && strings.IndexByte("0123456789.-+ #lzhj", id[i]) >= 0 {
			i++
		}
		out = append(out, lit.String())
		lit.Reset()
	}
	return append(out, lit.String())
}

const (
	// cutHead is how much of a message has to be there where the end of what was pasted cuts
	// it within its first words.
	cutHead = 16
	// cutPart is how much of what stands between its values.
	cutPart = 4
)

// match says whether a text is this message. What stands behind its last words does not
// count: pages put marks there. A text may end within the message, as a paste ends anywhere.
func (p *pattern) match(m []byte) bool {
	if len(m) < len(p.head) {
		return len(m) >= cutHead && strings.HasPrefix(p.head, string(m))
	}
	if string(m[:len(p.head)]) != p.head {
		return false
	}
	rest := m[len(p.head):]
	if p.with != "" && !bytes.HasPrefix(rest, []byte(p.with)) {
		return false
	}
	for _, part := range p.parts {
		i := bytes.Index(rest, []byte(part))
		if i < 0 {
			return endsIn(rest, part)
		}
		rest = rest[i+len(part):]
	}
	return true
}

// endsIn says whether a text ends with the beginning of a part, long enough to know it by.
func endsIn(m []byte, part string) bool {
	for n := min(len(part)-1, len(m)); n >= cutPart; n-- {
		if string(m[len(m)-n:]) == part[:n] {
			return true
		}
	}
	return false
}
