// Package bench runs experiments: one configuration of PostgreSQL or two of
// them, on scratch instances that it makes and takes away again, under a load
// whose every run is measured and kept. It never touches a server that it did
// not make.
//
// Above the interface world is the order of things: blocks, gates, what is
// written down when. Below it are clusters, processes and values of the kernel.
// The tests put a world of their own there that may die at any step.
package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// Config is one arm of an experiment.
type Config struct {
	Name      string            `json:"name"`
	Settings  map[string]string `json:"settings"`             // GUC to value, as a file spells it
	HugePages int64             `json:"huge_pages,omitempty"` // pages of the default size that its server is to find free; 0: none
	Reconnect bool              `json:"reconnect,omitempty"`  // its clients make a new connection for each transaction
	Kernel    map[string]string `json:"kernel,omitempty"`     // sysctl:vm.swappiness, thp:enabled: in force while its server runs
}

// How the data of a run come about.
const (
	Fresh  = "fresh"  // a copy of the loaded cluster for every run (in slices: for every block): nothing of a run is left to the next
	Kept   = "kept"   // one copy an arm for the whole experiment: cheaper where copies are slow; bloat accrues
	Shared = "shared" // both arms on the same files, one after the other; for loads that only read
)

// Experiment is what is to be run.
type Experiment struct {
	Name     string
	A, B     Config // Design Single has no B
	Design   string // of result
	Metric   string
	Spec     experiment.Spec
	Scale    int
	Restore  string // Fresh, Kept, Shared; "": the default of Restores
	Binaries scratch.Binaries
	Load     Load
	Dir      string // where the documents go: the user's, it stays
	Scratch  string // folder for the clusters; it is made and removed
	Host     experiment.Host
	Program  string   // version of pgfettle
	Notes    []string // go into the document
	// Asked is how the load was asked for, in the words of who builds it: it is kept
	// for him to build it again when the experiment is resumed.
	Asked json.RawMessage

	// KeepData leaves the loaded cluster in the scratch folder at the end, for the
	// next experiment with the same data. Clean removes it.
	KeepData bool
	// MayTouchKernel allows what Config.HugePages, Config.Kernel and the cache
	// state «cold» need.
	MayTouchKernel bool
	Guard          Guard
	Progress       func(Event) // told what is being done, from one goroutine; nil: nobody
}

// Guard is what is known of servers that are not ours, for nothing of theirs to
// be taken for scratch.
type Guard struct {
	DataDirs []string // data directories, absolute
	Systems  []uint64 // system identifiers
}

// Event is a step of an experiment, for who waits.
type Event struct {
	Step  string        // load, copy, start, warm-up, canary, measure, checkpoint, count, stop, clean, kept; "" with Ended
	Block int           // from 1; 0 before the first
	Of    int           // blocks that are due, repeated ones included
	Arm   string        // A or B; "": neither
	Done  int64         // of All, in what the step counts: bytes, rows, seconds
	All   int64         // 0: not known
	Left  time.Duration // estimate until the end
	Ended bool          // the block has just ended
	Void  []string      // with Ended: why it does not count
	Kept  string        // step kept: the folder of the loaded cluster that stays; Done says how many bytes it has
}

// Drive is one order to the program that sends the load.
type Drive struct {
	Conn         Conn
	Scale        int
	Clients      int
	Jobs         int
	Seconds      float64 // run for so long
	Transactions int     // where it is above 0: run so many for each client instead
	Rate         float64 // transactions a second; 0: as fast as it goes
	Seed         uint64
	Protocol     string
	Connect      bool // a new connection for each transaction
	Logged       bool // latencies of single transactions are wanted
	// Second is told the rate of each second that has passed; where it returns
	// true the load ends. nil: nobody. With Whole it ends with the transactions that
	// are under way, and its report is that of a run of this length; else at once.
	Whole  bool
	Second func(tps float64) (enough bool)
	// Made is told a folder outside of the scratch folder before it is used, for it
	// to be found again should we be killed. Its name begins with LoadFolder.
	Made func(folder string) error
}

// LoadFolder begins the name of a folder that a load makes for a run.
const LoadFolder = "pgfettle-load-"

// Conn is where a scratch instance listens.
type Conn struct {
	Host    string // folder of the socket
	Port    int
	User    string
	DB      string
	Account scratch.Account // that clients run as
}

// ConnString is the conninfo string.
func (c Conn) ConnString() string {
	return fmt.Sprintf("host='%s' port=%d user=%s dbname=%s", c.Host, c.Port, c.User, c.DB)
}

// Driven is what a load reports of itself.
type Driven struct {
	Seconds      float64
	Transactions int64
	Failed       int64
	Retried      int64
	Skipped      int64
	Mean, SD     float64             // of latency, in ms; NaN where not known
	Latencies    *measured.Histogram // in microseconds, of all transactions or of some drawn at random; nil: not logged
	CPU          time.Duration
	Errors       []string
	Command      string // to run it by hand
}

// Load is a workload and the program that sends it.
type Load interface {
	// Describe tells what it is, for the document.
	Describe(scale int) experiment.MeasuredWorkload
	// Identity is a hash over everything that it loads and sends, the version of
	// the sending program included: another identity is another experiment.
	Identity() string
	// Data is a hash over what it loads: another load with the same one may run on it.
	Data() string
	// Size is how large its database will be.
	Size(scale int) unit.Bytes
	// Shortest is about how long a run lasts at the least, in seconds: one transaction
	// of each client. For estimates alone; 0 where that is no time worth counting.
	Shortest(scale, clients int) float64
	// Fill makes schema and data. told may be told of rows done.
	Fill(ctx context.Context, c Conn, scale int, told func(done, all int64)) error
	// EndsWhole says that Drive.Whole is obeyed.
	EndsWhole() bool
	// Drive sends the load. An error means that the program itself broke; failed
	// transactions are part of what it reports.
	Drive(ctx context.Context, d Drive) (Driven, error)
}

// Restores is how data come about where nobody said it.
func Restores(writes bool, design string) string {
	switch {
	case writes:
		return Fresh
	case design == experiment.DesignSlices:
		return Kept // two servers cannot share one data directory
	}
	return Shared
}

var unknown = stat.Number(nan())
