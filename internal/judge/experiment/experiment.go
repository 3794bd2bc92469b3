package experiment

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// ResultFile is the name of the document of an experiment in its directory.
const ResultFile = "result.json"

// CompareSame is the name of an experiment that compares a configuration with itself.
const CompareSame = "aa"

// Experiment is what is to be run, before it is run: what a person decides about.
// What runs it adds the programs and the load.
type Experiment struct {
	Name     string        // of an exercise, or of a comparison of a configuration with itself; "": none
	A, B     Configuration // baseline and candidate; DesignSingle has no B
	Design   string        // DesignRestart, DesignSlices, DesignTurns, DesignSingle
	Metric   string        // the name of the metric that decides
	Spec     Spec
	Workload string // its name
	Scale    int    // of its data
	Copied   bool   // its data are a copy of the database of a live server, which has no scale
	Restore  string // RestoreFresh, RestoreKept, RestoreShared, RestoreExisting; "": chosen by what the load does
	Server   string // the server's programs, as a person reads them
	ServerB  string // those of B, where it runs on another server than A
	// Database and DatabaseB are the existing databases of A and B, as conninfo without a password; "": an instance is
	// made
	Database, DatabaseB string
	Fills               []string // of them those that are empty, and are loaded first; what is loaded stays
	Dir                 string   // where the documents go: the user's, it stays
	Scratch             string   // where the clusters are made and removed
	Host                Host
	Program             string        // version of pgfettle
	Notes               []say.Message // what has to be known to read the result; they go into the document
}

// What data a run finds.
const (
	// RestoreFresh is a copy of the loaded cluster for every run (in slices: for every
	// block): nothing of a run is left to the next.
	RestoreFresh = "fresh"
	// RestoreKept is one copy for each configuration for the whole experiment: cheaper if copies are slow; bloat
	// accumulates.
	RestoreKept = "kept"
	// RestoreShared is both configurations on the same files, one after the other; for
	// loads that only read.
	RestoreShared = "shared"
	// RestoreExisting is an existing database, whose data are as the runs before left them.
	RestoreExisting = "existing"
)

// Estimation is what an experiment will take.
type Estimation struct {
	Time   time.Duration // all of it, without blocks that have to be repeated
	Block  time.Duration // of it a block
	Disk   unit.Bytes    // at most at one time
	Free   unit.Bytes    // of the filesystem of the scratch directory; 0: not known
	Memory unit.Bytes    // at most at one time
	Parts  []Part        // of the time
	Open   bool          // without the runs themselves: how long their transactions take is not known
	Held   unit.Bytes    // size of data that an earlier experiment left loaded; 0: none
	Fits   bool          // they are those of this one: they are not loaded again
}

// Part is a part of the time.
type Part struct {
	What string // load, copies, warm-up, measuring, counting, rest
	Time time.Duration
}

// Event is a step of an experiment, for the waiting user.
type Event struct {
	// statements, load, copy, start, warm-up, calibration, measure, checkpoint, count, stop, clean, kept; "" with Ended
	Step      string
	Block     int           // from 1; 0 before the first
	Blocks    int           // that are due, repeated ones included
	Config    string        // A or B; "": neither
	Done      int64         // of All, in what the step counts: bytes, rows, seconds
	All       int64         // 0: not known
	Left      time.Duration // estimate until the end
	Ended     bool          // the block has just ended
	Discarded []string      // with Ended: why it does not count
	Kept      string        // step kept: the directory of the loaded cluster that stays; Done is its size in bytes
}
