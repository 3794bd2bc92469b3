package serverlog

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Schema names the version of the JSON form.
const Schema = "pgfettle.diagnose.log/1"

// Report is what a server's log shows, worst first. Times are those of the log,
// by the clock of its zone.
type Report struct {
	Schema      string      `json:"schema"`
	Subject     string      `json:"subject"`  // the instance that the settings are of; "" for files alone
	Redacted    bool        `json:"redacted"` // names are replaced, statements left out
	Files       []File      `json:"files"`
	From        string      `json:"from"` // time of the first entry; "" where the log tells none
	To          string      `json:"to"`
	SpanSeconds float64     `json:"span_seconds"` // between the two
	Entries     int64       `json:"entries"`
	Findings    []Finding   `json:"findings"`
	Crashes     []Crash     `json:"crashes"` // the first ones; their finding counts all
	Memory      Memory      `json:"memory"`
	Temp        Temp        `json:"temporary_files"`
	Checkpoints Checkpoints `json:"checkpoints"`
	Locks       Locks       `json:"locks"`
	Vacuum      Vacuum      `json:"autovacuum"`
	Errors      []Count     `json:"errors"` // ERROR, FATAL and PANIC by SQLSTATE; "" where the log has none
	Unknown     []known.Gap `json:"unknown"`
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
	// only memory-context dumps were taken from it, as another file holds the entries
	Dumps bool `json:"dumps_only"`
}

// Finding is one thing that the log shows.
type Finding struct {
	ID       string   `json:"id"`
	Severity string   `json:"severity"` // critical, warning or notice
	Verdict  string   `json:"verdict"`  // one line
	Evidence []string `json:"evidence"`
	Do       []string `json:"do"` // what would have prevented it, or what to do next
	Count    int64    `json:"count"`
	First    string   `json:"first"`
	Last     string   `json:"last"`
}

// Crash is one crash or unclean end.
type Crash struct {
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

// Memory is what the log tells of memory that was refused.
type Memory struct {
	Refused    int64       `json:"refused"`
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
	Request    int64      `json:"request_bytes"`   // that was refused; -1: not told
	In         string     `json:"request_in"`      // context that asked
	Statement  string     `json:"statement"`       // normalized
	Largest    []Context  `json:"largest"`         // by own bytes
	Subtrees   []Context  `json:"largest_trees"`   // by the bytes of all below
	Summed     []Context  `json:"largest_by_name"` // contexts of one name together
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
	Text        string     `json:"text"` // "" where the log has no statements, or redacted
	Count       int64      `json:"count"`
	Bytes       unit.Bytes `json:"bytes"`
	Largest     unit.Bytes `json:"largest"`
	User        string     `json:"user"` // of the largest; "" where the log has none
	Database    string     `json:"database"`
}

// Temp is what the log tells of temporary files.
type Temp struct {
	Files      int64       `json:"files"`
	Bytes      unit.Bytes  `json:"bytes"`
	Smallest   unit.Bytes  `json:"smallest"` // file that was logged: log_temp_files may hide smaller ones
	Classes    []SizeClass `json:"classes"`
	Spills     int64       `json:"spills"` // executions: files of one process and statement together
	Holds      []Hold      `json:"work_mem"`
	Statements []Statement `json:"statements"`
	Others     Statement   `json:"others"`
	// more different statements than are kept: counts of the listed ones are at least these
	Lossy bool `json:"lossy"`
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

// Checkpoints is what the log tells of checkpoints.
type Checkpoints struct {
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
	// timeout and completion target are defaults, as no settings were at hand
	Assumed bool `json:"assumed"`
	// that would have kept every checkpoint from being forced; 0: nothing was
	MaxWALSize  unit.Bytes `json:"max_wal_size"`
	NineWALSize unit.Bytes `json:"max_wal_size_nine_of_ten"`
	LongestSync float64    `json:"longest_sync_seconds"`
}

// Locks is what the log tells of waits for locks.
type Locks struct {
	Waits     int64       `json:"waits"`
	Longest   float64     `json:"longest_seconds"`
	Deadlocks int64       `json:"deadlocks"`
	Timeouts  int64       `json:"timeouts"`
	Kinds     []Count     `json:"kinds"` // mode and kind of object
	Waiting   []Statement `json:"statements"`
}

// Vacuum is what the log tells of autovacuum.
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
	Dead    int64   `json:"dead"` // not removable yet; -1: not told
}

// Count counts things of a name.
type Count struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}
