package serverlog

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
)

// Schema names the version of the JSON form.
const Schema = "pgfettle.diagnose.log/1"

// Report is what a server's log shows, worst first. Times are those of the log,
// by the clock of its zone.
type Report struct {
	Schema      string     `json:"schema"`
	Subject     string     `json:"subject"`  // the instance that the settings are of; "" for files alone
	Redacted    bool       `json:"redacted"` // names are replaced, statements omitted
	Files       []File     `json:"files"`
	From        string     `json:"from"` // time of the first entry; "" if the log has none
	To          string     `json:"to"`
	SpanSeconds float64    `json:"span_seconds"` // between the two
	Entries     int64      `json:"entries"`
	Findings    []Finding  `json:"findings"`
	Crashes     []Crash    `json:"crashes"` // the first ones; their finding counts all
	Starts      []Start    `json:"starts"`  // of the server, the first ones
	Shutdowns   []Shutdown `json:"shutdowns"`
	// replay of WAL: of the last start that the log has it of
	Recovery *Recovery `json:"recovery,omitempty"`
	Changed  []Changed `json:"changed_settings,omitempty"` // by reloads of the configuration
	// connections that were turned away as the server started or recovered
	Refused int64  `json:"refused_while_starting"`
	Memory  Memory `json:"memory"`
	// the server's own that it did not get at its start
	SharedMemory *SharedMemory `json:"shared_memory,omitempty"`
	// that of parallel queries: /dev/shm
	DynamicShared *DynamicShared `json:"dynamic_shared_memory,omitempty"`
	Connections   *Connections   `json:"connections,omitempty"` // limits that were met
	DiskFull      *DiskFull      `json:"disk_full,omitempty"`
	Temp          Temp           `json:"temporary_files"`
	Checkpoints   Checkpoints    `json:"checkpoints"`
	Locks         Locks          `json:"locks"`
	Vacuum        Vacuum         `json:"autovacuum"`
	Errors        []Count        `json:"errors"` // ERROR, FATAL and PANIC by SQLSTATE; "" if the log has none
	Durations     Durations      `json:"durations"`
	// values that sessions set for themselves, the most frequent first
	SessionSets []SessionSet `json:"session_settings,omitempty"`
	// errors and warnings that no finding is of, the most frequent, without the values in them
	Messages []Message `json:"messages"`
	Unknown  []gap.Gap `json:"unknown"`
}

// File is one file that was read.
type File struct {
	Name      string `json:"name"`
	Format    string `json:"format"` // stderr, csvlog or jsonlog
	Prefix    string `json:"prefix"` // log_line_prefix of plain lines
	PrefixHow string `json:"prefix_how"`
	Bytes     int64  `json:"bytes"`
	Lines     int64  `json:"lines"`
	Entries   int64  `json:"entries"`
	Stray     int64  `json:"stray_lines"` // of no entry: other programs', or cut
	// the wrapping that was removed from the lines: "docker compose", "CloudNativePG", "syslog"
	Wrapped string `json:"wrapped,omitempty"`
	// of the messages, if some are not in English: "ru", "pt_BR"; not there if no catalog has it
	Language string `json:"language,omitempty"`
	// only memory-context dumps were taken from it, as another file holds the entries
	Dumps bool `json:"dumps_only"`
}

// Finding is one thing that the log shows.
type Finding struct {
	ID       string        `json:"id"`
	Severity string        `json:"severity"` // critical, warning or notice
	Verdict  say.Message   `json:"verdict"`  // one line, without a full stop
	Evidence []say.Message `json:"evidence"`
	Do       []say.Message `json:"do"` // what would have prevented it, or what to do next
	Count    int64         `json:"count"`
	First    string        `json:"first"`
	Last     string        `json:"last"`
}

