package workload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/test/golden"
)

// find is Find for tests.
func find(t *testing.T, name string) *Workload {
	t.Helper()
	w, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestCommandGoldens holds how pgbench is run: each workload, and each option.
func TestCommandGoldens(t *testing.T) {
	here := Conn{Host: "/run/a b", Port: 5433, User: "postgres", Database: "load", Password: "secret"}
	timed := Options{Conn: here, Dir: "/dev/shm/x", Scale: 20, Clients: 8, Jobs: 2, Seconds: 60, Seed: 7}
	v15 := Pgbench{Path: "/usr/lib/postgresql/15/bin/pgbench", Version: 150018}
	v13 := Pgbench{Path: "/usr/pgsql-13/bin/pgbench", Version: 130023}
	var b strings.Builder
	line := func(what string, w *Workload, p Pgbench, o Options) {
		c, err := w.Command(p, o)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if strings.Contains(c.Line(), "secret") || !slices.Contains(c.Env, "PGPASSWORD=secret") {
			t.Errorf("%s: the password is among the arguments, or not in the environment: %s %q", what, c.Line(), c.Env)
		}
		fmt.Fprintf(&b, "# %s\n%s\n", what, c.Line())
		for _, v := range c.Env {
			if strings.HasPrefix(v, "PGOPTIONS=") {
				fmt.Fprintf(&b, "#   %s\n", v)
			}
		}
		for _, f := range c.Files {
			fmt.Fprintf(&b, "#   %s: %d lines\n", f.Name, strings.Count(string(f.Data), "\n"))
		}
	}
	for _, w := range List() {
		o := timed
		if w.Stream {
			o.Clients = 1
		}
		line(w.Name, &w, v15, o)
	}
	s := find(t, "select-only")
	o := timed
	o.Rate, o.LatencyLimit, o.Log, o.Sampling, o.Progress = 1500.5, 20, "log", 0.1, true
	line("a rate, with a sampled log and progress", s, v15, o)
	o = timed
	o.Seconds, o.Transactions, o.Protocol, o.PerStatement, o.Tries = 0, 3000, Extended, true, 10
	line("a number of transactions, tried again, each statement timed", s, v15, o)
	line("pgbench 13, which counts no failures", s, v13, timed)
	o = timed
	o.Clients, o.Jobs = 1, 4
	line("more threads than clients", s, v15, o)
	const file = "testdata/commands.txt"
	if golden.Updating() {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestOptionsThatPgbenchWouldMistake verifies that they are refused before it runs.
func TestOptionsThatPgbenchWouldMistake(t *testing.T) {
	good := Options{Conn: Conn{Database: "d"}, Dir: "/x", Clients: 1, Seconds: 1}
	for what, change := range map[string]func(o *Options){
		"no client":           func(o *Options) { o.Clients = 0 },
		"no length":           func(o *Options) { o.Seconds = 0 },
		"two lengths":         func(o *Options) { o.Transactions = 5 },
		"no database":         func(o *Options) { o.Conn.Database = "" },
		"a database -h":       func(o *Options) { o.Conn.Database = "-h" },
		"a sample of two":     func(o *Options) { o.Sampling = 2 },
		"a log elsewhere":     func(o *Options) { o.Log = "../log" },
		"a rate below zero":   func(o *Options) { o.Rate = -1 },
		"an unknown protocol": func(o *Options) { o.Protocol = "fast" },
	} {
		o := good
		change(&o)
		if c, err := find(t, "tpcb").Command(Pgbench{Path: "pgbench", Version: 150000}, o); err == nil {
			t.Errorf("%s: %s", what, c.Line())
		}
	}
	o := good
	o.Dir = ""
	if _, err := find(t, "oltp-rw").Command(Pgbench{Version: 150000}, o); err == nil {
		t.Error("scripts without a folder")
	}
	o = good
	o.Tries = 3
	if _, err := find(t, "tpcb").Command(Pgbench{Version: 140000}, o); err == nil {
		t.Error("pgbench 14 tries again")
	}
}

// TestNames verifies that every workload is found by its name, has words, and that a wrong name is answered with those
// there are.
func TestNames(t *testing.T) {
	for _, want := range []string{"tpcb", "simple-update", "select-only", "point-select", "oltp-rw", "olap", "1c",
		"ingest", "connect"} {
		w := find(t, want)
		if w.Title.IsZero() || len(w.About) < 60 || w.ScaleUnit <= 0 || w.Protocol == "" ||
			(w.Builtin == "") == (len(w.Scripts) == 0) {
			t.Errorf("%s: %+v", want, w)
		}
	}
	for _, s := range sysbenchScripts {
		if w := find(t, SysbenchPrefix+s.name); w.Sysbench != s.name || w.Title.IsZero() || w.Size(10) < 200*unit.MB ||
			!slices.Contains(Names(), w.Name) {
			t.Errorf("%s: %+v", s.name, w)
		}
	}
	if w := find(t, "1c"); w.Protocol != Simple || w.Share("report") != 0.3 || w.Share("none") != 0 {
		t.Errorf("1c: %s, reports %v", w.Protocol, w.Share("report"))
	}
	for name, hint := range map[string]string{"tcpb": "tpcb", "from-statements": "pg_stat_statements",
		"sysbench:oltp_read_wirte": "sysbench:oltp_read_write", "sysbench:../x": "oltp-rw", "": "oltp-rw"} {
		_, err := Find(name)
		var p *say.Problem
		if !errors.As(err, &p) || p.Code != say.CodeUsage || !strings.Contains(p.Hint.String(), hint) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestScriptsUnderAnyConfiguration verifies that no string of our scripts means something else where
// standard_conforming_strings is off, as plans for 1C have it: a backslash is in strings that begin with E only.
func TestScriptsUnderAnyConfiguration(t *testing.T) {
	plain := regexp.MustCompile(`(?:^|[^A-Za-z0-9_'])'[^'\n]*\\`)
	if !plain.MatchString(`SELECT '\x07'::bytea`) || plain.MatchString(`SELECT E'\\x07'::bytea`) {
		t.Fatal("the pattern does not tell them apart")
	}
	seen := 0
	err := fs.WalkDir(files, "sql", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen++
		if m := plain.FindString(text(strings.TrimPrefix(path, "sql/"))); m != "" {
			t.Errorf("%s: %s", path, m)
		}
		return nil
	})
	if err != nil || seen < 10 {
		t.Fatalf("%d scripts, %v", seen, err)
	}
}

// TestScaleFor verifies that the scale makes the database as large as was asked for.
func TestScaleFor(t *testing.T) {
	w := find(t, "tpcb")
	for _, times := range Times {
		n := w.ScaleFor(24*unit.GB, times)
		if got := float64(w.Size(n)) / float64(24*unit.GB); got < times*0.99 || got > times*1.01 {
			t.Errorf("scale %d is %.3f times the memory, asked for %v", n, got, times)
		}
	}
	if n := w.ScaleFor(1*unit.MB, 0.3); n != 1 {
		t.Errorf("little memory: scale %d", n)
	}
	if n := w.ScaleFor(1000*unit.TB, 4); n != maxScale {
		t.Errorf("much memory: scale %d", n)
	}
	if n := (&Workload{}).ScaleFor(unit.GB, 4); n != 1 {
		t.Errorf("no data: scale %d", n)
	}
}

// TestStatementsOfOurFiles verifies that every file is parsed completely, and that no placeholder is left unfilled.
func TestStatementsOfOurFiles(t *testing.T) {
	for _, w := range List() {
		for _, f := range []string{"schema", "data", "after"} {
			list := statements(text(w.data.name + "/" + f + ".sql"))
			if len(list) == 0 {
				t.Errorf("%s/%s is empty", w.data.name, f)
			}
			for _, s := range list {
				if !strings.HasSuffix(s, ";") || strings.Contains(s, "\n") &&
					!strings.HasSuffix(strings.Split(s, "\n")[0], "(") {
					t.Errorf("%s/%s: %q", w.data.name, f, s)
				}
			}
		}
		for _, s := range w.Scripts {
			if strings.Contains(s.Text, "{") {
				t.Errorf("%s, script %s: a place is not filled", w.Name, s.Name)
			}
			if what := reachesOut(s.Text); !what.IsZero() {
				t.Errorf("%s, script %s: %s", w.Name, s.Name, what)
			}
		}
	}
}

// TestCustom holds how the user's scripts are taken and which are refused.
func TestCustom(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b := put("a.sql", "SELECT 1;\n"), put("b c@d.sql", "-- \\shell is not allowed\nSELECT 2;\n")
	w, err := Custom([]string{a + "@70", b + "@30"})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Scripts) != 2 || w.Scripts[0].Weight != 70 || w.Scripts[1].Name != "02_b_c_d" || w.Share("01_a") != 0.7 ||
		!w.Writes {
		t.Errorf("%+v", w)
	}
	for name, text := range map[string]string{
		"shell":    "\\shell rm x\n",
		"setshell": "\\setshell v echo 1\nSELECT :v;\n",
		"program":  "copy t\nfrom /* x */ program 'id';",
		"inside":   "DO $$ BEGIN EXECUTE 'COPY t TO PROGRAM ''cat'''; END $$;",
		"file":     "COPY t FROM '/etc/passwd';",
		"dblink":   "SELECT * FROM dblink('host=x', 'SELECT 1') AS t (a int);",
		"exec":     "SELECT DBLINK_exec('x');",
		"fdw":      "CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw;",
		"read":     "SELECT pg_read_file('/etc/passwd');",
	} {
		path := put(name+".sql", text)
		var p *say.Problem
		if _, err := Custom([]string{path}); !errors.As(err, &p) || p.Code != say.CodeRefused || p.Detail.IsZero() {
			t.Errorf("%s: %v", name, err)
		}
	}
	for what, paths := range map[string][]string{
		"none": {}, "no weight": {a + "@"}, "a word": {a + "@many"}, "below zero": {a + "@-1"}, "only zero": {a + "@0"},
		"too many": slices.Repeat([]string{a}, 129),
		"a folder": {dir}, "not there": {dir + "/x.sql"}, "empty": {put("empty.sql", " \n")},
		"a NUL": {put("nul.sql", "SELECT 1;\x00SELECT 2;")},
		"large": {put("large.sql", strings.Repeat("SELECT 1;\n", 200_000))},
	} {
		var p *say.Problem
		if _, err := Custom(paths); !errors.As(err, &p) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestNoPgbench verifies that the package is named if there is no pgbench, that the preferred version is taken, and
// else the newest.
func TestNoPgbench(t *testing.T) {
	dir := t.TempDir()
	var p *say.Problem
	if _, err := findPgbench(t.Context(), &target.Local{}, []string{dir}, 160005); !errors.As(err, &p) ||
		!strings.Contains(p.Hint.String(), "postgresql-16") {
		t.Errorf("%v", err)
	}
	for _, v := range []string{"12.22", "14.24", "15.18 (Debian 15.18-0+deb12u1)", "18.6", "19beta1", "nonsense"} {
		sub := filepath.Join(dir, strings.Fields(v)[0])
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(sub, "pgbench"), []byte("#!/bin/sh\necho 'pgbench (PostgreSQL) "+v+"'\n"),
			0o700); err != nil {
			t.Fatal(err)
		}
	}
	all := []string{filepath.Join(dir, "*")}
	for prefer, want := range map[unit.Version]unit.Version{150001: 150018, 140000: 140024, 160000: 190000, 0: 190000} {
		if got, err := findPgbench(t.Context(), &target.Local{}, all, prefer); err != nil || got.Version != want {
			t.Errorf("for %v: %v %v, want %v", prefer, got, err, want)
		}
	}
	if _, err := findPgbench(t.Context(), &target.Local{}, []string{filepath.Join(dir, "12.22")},
		150000); !errors.As(err, &p) || !strings.Contains(p.Detail.String(), "12.22") {
		t.Errorf("an old one: %v", err)
	}
}

// TestPrivateFolder verifies that no other user can open it.
func TestPrivateFolder(t *testing.T) {
	dir, _, err := PrivateFolder()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}()
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", st, err)
	}
	c, err := find(t, "oltp-rw").Command(Pgbench{Version: 150000},
		Options{Conn: Conn{Database: "d"}, Dir: dir, Clients: 1, Seconds: 1, Log: "l[o*g", Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"l[o*g.12", "l[o*g.12.1"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("0 1 100 0 1700000000 5\n", i+1)),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := c.ReadLogs()
	if err != nil || l.All.Count() != 3 {
		t.Errorf("%v %v", l, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 4 {
		t.Errorf("left are %v, four scripts were wanted", left)
	}
	if _, err := c.ReadLogs(); err == nil {
		t.Error("logs that are not there were read")
	}
}
