package servers

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/template"
)

// turned is a setting that the trials change, in the base unit before and after
// and as a person gives it.
type turned struct {
	name, before, pin, after string
	restart                  bool
	auto                     bool // set by others with ALTER SYSTEM, which only ALTER SYSTEM overrides
}

// knobs are of both effects and, as the files of the server stand, of every place
// that a setting can be written to.
var knobs = []turned{
	{name: "checkpoint_timeout", before: "360", pin: "9min", after: "540"},
	{name: "temp_buffers", before: "1024", pin: "4MB", after: "512"},
	{name: "log_lock_waits", before: "off", pin: "on", after: "on"},
	{name: "random_page_cost", before: "3", pin: "1.5", after: "1.5", auto: true},
	{name: "work_mem", before: "5120", pin: "6MB", after: "6144"},
	{name: "max_worker_processes", before: "8", pin: "9", after: "9", restart: true},
	{name: "wal_buffers", before: "64", pin: "1MB", after: "128", restart: true},
	{name: "max_connections", before: "20", pin: "25", after: "25", restart: true},
	{name: "shared_buffers", before: "2048", pin: "20MB", after: "2560", restart: true},
}

// theirs is what others have set before the trials, in the base unit.
var theirs = map[string]string{"statement_timeout": "300000", "log_temp_files": "1024", "application_name": `a "b" c`}

func names(list []turned) []string {
	var out []string
	for _, k := range list {
		out = append(out, k.name)
	}
	return out
}

// trialServer is the server of one version that the trials are about. It is small, so
// that a restart takes a tenth of a second.
type trialServer struct {
	t     *testing.T
	bin   string
	i     *scratch.Instance
	trial *trial // the one that runs
	byHim bool   // by a role that may not ALTER SYSTEM, or if no role may: files are written
	rows  int
	sum   string // of the rows, as the server adds them up
}

// trialConf sends every setting of knobs to one place or another.
const trialConf = `
shared_buffers = 16MB
max_connections = 20
max_worker_processes = 8
huge_pages = off
wal_buffers = 512kB
log_lock_waits = off
include_if_exists 'mode.conf'
include_dir 'conf.d'
checkpoint_timeout = 6min # behind the folder, so that no file in it wins
`