// Crash is one crash or unclean end.
type Crash struct {
	Time string `json:"time"`
	// process_died, postmaster_gone, unclean_end (it ended without a word) or immediate_shutdown
	Kind           string      `json:"kind"`
	Cause          say.Message `json:"cause"`               // clauses, without a full stop
	Process        string      `json:"process"`             // that died first; "" if the log does not say
	PID            int         `json:"pid"`                 // 0: not said
	Signal         int         `json:"signal"`              // 0: none
	ExitCode       int         `json:"exit_code"`           // -1: none
	Exception      string      `json:"exception,omitempty"` // Windows' code
	Statement      string      `json:"statement"`           // normalized
	User           string      `json:"user,omitempty"`      // of its session, if the log has that it was authorized
	Database       string      `json:"database,omitempty"`
	ProcessesEnded int64       `json:"processes_ended"` // that the log reports: since 14 it reports none
	Refused        int64       `json:"refused"`         // connections, until it was ready
	// the last sign of life before: the death itself, the last entry, or "last known up at"
	LastAlive string `json:"last_alive,omitempty"`
	Ready     string `json:"ready,omitempty"` // when connections were accepted again
	Recovered bool   `json:"recovered"`       // the log has that they were
	// from the last sign of life until connections were accepted; -1: not logged
	DownSeconds     float64 `json:"down_seconds"`
	DownAtMost      bool    `json:"down_at_most,omitempty"` // it may have lived on after that sign
	RecoverySeconds float64 `json:"recovery_seconds"`       // the part spent in WAL replay; -1: not logged

	bus      bool // it got SIGBUS, whose number differs by system
	panicked bool // the log has the PANIC that it aborted after
	failed   bool // the recovery from it did

	oom      bool          // a line of the kernel in the same file says who killed it
	first    say.Message   // the cause alone
	came     []say.Message // what came of it
	failures int64         // of recovery
	failedAt stamp         // the last of them
}

// Start is a start of the server.
type Start struct {
	Time    string `json:"time"`
	Version string `json:"version,omitempty"`
	// how the one before ended, as the server found it: shut_down, interrupted or recovering
	Found      string `json:"found,omitempty"`
	ShutDownAt string `json:"shut_down_at,omitempty"`
	Ready      string `json:"ready,omitempty"` // when connections were accepted; absent: not logged
}

// Shutdown is one that was asked for, or that the server did itself.
type Shutdown struct {
	Time string `json:"time"`
	How  string `json:"how"` // smart, fast or immediate
	// lock_file: the server did it itself, as its lock file was gone or of another; absent: it was asked for
	Cause string `json:"cause,omitempty"`
	Done  string `json:"done,omitempty"` // when it was complete; absent: not logged
	// until connections were accepted again; absent: not logged
	DownSeconds *float64 `json:"down_seconds,omitempty"`
}

// SharedMemory is shared memory that the server did not get at its start.
type SharedMemory struct {
	Refused int64       `json:"refused"`
	Call    string      `json:"call"`                    // mmap, shmget or semget
	Error   string      `json:"error"`                   // the kernel's
	Request *unit.Bytes `json:"request_bytes,omitempty"` // the largest
	Limit   string      `json:"limit,omitempty"`         // that the server's hint names: SHMMAX, SHMMNI, …
	// kernel.shmmax, if the input shows it with the log
	Shmmax *unit.Bytes `json:"shmmax_bytes,omitempty"`
}

// DynamicShared is shared memory that a query did not get.
type DynamicShared struct {
	Refused    int64       `json:"refused"`
	NoSpace    int64       `json:"no_space"` // of them as /dev/shm was full
	Largest    *unit.Bytes `json:"largest_request_bytes,omitempty"`
	Statements []Statement `json:"statements"`
}

// Connections counts connections that a limit turned away.
type Connections struct {
	Full      int64   `json:"full"`     // max_connections
	Reserved  int64   `json:"reserved"` // only those for superusers, or for a role, were left
	Untold    int64   `json:"untold"`   // by a limit that is not logged
	Roles     []Count `json:"roles"`    // CONNECTION LIMIT of a role
	Databases []Count `json:"databases"`
	Senders   int64   `json:"senders"` // max_wal_senders
}

// DiskFull counts what did not fit, by where it was to go.
type DiskFull struct {
	WAL   int64 `json:"wal"`
	Data  int64 `json:"data"`
	Temp  int64 `json:"temporary_files"`
	Other int64 `json:"other"` // files of neither, or untold
}

// Durations is what the log says about how long statements took: by log_min_duration_statement, which hides the shorter
// ones.
type Durations struct {
	Count   int64     `json:"count"`
	Max     float64   `json:"longest_seconds,omitempty"` // absent: none is in the log
	Slow    int64     `json:"slow"`                      // of a second or more
	Longest []LongRun `json:"longest"`                   // of them, the longest first
}

// LongRun is a statement that took long.
type LongRun struct {
	Time      string  `json:"time"`
	Seconds   float64 `json:"seconds"`
	Statement string  `json:"statement"` // normalized; "" if another entry has it
	User      string  `json:"user"`
	Database  string  `json:"database"`
}

