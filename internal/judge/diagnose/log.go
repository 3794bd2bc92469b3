package diagnose

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// LogSchema names the version of the JSON form.
const LogSchema = "pgfettle.diagnose.log/1"

// LogReport is what a server's log shows, worst first. Times are those of the log,
// by the clock of its zone.
type LogReport struct {
	Schema      string         `json:"schema"`
	Subject     string         `json:"subject"`  // the instance that the settings are of; "" for files alone
	Redacted    bool           `json:"redacted"` // names are replaced, statements left out
	Files       []LogFile      `json:"files"`
	From        string         `json:"from"` // time of the first entry; "" where the log tells none
	To          string         `json:"to"`
	SpanSeconds float64        `json:"span_seconds"` // between the two
	Entries     int64          `json:"entries"`
	Findings    []LogFinding   `json:"findings"`
	Crashes     []LogCrash     `json:"crashes"` // the first ones; their finding counts all
	Memory      LogMemory      `json:"memory"`
	Temp        LogTemp        `json:"temporary_files"`
	Checkpoints LogCheckpoints `json:"checkpoints"`
	Locks       LogLocks       `json:"locks"`
	Vacuum      LogVacuum      `json:"autovacuum"`
	Errors      []LogCount     `json:"errors"` // ERROR, FATAL and PANIC by SQLSTATE; "" where the log has none
	Unknown     []known.Gap    `json:"unknown"`
}

// LogFile is one file that was read.
type LogFile struct {
	Name      string `json:"name"`
	Format    string `json:"format"` // stderr, csvlog or jsonlog
	Prefix    string `json:"prefix"` // log_line_prefix of plain lines
	PrefixHow string `json:"prefix_how"`
	Bytes     int64  `json:"bytes"`
	Lines     int64  `json:"lines"`
	Entries   int64  `json:"entries"`
	Stray     int64  `json:"stray_lines"` // of no entry: other programs', or cut
	Dumps     bool   `json:"dumps_only"`  // only memory-context dumps were taken from it, as another file holds the entries
}

// LogFinding is one thing that the log shows.
type LogFinding struct {
	ID       string   `json:"id"`
	Severity string   `json:"severity"` // critical, warning or notice
	Verdict  string   `json:"verdict"`  // one line
	Evidence []string `json:"evidence"`
	Do       []string `json:"do"` // what would have prevented it, or what to do next
	Count    int64    `json:"count"`
	First    string   `json:"first"`
	Last     string   `json:"last"`
}

// LogCrash is one crash or unclean end.
type LogCrash struct {
	Time            string  `json:"time"`
	Cause           string  `json:"cause"`            // in words
	Process         string  `json:"process"`          // that died first; "" where the log does not say
	PID             int     `json:"pid"`              // 0: not said
	Signal          int     `json:"signal"`           // 0: none
	ExitCode        int     `json:"exit_code"`        // -1: none
	Statement       string  `json:"statement"`        // normalized
	ProcessesEnded  int64   `json:"processes_ended"`  // that the log tells of: since 14 it tells of none
	Refused         int64   `json:"refused"`          // connections, until it was ready
	DownSeconds     float64 `json:"down_seconds"`     // until connections were accepted; -1: the log does not tell
	RecoverySeconds float64 `json:"recovery_seconds"` // of that the replay of WAL; -1: not told
}

// LogMemory is what the log tells of memory that was refused.
type LogMemory struct {
	Refused    int64          `json:"refused"`
	Statements []LogStatement `json:"statements"`
	Dumps      []LogDump      `json:"dumps"`
	DumpsSeen  int64          `json:"dumps_seen"`
}

// LogDump is a memory-context dump.
type LogDump struct {
	Time       string       `json:"time"` // of the error that followed
	PID        int          `json:"pid"`
	Asked      bool         `json:"asked"` // by pg_log_backend_memory_contexts
	Whole      bool         `json:"whole"`
	Mixed      bool         `json:"mixed"` // two backends wrote at once: contexts of both may be in it
	TotalBytes unit.Bytes   `json:"total_bytes"`
	Request    int64        `json:"request_bytes"`   // that was refused; -1: not told
	In         string       `json:"request_in"`      // context that asked
	Statement  string       `json:"statement"`       // normalized
	Largest    []LogContext `json:"largest"`         // by own bytes
	Subtrees   []LogContext `json:"largest_trees"`   // by the bytes of all below
	Summed     []LogContext `json:"largest_by_name"` // contexts of one name together
}

