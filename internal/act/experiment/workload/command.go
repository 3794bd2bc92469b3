package workload

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

// Conn is where pgbench connects. The password goes by the environment: the
// arguments of a program can be read by everybody on the host.
type Conn struct {
	Host     string // a name, an address, or the directory of a socket
	Port     int
	User     string
	Database string
	Password string
}

// ParseConn reads a conninfo string or URL.
func ParseConn(conninfo string) (Conn, error) {
	c, err := pgconn.ParseConfig(conninfo)
	if err != nil {
		// its error may hold the password
		return Conn{}, say.Err("connection of pgbench: the conninfo string cannot be read")
	}
	return Conn{Host: c.Host, Port: int(c.Port), User: c.User, Database: c.Database, Password: c.Password}, nil
}

// Options say how pgbench is run.
type Options struct {
	Conn         Conn
	Session      []string // NAME=VALUE, what each session sets at its start, after what the workload sets
	Dir          string   // a private directory, made by PrivateFolder: scripts and logs go there
	Scale        int      // of the data that is there
	Clients      int
	Jobs         int     // threads; 0: one a client, at most one a CPU
	Seconds      int     // how long; or
	Transactions int     // how many of each client, for counting; exactly one of both
	Rate         float64 // transactions a second in all; 0: as fast as it goes
	LatencyLimit float64 // milliseconds; 0: none. With a rate, what would begin later is skipped
	Seed         uint64  // the same for both configurations of a block, another for each block
	Protocol     string  // "": the workload's own
	Log          string  // "": no log of transactions; else the first part of its files' names
	Sampling     float64 // of the transactions that are logged; 0 or 1: all
	Tries        int     // 0: 1
	PerStatement bool    // times of each statement; a Stream has them always
	Progress     bool    // a line a second, with the time
}

// Command is a run of pgbench: what is to be written into the private directory before it, what is run, with what in
// its environment.
type Command struct {
	Argv  []string
	Env   []string // NAME=VALUE, besides those of Clean; holds the password, never shown
	Files []File
	Form  measured.LogForm // of the log
	dir   string
	log   string
}

// File is one that a command needs.
type File struct {
	Name string // in the private directory
	Data []byte
}

// Command says how to run the workload with pgbench. An error is a fault of the
// options.
func (w *Workload) Command(p Pgbench, o Options) (Command, error) {
	if err := o.check(w); err != nil {
		return Command{}, say.Err("run of the workload {name}: {reason}", "name", w.Name, "reason", err)
	}
	jobs := o.Jobs
	if jobs == 0 {
		jobs = runtime.NumCPU()
	}
	jobs = min(jobs, o.Clients)
	protocol := o.Protocol
	if protocol == "" {
		protocol = w.Protocol
	}
	tries := max(o.Tries, 1)
	c := Command{dir: o.Dir, Form: measured.LogForm{Rate: o.Rate > 0, Tries: tries != 1,
		Kinds: p.Version.Major() >= 15}}
	// Without -n pgbench would vacuum its own tables, and empty its history.
	c.Argv = []string{p.Path, "-n", "-M", protocol, "-c", strconv.Itoa(o.Clients), "-j", strconv.Itoa(jobs)}
	if o.Seconds > 0 {
		c.Argv = append(c.Argv, "-T", strconv.Itoa(o.Seconds))
	} else {
		c.Argv = append(c.Argv, "-t", strconv.Itoa(o.Transactions))
	}
	c.Argv = append(c.Argv, "--random-seed="+strconv.FormatUint(o.Seed, 10))
	if o.Progress {
		c.Argv = append(c.Argv, "-P", "1", "--progress-timestamp")
	}
	if o.Rate > 0 {
		c.Argv = append(c.Argv, "--rate="+strconv.FormatFloat(o.Rate, 'f', -1, 64))
	}
	if o.LatencyLimit > 0 {
		c.Argv = append(c.Argv, "--latency-limit="+strconv.FormatFloat(o.LatencyLimit, 'f', -1, 64))
	}
	if p.Version.Major() >= 15 { // before, a failed transaction ends its client
		c.Argv = append(c.Argv, "--max-tries="+strconv.Itoa(tries), "--failures-detailed")
	} else if tries != 1 {
		return Command{}, say.Err("run of the workload {name}: {reason}", "name", w.Name,
			"reason", say.M("pgbench {version} cannot try a transaction again", "version", p.Version))
	}
	if w.Connect {
		c.Argv = append(c.Argv, "-C")
	}
	if w.Stream || o.PerStatement {
		c.Argv = append(c.Argv, "-r")
	}
	if o.Log != "" {
		c.log = filepath.Join(o.Dir, o.Log)
		c.Argv = append(c.Argv, "-l", "--log-prefix="+c.log)
		if o.Sampling > 0 && o.Sampling < 1 {
			c.Argv = append(c.Argv, "--sampling-rate="+strconv.FormatFloat(o.Sampling, 'f', -1, 64))
		}
	}
	if w.Builtin != "" {
		c.Argv = append(c.Argv, "-b", w.Builtin)
	}
	for _, s := range w.Scripts {
		name := s.Name + ".sql"
		c.Files = append(c.Files, File{Name: name, Data: []byte(s.Text)})
		c.Argv = append(c.Argv, "-f", filepath.Join(o.Dir, name)+"@"+strconv.Itoa(s.Weight))
	}
	if w.Builtin == "" && o.Scale > 0 { // for its built-in scripts, pgbench takes the scale from the table of branches
		c.Argv = append(c.Argv, "-s", strconv.Itoa(o.Scale))
	}
	for _, a := range []struct{ flag, value string }{{"-h", o.Conn.Host}, {"-U", o.Conn.User}} {
		if a.value != "" {
			c.Argv = append(c.Argv, a.flag, a.value)
		}
	}
	if o.Conn.Port != 0 {
		c.Argv = append(c.Argv, "-p", strconv.Itoa(o.Conn.Port))
	}
	c.Argv = append(c.Argv, o.Conn.Database) // never after -d, which is --debug up to 16
	c.Env = []string{"PGAPPNAME=pgfettle"}
	if all := slices.Concat(w.Session, o.Session); len(all) > 0 {
		c.Env = append(c.Env, "PGOPTIONS="+SessionOptions(all))
	}
	if o.Conn.Password != "" {
		c.Env = append(c.Env, "PGPASSWORD="+o.Conn.Password)
	}
	return c, nil
}