func newTrialServer(t *testing.T, b scratch.Binaries, bin string) *trialServer {
	i, err := template.New(t.Context(), b, scratch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	y := &trialServer{t: t, bin: bin, i: i}
	t.Cleanup(func() {
		if err := i.Remove(); err != nil {
			t.Error(err)
		}
	})
	y.lay("conf.d", "")
	main := i.DataDir + "/postgresql.conf"
	y.lay("postgresql.conf", text(t, main)+trialConf)
	y.lay("mode.conf", "")
	y.lay("conf.d/50-site.conf", "log_temp_files = 1MB\n")
	y.lay("conf.d/zz-pgfettle.conf", "# by hand\nwork_mem = 5MB # small\n")
	y.start()
	y.exec(`ALTER SYSTEM SET statement_timeout = '5min'`, `ALTER SYSTEM SET application_name = 'a "b" c'`,
		`ALTER SYSTEM SET random_page_cost = 3`,
		`CREATE ROLE plain LOGIN`, `CREATE TABLE kept (id int PRIMARY KEY, v text)`, `SELECT pg_reload_conf()`)
	y.rows = 500
	y.exec(fmt.Sprintf(`INSERT INTO kept SELECT g, md5(g::text) FROM generate_series(1, %d) g`, y.rows))
	return y
}

// lay writes a file of the data directory, as its owner would have it; a name without a point or a text is a directory.
func (y *trialServer) lay(name, text string) {
	y.t.Helper()
	at := filepath.Join(y.i.DataDir, name)
	var err error
	if name == "conf.d" {
		err = os.Mkdir(at, 0o700)
	} else {
		err = os.WriteFile(at, []byte(text), 0o600)
	}
	if err != nil {
		y.t.Fatal(err)
	}
	if y.i.Account.Switch {
		if err := os.Chown(at, y.i.Account.UID, y.i.Account.GID); err != nil {
			y.t.Fatal(err)
		}
	}
}

func (y *trialServer) fatal(format string, args ...any) {
	y.t.Helper()
	if y.trial != nil {
		y.trial.fail(format, args...)
	}
	y.t.Fatalf(format, args...)
}

func (y *trialServer) start() {
	y.t.Helper()
	if err := y.i.Start(y.t.Context()); err != nil {
		y.fatal("it does not start: %v", err)
	}
}

func (y *trialServer) stop() {
	y.t.Helper()
	if err := y.i.Stop(); err != nil {
		y.fatal("%v", err)
	}
}

func (y *trialServer) exec(statements ...string) {
	y.t.Helper()
	if err := y.i.Exec(y.t.Context(), statements...); err != nil {
		y.fatal("%v", err)
	}
}

func (y *trialServer) query(sql string) [][][]byte {
	y.t.Helper()
	c, err := pgconn.Connect(y.t.Context(), y.i.ConnString())
	if err != nil {
		y.fatal("%v", err)
	}
	defer c.Close(context.Background())
	r := c.ExecParams(y.t.Context(), sql, nil, nil, nil, nil).Read()
	if r.Err != nil {
		y.fatal("%s: %v", sql, r.Err)
	}
	return r.Rows
}

// allows chooses in turn who applies: a superuser, whose changes go through ALTER SYSTEM, or one with ALTER SYSTEM
// disabled; before 17, where it cannot be forbidden, a role that is not allowed to.
func (tr *trial) allows() {
	tr.byHim = tr.n%2 == 0
	if tr.i.Binaries.Version.Major() < 17 {
		return
	}
	mode := ""
	if tr.byHim {
		mode = "allow_alter_system = off\n"
	}
	tr.lay("mode.conf", mode)
	tr.exec(`SELECT pg_reload_conf()`)
}

// draw chooses what is changed: most of it, and something that needs a restart.
func (y *trialServer) draw(rng *rand.Rand) []turned {
	var out []turned
	restarts := false
	for _, k := range knobs {
		if k.auto && y.byHim || rng.IntN(4) == 0 {
			continue
		}
		out = append(out, k)
		restarts = restarts || k.restart
	}
	if !restarts {
		out = append(out, knobs[len(knobs)-1])
	}
	return out
}

// apply are the arguments of one. --only is what keeps the kernel of this machine
// out of it.
func (tr *trial) apply() []string {
	target := tr.i.DataDir
	if tr.byHim && tr.i.Binaries.Version.Major() < 17 {
		target = strings.Replace(tr.i.ConnString(), "user=postgres", "user=plain", 1)
	}
	pins, only := []string{"pg:huge_pages=off"}, []string{}
	for _, k := range tr.knobs {
		pins, only = append(pins, "pg:"+k.name+"="+k.pin), append(only, "pg:"+k.name)
	}
	return []string{"apply", "--yes", "--max-effect", "restart", "--journal", tr.journal, "--pin",
		strings.Join(pins, ","), "--only", strings.Join(only, ","), target}
}

func (tr *trial) undo(restart bool) []string {
	args := []string{"undo", "--journal", tr.journal}
	if restart {
		args = append(args, "--max-effect", "restart")
	}
	return args
}

// commit adds a row that has to be there for good.
func (y *trialServer) commit() {
	y.t.Helper()
	y.rows++
	y.exec(fmt.Sprintf(`INSERT INTO kept VALUES (%d, md5('%d'))`, y.rows, y.rows))
	all := md5.New()
	for n := range y.rows {
		one := md5.Sum([]byte(strconv.Itoa(n + 1)))
		all.Write([]byte(hex.EncodeToString(one[:])))
	}
	y.sum = hex.EncodeToString(all.Sum(nil))
}

// intact verifies that the table is.
func (y *trialServer) intact() {
	y.t.Helper()
	r := y.query(`SELECT count(*)::text, md5(string_agg(v, '' ORDER BY id)) FROM kept`)
	if string(r[0][0]) != strconv.Itoa(y.rows) || string(r[0][1]) != y.sum {
		y.fatal("the table has %s rows with the sum %s; %d rows and %s were committed", r[0][0], r[0][1], y.rows, y.sum)
	}
}

// confFiles are the configuration files of a server, by their paths.
type confFiles map[string]file

type file struct {
	text     string
	mode     fs.FileMode
	uid, gid int
}

// look reads every configuration file. What a crash left beside them is none.
func (y *trialServer) look() confFiles {
	y.t.Helper()
	out := confFiles{}
	for _, dir := range []string{y.i.DataDir, y.i.DataDir + "/conf.d"} {
		m, err := filepath.Glob(dir + "/*.conf")
		if err != nil || len(m) == 0 {
			y.fatal("%s: %v, %v", dir, m, err)
		}
		for _, name := range m {
			b, err := os.ReadFile(name)
			if err != nil {
				y.fatal("%v", err)
			}
			in, err := (&target.Local{}).Stat(name)
			if err != nil {
				y.fatal("%v", err)
			}
			out[name] = file{string(b), in.Mode.Perm(), in.UID, in.GID}
		}
	}
	return out
}

// same fails where the files are not as they should be.
func (f confFiles) same(tr *trial, want confFiles, why string) {
	tr.t.Helper()
	for _, name := range sorted(want) {
		if f[name] != want[name] {
			tr.fail("%s: %s\nis\n%+v\nshould be\n%+v", why, name, f[name], want[name])
		}
	}
	for name := range f {
		if _, ok := want[name]; !ok {
			tr.fail("%s: %s is new", why, name)
		}
	}
}

// strays are files that a step which was cut off has left.
func (y *trialServer) strays() []string {
	var out []string
	for _, dir := range []string{y.i.DataDir, y.i.DataDir + "/conf.d"} {
		for _, pattern := range []string{"/.*pgfettle*", "/pgfettle*", "/*.tmp"} {
			m, _ := filepath.Glob(dir + pattern)
			out = append(out, m...)
		}
	}
	return out
}

// waitForQuiet waits for what a process that was killed had begun and what goes on
// without it: pg_ctl stops or starts the server, or is just about to be started by
// a child that still looks as its parent did.
func (y *trialServer) waitForQuiet() {
	y.t.Helper()
	await.That(y.t, "the end of pg_ctl", func() (bool, any) { return !y.pgctl(), "it runs" })
}

// up reports whether the server takes connections once all of that has come to its end: one that stops still shows for
// a moment, one that starts already does.
func (y *trialServer) up() bool {
	y.t.Helper()
	y.waitForQuiet()
	up := false
	await.That(y.t, "a server that neither stops nor starts", func() (bool, any) {
		if !y.i.Running() {
			return true, nil
		}
		err := y.i.Exec(y.t.Context())
		up = err == nil
		return up, err
	})
	return up
}

func (y *trialServer) pgctl() bool {
	m, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	return slices.ContainsFunc(m, func(name string) bool {
		b, err := os.ReadFile(name)
		if err != nil {
			return false
		}
		if len(b) == 0 { // it is just becoming another program
			exe, err := os.Readlink(filepath.Dir(name) + "/exe")
			return err == nil && (exe == y.i.Binaries.Tool("pg_ctl") || exe == y.bin)
		}
		args := strings.Split(string(b), "\x00")
		return filepath.Base(args[0]) == "pg_ctl" && slices.Contains(args, y.i.DataDir) ||
			args[0] == y.bin && y.trial != nil && slices.Contains(args, y.trial.journal)
	})
}

// live returns the values that are in force, and whether one waits for a restart.
func (y *trialServer) live() (values map[string]string, pending []string) {
	y.t.Helper()
	values = map[string]string{}
	for _, r := range y.query(`SELECT name, setting, pending_restart::text FROM pg_settings`) {
		values[string(r[0])] = string(r[1])
		if string(r[2]) == "true" {
			pending = append(pending, string(r[0]))
		}
	}
	return values, pending
}

// reset restores the files of a trial's start, if foreign edits are part of what remains of it.
func (tr *trial) reset() {
	tr.t.Helper()
	tr.stop()
	for name := range tr.look() {
		if _, ok := tr.begin[name]; !ok {
			if err := os.Remove(name); err != nil {
				tr.fail("%v", err)
			}
		}
	}
	for name, f := range tr.begin {
		rel, err := filepath.Rel(tr.i.DataDir, name)
		if err != nil {
			tr.fail("%v", err)
		}
		tr.lay(rel, f.text)
	}
	tr.start()
}

// log returns the last lines of the server's log.
func (y *trialServer) log() string {
	b, err := os.ReadFile(y.i.Log())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}

// want are the values that should be in effect: the given ones of the trial, and what others set before and after it.
func (tr *trial) want(which func(turned) string) map[string]string {
	out := maps.Clone(theirs)
	for _, k := range knobs {
		out[k.name] = k.before
	}
	for _, k := range tr.knobs {
		out[k.name] = which(k)
	}
	maps.Copy(out, tr.edits)
	return out
}

func before(k turned) string { return k.before }
func after(k turned) string  { return k.after }

// values verifies that the server runs, that every setting is as given, including what others have set, that nothing
// waits for a restart, and the data.
func (tr *trial) values(which func(turned) string) {
	tr.t.Helper()
	if !tr.up() {
		tr.fail("the server does not run")
	}
	live, pending := tr.live()
	for name, v := range tr.want(which) {
		if live[name] != v {
			tr.fail("%s is %s and should be %s", name, live[name], v)
		}
	}
	if len(pending) > 0 {
		tr.fail("%v wait for a restart", pending)
	}
	tr.intact()
}