// LogContext is a memory context.
type LogContext struct {
	Name  string     `json:"name"`
	Ident string     `json:"ident"` // what it is for
	Bytes unit.Bytes `json:"bytes"`
	Count int64      `json:"count"`
}

// LogStatement is what one statement, its literals removed, is behind.
type LogStatement struct {
	Fingerprint string     `json:"fingerprint"`
	Text        string     `json:"text"` // "" where the log has no statements, or redacted
	Count       int64      `json:"count"`
	Bytes       unit.Bytes `json:"bytes"`
	Largest     unit.Bytes `json:"largest"`
	User        string     `json:"user"` // of the largest; "" where the log has none
	Database    string     `json:"database"`
}

// LogTemp is what the log tells of temporary files.
type LogTemp struct {
	Files      int64          `json:"files"`
	Bytes      unit.Bytes     `json:"bytes"`
	Smallest   unit.Bytes     `json:"smallest"` // file that was logged: log_temp_files may hide smaller ones
	Classes    []LogSizeClass `json:"classes"`
	Spills     int64          `json:"spills"` // executions: files of one process and statement together
	Holds      []LogHold      `json:"work_mem"`
	Statements []LogStatement `json:"statements"`
	Others     LogStatement   `json:"others"`
	Lossy      bool           `json:"lossy"` // more different statements than are kept: counts of the listed ones are at least these
}

// LogSizeClass counts files of a size.
type LogSizeClass struct {
	From  unit.Bytes `json:"from"`
	Below unit.Bytes `json:"below"` // 0: no bound
	Files int64      `json:"files"`
	Bytes unit.Bytes `json:"bytes"`
}

// LogHold is the work_mem that would hold a share of the spills in memory.
type LogHold struct {
	Percent int        `json:"percent"`
	Spill   unit.Bytes `json:"spill"`    // on disk: that many percent are not larger
	WorkMem unit.Bytes `json:"work_mem"` // factor times that
}

// LogCheckpoints is what the log tells of checkpoints.
type LogCheckpoints struct {
	Complete       int64      `json:"complete"`
	ByWAL          int64      `json:"by_wal"`
	ByTime         int64      `json:"by_time"`
	Requested      int64      `json:"requested"`
	Other          int64      `json:"other"`    // shutdowns, ends of recovery
	Warnings       int64      `json:"warnings"` // «occurring too frequently»
	Distance       unit.Bytes `json:"distance"` // WAL that they cover
	Busiest        unit.Bytes `json:"busiest"`  // WAL in the busiest checkpoint_timeout
	Nine           unit.Bytes `json:"nine_of_ten"`
	TimeoutSeconds float64    `json:"timeout_seconds"` // checkpoint_timeout that is reckoned with
	Assumed        bool       `json:"assumed"`         // timeout and completion target are defaults, as no settings were at hand
	MaxWALSize     unit.Bytes `json:"max_wal_size"`    // that would have kept every checkpoint from being forced; 0: nothing was
	NineWALSize    unit.Bytes `json:"max_wal_size_nine_of_ten"`
	LongestSync    float64    `json:"longest_sync_seconds"`
}

// LogLocks is what the log tells of waits for locks.
type LogLocks struct {
	Waits     int64          `json:"waits"`
	Longest   float64        `json:"longest_seconds"`
	Deadlocks int64          `json:"deadlocks"`
	Timeouts  int64          `json:"timeouts"`
	Kinds     []LogCount     `json:"kinds"` // mode and kind of object
	Waiting   []LogStatement `json:"statements"`
}

// LogVacuum is what the log tells of autovacuum.
type LogVacuum struct {
	Runs     int64     `json:"runs"`
	Canceled int64     `json:"canceled"`
	Longest  []LogTook `json:"longest"`
	Stuck    []LogTook `json:"not_removable"` // tables with the most dead rows that could not be removed
}

// LogTook is an autovacuum run.
type LogTook struct {
	Table   string  `json:"table"`
	Time    string  `json:"time"`
	Seconds float64 `json:"seconds"`
	Dead    int64   `json:"dead"` // not removable yet; -1: not told
}

// LogCount counts things of a name.
type LogCount struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}