// Message is an error or a warning, by its words.
type Message struct {
	Severity string `json:"severity"`
	Text     string `json:"text"`
	// the first of them with the names in it: of tables, columns, files
	Example string `json:"example,omitempty"`
	Varied  bool   `json:"varied,omitempty"` // others name something else
	// of the first that has one, normalized
	Statement string `json:"statement,omitempty"`
	User      string `json:"user,omitempty"`
	Database  string `json:"database,omitempty"`
	Count     int64  `json:"count"`
	First     string `json:"first"`
	Last      string `json:"last"`
}

// Request is an allocation that was refused.
type Request struct {
	Bytes *unit.Bytes `json:"bytes,omitempty"` // absent: not logged, or truncated
	In    string      `json:"in,omitempty"`    // memory context
	Count int64       `json:"count"`
}

// Memory is what the log says about memory that was refused.
type Memory struct {
	Refused    int64       `json:"refused"`
	Requests   []Request   `json:"requests"` // the most frequent
	Statements []Statement `json:"statements"`
	Dumps      []Dump      `json:"dumps"`
	DumpsSeen  int64       `json:"dumps_seen"`
}

// Dump is a memory-context dump.
type Dump struct {
	Time       string     `json:"time"` // of the error that followed
	PID        int        `json:"pid"`
	Asked      bool       `json:"asked"` // by pg_log_backend_memory_contexts
	Whole      bool       `json:"whole"`
	Mixed      bool       `json:"mixed"` // two backends wrote at once: contexts of both may be in it
	TotalBytes unit.Bytes `json:"total_bytes"`
	Request    int64      `json:"request_bytes"`   // that was refused; -1: not logged
	In         string     `json:"request_in"`      // context that asked
	Statement  string     `json:"statement"`       // normalized
	Largest    []Context  `json:"largest"`         // by own bytes
	Subtrees   []Context  `json:"largest_trees"`   // by the bytes of all below
	Summed     []Context  `json:"largest_by_name"` // contexts of one name together

	after *Dump // the error that it stands behind; nil: none
}

// Context is a memory context.
type Context struct {
	Name  string     `json:"name"`
	Ident string     `json:"ident"` // what it is for
	Bytes unit.Bytes `json:"bytes"`
	Count int64      `json:"count"`
}

// Statement is what one statement, its literals removed, is behind.
type Statement struct {
	Fingerprint string     `json:"fingerprint"`
	Text        string     `json:"text"` // "" if the log has no statements, or redacted
	Count       int64      `json:"count"`
	Bytes       unit.Bytes `json:"bytes"`
	Largest     unit.Bytes `json:"largest"`
	User        string     `json:"user"` // of the largest; "" if the log has none
	Database    string     `json:"database"`
	// the statement of a function that it was in, of the largest: from its CONTEXT
	Within string `json:"within,omitempty"`
}

// Temp is what the log says about temporary files.
type Temp struct {
	Files    int64       `json:"files"`
	Bytes    unit.Bytes  `json:"bytes"`
	Smallest unit.Bytes  `json:"smallest"` // file that was logged: log_temp_files may hide smaller ones
	Classes  []SizeClass `json:"classes"`
	Spills   int64       `json:"spills"` // executions: files of one process and statement together
	Holds    []Hold      `json:"work_mem"`
	// of the files those of statements that sort within maintenance_work_mem
	Maintenance *Maintained `json:"maintenance,omitempty"`
	Statements  []Statement `json:"statements"`
	Others      Statement   `json:"others"`
	// more different statements than are kept: counts of the listed ones are at least these
	Lossy bool `json:"lossy"`
}

// Maintained is what CREATE INDEX and the like wrote: maintenance_work_mem is theirs.
type Maintained struct {
	Files   int64      `json:"files"`
	Bytes   unit.Bytes `json:"bytes"`
	Spills  int64      `json:"spills"`
	Largest unit.Bytes `json:"largest"` // execution
	Shared  int64      `json:"shared"`  // files of parallel workers, which write them whatever their memory
}

// SizeClass counts files of a size.
type SizeClass struct {
	From  unit.Bytes `json:"from"`
	Below unit.Bytes `json:"below"` // 0: no bound
	Files int64      `json:"files"`
	Bytes unit.Bytes `json:"bytes"`
}

