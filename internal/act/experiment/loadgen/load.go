// Package loadgen holds the programs that send a workload to the servers of an
// experiment: pgbench, sysbench, and pgbench with a mix that was made from the
// statistics of a live server. What they send is act/experiment/workload.
package loadgen

import (
	"context"
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/pgclient/conninfo"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

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
	// Second is called with the rate of each second that has passed; if it returns true, the load ends. It may be nil.
	// With Whole it ends with the transactions that are under way, and its report is that of a run of this length; else
	// at once.
	Whole  bool
	Second func(tps float64) (enough bool)
	// Made is called with a directory outside the scratch directory before it is used, so that it can be found again if
	// we are killed. Its name begins with LoadFolder.
	Made func(folder string) error
}

// LoadFolder begins the name of a directory that a load makes for a run.
const LoadFolder = "pgfettle-load-"

// Conn is where the server of a configuration listens, and what its sessions are.
type Conn struct {
	Host     string // folder of the socket
	Port     int
	User     string
	DB       string
	Password string          // "": none is needed
	Account  scratch.Account // that clients run as
	Session  []string        // NAME=VALUE, what each session sets at its start
}

// ConnString is the conninfo string. It may hold a password, and is for no one to see.
func (c Conn) ConnString() string {
	p := conninfo.Pairs{{Name: "host", Value: c.Host}, {Name: "port", Value: strconv.Itoa(c.Port)},
		{Name: "user", Value: c.User}, {Name: "dbname", Value: c.DB}}
	if c.Password != "" {
		p = append(p, conninfo.Pair{Name: "password", Value: c.Password})
	}
	if len(c.Session) > 0 {
		p = append(p, conninfo.Pair{Name: "options", Value: workload.SessionOptions(c.Session)})
	}
	return p.String()
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
	Command      string // to run it manually
}

// Load is a workload and the program that sends it.
type Load interface {
	// Describe describes it, for the document.
	Describe(scale int) experiment.MeasuredWorkload
	// Identity is a hash over everything that it loads and sends, the version of
	// the sending program included: another identity is another experiment.
	Identity() string
	// Data is a hash over what it loads: another load with the same one may run on it.
	Data() string
	// Size is how large its database will be.
	Size(scale int) unit.Bytes
	// Shortest is about how long a run lasts at the least, in seconds: one transaction of each client. For estimates
	// alone; 0 if that is no time worth counting.
	Shortest(scale, clients int) float64
	// Fill creates schema and data. told may be called with the rows done.
	Fill(ctx context.Context, c Conn, scale int, told func(done, all int64)) error
	// EndsWhole says that Drive.Whole is obeyed.
	EndsWhole() bool
	// Drive sends the load. An error means that the program itself broke; failed
	// transactions are part of what it reports.
	Drive(ctx context.Context, d Drive) (Driven, error)
}
