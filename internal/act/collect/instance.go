package collect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// instance is one PostgreSQL instance on the way into the archive.
type instance struct {
	key       string
	pid       int           // of the postmaster; 0 if it does not run
	args      []string      // command line of the postmaster
	view      target.Target // where its paths hold: the host, or the root of its container
	inside    bool          // it runs in a container
	dataDir   string        // as the server sees it; "" if it could not be known
	port      int           // 0: unknown
	socketDir string        // "" : unknown, or none
	listen    string        // first address of TCP; "" : unknown, or none
	binDir    string        // "" : unknown
	unit      string        // "" : not run by a systemd unit
	pkg       string        // package of its program, which its manager is asked about; "": none is
	manager   string
	managed   bool // manager is known
	processes []int
	answered  bool // its server was asked already
	notes     []string
	gaps      []evidence.Missing // why fields are not known, named by the field alone
	start     int64              // of the postmaster, clock ticks after boot
	startedAt int64              // the same by postmaster.pid, seconds since the epoch; 0: unknown
	segment   *int               // id of its SysV segment
	mounts    mountTable         // of its container
	places    []snapshot.Place   // folders that it writes to
	inner     []string           // their paths as the server sees them
	statsDir  string             // where pg_stat is; "": unknown
	// the user that the postmaster runs as, or who owns the data directory; UID -1: unknown
	account   trust.Account
	distrust  *trust.Refusal // why nothing is done on its behalf; nil: it is
	unsure    bool           // whether it runs is unknown
	whyUnsure string
	owner     trust.Account // of the data directory, where it is closed
	closed    bool          // nothing in the data directory is read
	config    string        // postgresql.conf, by the registry of the distribution
	unitUser  string        // the account that its unit starts it as
	// unitProgram is the server's program as its unit names it.
	unitProgram string
	neighbour   bool   // another instance was named: of this one only the memory counts
	stranger    string // why it does not count, though nothing speaks against it; "": it does
}

// name returns the evidence name of something of this instance.
func (in *instance) name(what string) string { return "pg/" + in.key + "/" + what }

// record is an entry of instances.json. What is unknown is omitted; the archive says why under pg/KEY/FIELD.
type record struct {
	Key       string   `json:"key"`
	PID       *int     `json:"pid,omitempty"`
	DataDir   *string  `json:"data_directory,omitempty"`
	Port      *int     `json:"port,omitempty"`
	SocketDir *string  `json:"socket_dir,omitempty"`
	Running   *bool    `json:"running,omitempty"`
	BinDir    *string  `json:"bin_dir,omitempty"`
	Processes []int    `json:"processes,omitempty"`
	Unit      *string  `json:"unit,omitempty"`
	Package   *string  `json:"package,omitempty"`
	Manager   *string  `json:"manager,omitempty"`
	StatsDir  *string  `json:"stats_directory,omitempty"`
	StartedAt *int64   `json:"started_at,omitempty"`
	Segment   *int     `json:"segment,omitempty"`
	Notes     []string `json:"notes,omitempty"`
	Neighbour bool     `json:"neighbour,omitempty"`
}

func listed(found []*instance) []record {
	out := make([]record, 0, len(found))
	for _, in := range found {
		var running *bool
		if up := in.pid != 0; !in.unsure {
			running = &up
		}
		r := record{Key: in.key, PID: unlessZero(in.pid), DataDir: unlessZero(in.dataDir), Port: unlessZero(in.port),
			SocketDir: unlessZero(in.socketDir),
			Running:   running, BinDir: unlessZero(in.binDir), Processes: in.processes, Unit: unlessZero(in.unit),
			Package: unlessZero(in.pkg), StatsDir: unlessZero(in.statsDir),
			StartedAt: unlessZero(in.startedAt), Segment: in.segment, Notes: in.notes, Neighbour: in.neighbour}
		if in.managed {
			r.Manager = &in.manager
		}
		out = append(out, r)
	}
	return out
}

func unlessZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// number gives the instances their keys, in order of port and data directory,
// those of unknown port last.
func number(found []*instance) {
	slices.SortFunc(found, func(a, b *instance) int {
		if a.neighbour != b.neighbour { // the one that was named is the first
			if a.neighbour {
				return 1
			}
			return -1
		}
		if (a.port == 0) != (b.port == 0) {
			return b.port - a.port
		}
		if a.port != b.port {
			return a.port - b.port
		}
		if d := strings.Compare(a.dataDir, b.dataDir); d != 0 {
			return d
		}
		return a.pid - b.pid
	})
	for i, in := range found {
		in.key = strconv.Itoa(i + 1)
	}
}