// Hold is the work_mem that would hold a share of the spills in memory.
type Hold struct {
	Percent int        `json:"percent"`
	Spill   unit.Bytes `json:"spill"`    // on disk: that many percent are not larger
	WorkMem unit.Bytes `json:"work_mem"` // factor times that
}

// Checkpoints is what the log says about checkpoints.
type Checkpoints struct {
	Complete  int64      `json:"complete"`
	ByWAL     int64      `json:"by_wal"`
	ByTime    int64      `json:"by_time"`
	Requested int64      `json:"requested"`
	Other     int64      `json:"other"`    // shutdowns, ends of recovery
	Warnings  int64      `json:"warnings"` // "occurring too frequently"
	Distance  unit.Bytes `json:"distance"` // WAL that they cover
	// of one checkpoint: what it covered, and what the server then expected of the next
	LargestDistance unit.Bytes `json:"largest_distance"`
	LargestEstimate unit.Bytes `json:"largest_estimate"`
	Busiest         unit.Bytes `json:"busiest"` // WAL in the busiest checkpoint_timeout
	// no checkpoint_timeout is whole in the log: busiest is what its rate would have come to
	Extrapolated bool `json:"extrapolated"`
	// what that rate was seen for
	SeenSeconds    float64    `json:"seen_seconds"`
	Nine           unit.Bytes `json:"nine_of_ten"`
	TimeoutSeconds float64    `json:"timeout_seconds"` // checkpoint_timeout that is computed with
	// timeout and completion target are defaults, as no settings were at hand
	Assumed bool `json:"assumed"`
	// that would have kept every checkpoint from being forced; 0: nothing was
	MaxWALSize  unit.Bytes `json:"max_wal_size"`
	NineWALSize unit.Bytes `json:"max_wal_size_nine_of_ten"`
	// what the WAL's disk has room for bounds it
	Bounded     bool    `json:"bounded,omitempty"`
	LongestSync float64 `json:"longest_sync_seconds"` // of one file; -1: not logged
	// of one checkpoint; -1: not logged
	LongestPhase float64 `json:"longest_sync_phase_seconds"`
	LongestWrite float64 `json:"longest_write_seconds"`
	LongestTotal float64 `json:"longest_total_seconds"`
	SlowSyncs    int64   `json:"slow_syncs"` // checkpoints of which one file took a second or more
	// between two of the warnings "too frequently"; absent: none is logged
	ShortestApart *int64 `json:"shortest_apart_seconds,omitempty"`
}

// Locks is what the log says about waits for locks.
type Locks struct {
	Waits     int64       `json:"waits"`
	Longest   float64     `json:"longest_seconds"`
	Deadlocks int64       `json:"deadlocks"`
	Timeouts  int64       `json:"timeouts"`
	Kinds     []Count     `json:"kinds"` // mode and kind of object
	Waiting   []Statement `json:"statements"`
	Holders   []Count     `json:"holders"`       // PIDs that waits were for
	Queue     int         `json:"longest_queue"` // of those that waited for one lock; 0 if not logged
	Relations []Count     `json:"relations"`     // that waits and deadlocks were on, by the CONTEXT
	// those that waited for each other
	Deadlocked []Statement `json:"deadlock_statements"`
	Tied       []Tied      `json:"deadlocks_first,omitempty"` // the first deadlocks, one by one
}

// Tied is one deadlock.
type Tied struct {
	Time      string `json:"time,omitempty"`
	Victim    int    `json:"victim,omitempty"` // PID of the session that failed
	Processes []int  `json:"processes,omitempty"`
	Relation  string `json:"relation,omitempty"`
	Tuple     string `json:"tuple,omitempty"` // block and row of what it was changing
	User      string `json:"user,omitempty"`  // of the victim
	Database  string `json:"database,omitempty"`
}

// Vacuum is what the log says about autovacuum.
type Vacuum struct {
	Runs     int64  `json:"runs"`
	Canceled int64  `json:"canceled"`
	Longest  []Took `json:"longest"`
	Stuck    []Took `json:"not_removable"` // tables with the most dead rows that could not be removed
}

// Took is an autovacuum run.
type Took struct {
	Table   string  `json:"table"`
	Time    string  `json:"time"`
	Seconds float64 `json:"seconds"`
	Dead    int64   `json:"dead"` // not removable yet; -1: not logged
	// that remain in the table, dead ones included; absent: not logged
	Rows int64 `json:"rows,omitempty"`
}

// Count counts things of a name.
type Count struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}