// SessionOptions are the options of a connection by which its session sets parameters, each NAME=VALUE. The server
// takes them apart at blanks that no backslash precedes (pg_split_opts).
func SessionOptions(list []string) string {
	escape := strings.NewReplacer(`\`, `\\`, " ", `\ `, "\t", "\\\t", "\n", "\\\n")
	var out []string
	for _, v := range list {
		out = append(out, "-c "+escape.Replace(v))
	}
	return strings.Join(out, " ")
}

// check holds what pgbench would refuse, or take for something else.
func (o *Options) check(w *Workload) error {
	switch {
	case o.Clients < 1:
		return fmt.Errorf("%d clients", o.Clients)
	case (o.Seconds > 0) == (o.Transactions > 0):
		return say.Err("it takes either a time or a number of transactions")
	case o.Seconds < 0 || o.Transactions < 0 || o.Jobs < 0 || o.Rate < 0 || o.LatencyLimit < 0:
		return say.Err("a number below zero")
	case o.Sampling < 0 || o.Sampling > 1:
		return fmt.Errorf("a sample of %v", o.Sampling)
	case o.Conn.Database == "" || strings.HasPrefix(o.Conn.Database, "-"):
		return errors.New("no database")
	case len(w.Scripts) > 0 && o.Dir == "" || o.Log != "" && o.Dir == "":
		return errors.New("no directory for its files")
	case o.Log != "" && filepath.Base(o.Log) != o.Log:
		return fmt.Errorf("log %q is no name of a file", o.Log)
	case w.Builtin == "" && len(w.Scripts) == 0:
		return errors.New("no script")
	}
	switch o.Protocol {
	case "", Simple, Extended, Prepared:
	default:
		return fmt.Errorf("protocol %q: it is %s, %s or %s", o.Protocol, Simple, Extended, Prepared)
	}
	return nil
}

// Write writes the files of a command into its directory.
func (c Command) Write() error {
	for _, f := range c.Files {
		if err := os.WriteFile(filepath.Join(c.dir, f.Name), f.Data, 0o600); err != nil {
			return say.Err("script of the workload: {reason}", "reason", err)
		}
	}
	return nil
}

// ReadLogs reads the logs that the threads of a run have left, and removes them.
func (c Command) ReadLogs() (*measured.Log, error) {
	if c.log == "" {
		return nil, errors.New("the run had no log")
	}
	names, err := filepath.Glob(escapeGlob(c.log) + ".*")
	if err != nil || len(names) == 0 {
		return nil, errors.Join(say.Err("the run left no log"), err)
	}
	var l measured.Log
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, say.Err("log of the run: {reason}", "reason", err)
		}
		err = l.Read(f, c.Form)
		if err := errors.Join(err, f.Close(), os.Remove(name)); err != nil {
			return nil, say.Err("log of the run: {reason}", "reason", err)
		}
	}
	return &l, nil
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}

// Line is the command for people, without the password.
func (c Command) Line() string {
	var b strings.Builder
	for i, a := range c.Argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		if a != "" && strings.IndexFunc(a, unsafeInShell) < 0 {
			b.WriteString(a)
		} else {
			b.WriteString("'" + strings.ReplaceAll(a, "'", `'\''`) + "'")
		}
	}
	return b.String()
}

func unsafeInShell(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
		strings.ContainsRune("-_=./:,@+%", r))
}

// shm is where Linux has a filesystem in memory that every user may write.
const shm = "/dev/shm"

// logRoom is what has to be free there: a log has 40 bytes a transaction, and a
// hundred thousand of them a second for a minute are 240 MB.
const logRoom = 512 << 20

// PrivateFolder creates a directory for scripts and logs that no other user can open: in memory if there is room, as a
// log on the disk of the database would load what is measured. The caller removes it.
func PrivateFolder() (dir string, inMemory bool, err error) {
	var st unix.Statfs_t
	if unix.Statfs(shm, &st) == nil && st.Type == unix.TMPFS_MAGIC && st.Bavail*uint64(st.Bsize) >= logRoom {
		if dir, err = os.MkdirTemp(shm, folderPattern); err == nil {
			return dir, true, nil
		}
	}
	if dir, err = os.MkdirTemp("", folderPattern); err != nil {
		return "", false, say.Err("private directory: {reason}", "reason", err)
	}
	return dir, false, nil
}

const folderPattern = "pgfettle-load-*"
