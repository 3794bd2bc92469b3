package workload

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// One unit of scale is ten tables of 10,000 rows, which is sysbench's own size of
// a table. All rows in one table would make the end of one index what every insert
// waits for.
const (
	SysbenchTables = 10
	SysbenchRows   = 10_000
	// What it takes, measured on 15 with blocks of 8 kB after its own preparation.
	sysbenchUnit = SysbenchTables * 2_552 * unit.KB
)

// sysbenchScripts are those that come with sysbench 1.0; the others of its directory are parts of these.
var sysbenchScripts = []struct {
	name   string
	title  say.Message
	writes bool
}{
	{"oltp_read_write", say.M("sysbench's own: ten reads by key, four of ranges, three updates, a delete and an " +
		"insert"),
		true},
	{"oltp_read_only", say.M("sysbench's own: ten reads by key and four of ranges"), false},
	{"oltp_point_select", say.M("sysbench's own: a read by key"), false},
	{"oltp_write_only", say.M("sysbench's own: three updates, a delete and an insert"), true},
	{"oltp_update_index", say.M("sysbench's own: an update of a column with an index"), true},
	{"oltp_update_non_index", say.M("sysbench's own: an update of a column without one"), true},
	{"oltp_insert", say.M("sysbench's own: an insert"), true},
	{"oltp_delete", say.M("sysbench's own: a delete by key"), true},
	{"select_random_points", say.M("sysbench's own: a read of ten keys"), false},
	{"select_random_ranges", say.M("sysbench's own: a count over ten ranges of keys"), false},
}

func sysbenchNames() (out []string) {
	for _, s := range sysbenchScripts {
		out = append(out, SysbenchPrefix+s.name)
	}
	return out
}

// sysbench returns the workload of a script; nil: it has none of this name.
func sysbench(script string) *Workload {
	for _, s := range sysbenchScripts {
		if s.name == script {
			return &Workload{Name: SysbenchPrefix + s.name, Title: s.title, Writes: s.writes, ScaleUnit: sysbenchUnit,
				Protocol: Prepared, Sysbench: s.name,
				About: "What sysbench sends with its own defaults, by its own program: for who wants to compare " +
					"with figures that others made with it."}
		}
	}
	return nil
}

// Sysbench is the program.
type Sysbench struct {
	Path    string
	Version string // as it says
}

// sysbenchFolders are where packages and builds put it.
var sysbenchFolders = []string{"/usr/bin", "/usr/local/bin"}

// FindSysbench returns the sysbench that is installed. The problem names the
// package.
func FindSysbench(ctx context.Context) (Sysbench, error) {
	return findSysbench(ctx, &target.Local{}, sysbenchFolders)
}

func findSysbench(ctx context.Context, t target.Target, folders []string) (Sysbench, error) {
	old := say.Message{}
	for _, dir := range folders {
		path := filepath.Join(dir, "sysbench")
		out, err := t.Run(ctx, target.Command{Argv: []string{path, "--version"}, Timeout: askTimeout, Limit: 4096})
		if err != nil || out.Code != 0 {
			continue
		}
		word, ok := sysbenchVersion(string(out.Stdout))
		switch {
		case ok:
			return Sysbench{Path: path, Version: word}, nil
		case word != "":
			old = say.M("the one that is here is of {word}, and options and reports are those of 1.0", "word", word)
		}
	}
	if ctx.Err() != nil {
		return Sysbench{}, context.Cause(ctx)
	}
	return Sysbench{}, &say.Problem{Message: say.M("sysbench is not installed"), Detail: old, Code: say.CodeError,
		Hint: say.M("install the package sysbench (Debian, Ubuntu, Fedora; EPEL for Red Hat), built with PostgreSQL; " +
			"or take point-select or oltp-rw, which pgbench sends")}
}

// sysbenchVersion reads "sysbench 1.0.20"; ok: it is 1.x, whose report we know.
func sysbenchVersion(out string) (word string, ok bool) {
	rest, found := strings.CutPrefix(out, "sysbench ")
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 || len(fields[0]) > 40 {
		return "", false
	}
	return fields[0], strings.HasPrefix(fields[0], "1.")
}

// SysbenchOptions say how sysbench is run.
type SysbenchOptions struct {
	Conn     Conn
	Scale    int
	Clients  int
	Seconds  int // how long; or
	Events   int // how many transactions in all; exactly one of both
	Rate     float64
	Seed     uint64
	Protocol string
	Connect  bool
}

// common are the arguments of all of its commands.
func (s Sysbench) common(w *Workload, o SysbenchOptions) []string {
	return []string{s.Path, "--db-driver=pgsql", "--pgsql-host=" + o.Conn.Host,
		"--pgsql-port=" + strconv.Itoa(o.Conn.Port), "--pgsql-user=" + o.Conn.User, "--pgsql-db=" + o.Conn.Database,
		"--pgsql-password=",
		// its driver would take a seed beyond this for a negative one, and 0 for none
		"--rand-seed=" + strconv.FormatUint(max(o.Seed&0x7fffffff, 1), 10),
		w.Sysbench, "--tables=" + strconv.Itoa(SysbenchTables), "--table-size=" + strconv.Itoa(SysbenchRows*o.Scale)}
}

// Prepare says how the data are made.
func (s Sysbench) Prepare(w *Workload, o SysbenchOptions) Command {
	return Command{Argv: append(s.common(w, o), "--threads="+strconv.Itoa(max(o.Clients, 1)), "prepare")}
}

// Run says how the load is sent. An error is a fault of the options.
func (s Sysbench) Run(w *Workload, o SysbenchOptions) (Command, error) {
	switch {
	case (o.Seconds > 0) == (o.Events > 0):
		return Command{}, say.Err("run of the workload {name}: {reason}", "name", w.Name,
			"reason", say.M("it takes either a time or a number of transactions"))
	case !slices.Contains([]string{"", Simple, Prepared}, o.Protocol):
		return Command{}, &say.Problem{Message: say.M("sysbench has no protocol {protocol}", "protocol",
			say.Quoted(o.Protocol)),
			Hint: say.M("it sends prepared statements, or simple ones"), Code: say.CodeUsage}
	}
	mode := "auto"
	if o.Protocol == Simple {
		mode = "disable"
	}
	argv := append(s.common(w, o), "--threads="+strconv.Itoa(o.Clients), "--time="+strconv.Itoa(o.Seconds),
		"--events="+strconv.Itoa(o.Events),
		"--report-interval=1", "--histogram", "--percentile=99", "--db-ps-mode="+mode)
	if o.Rate > 0 {
		argv = append(argv, "--rate="+strconv.Itoa(max(1, int(o.Rate+0.5)))) // whole ones
	}
	if o.Connect {
		argv = append(argv, "--reconnect=1")
	}
	return Command{Argv: append(argv, "run")}, nil
}
