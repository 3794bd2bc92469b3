package servers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/show/cli"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/template"
)

// logPrefixes are as different as prefixes get, one for each major version. All have the SQLSTATE, so that plain lines
// contain as much as the other formats. None has %t: it comes from a separate clock reading, which may be in the next
// second.
var logPrefixes = map[int]string{
	13: "%m [%p] %e %q%u@%d/%a ",
	14: "%m [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h,e=%e ",
	15: "%n|%p|%e|%u|%d|%b|%c|%l|%s|%v|%x|%Q|%r|%h|%i|%a: ",
	16: "%m %-8p %10u@%d %e%% ",
	17: "< %m %p %e > %q[%u %d %a] ",
	18: "%m [%p] %e %L %q%u@%d ",
	19: "%m %b[%p] %e %d/%u/%a: ",
}

// logged is what every format must report alike for an entry.
type logged struct {
	Second                                  int64
	PID                                     int
	Severity                                string
	Kind                                    pglog.Kind
	State, Message, Detail, Hint, Statement string
}

type logList struct {
	entries []logged
	dumps   []pglog.Dump
}

func (l *logList) Entry(e *pglog.Entry) {
	if e.Kind() == pglog.ShutDown {
		return // the last words of all: the collector may be gone before it has them in each format
	}
	if string(e.State) == "57P03" {
		return // an attempt of the test itself while the server starts: it may fall between two formats
	}
	l.entries = append(l.entries, logged{e.Time / 1e6, e.PID, e.Severity.String(), e.Kind(), string(e.State),
		string(e.Message), string(e.Detail), string(e.Hint), string(e.Statement)})
}
func (l *logList) Dump(d *pglog.Dump) { l.dumps = append(l.dumps, *d) }

// sorted puts the entries in an order that is the same in each format: of two
// processes that write at once the one is first here, the other there.
func (l *logList) sorted() []logged {
	out := slices.Clone(l.entries)
	slices.SortFunc(out, func(a, b logged) int {
		return cmp.Or(cmp.Compare(a.Second, b.Second), cmp.Compare(a.PID, b.PID), strings.Compare(a.Message, b.Message),
			strings.Compare(a.Statement, b.Statement))
	})
	return out
}

func (l *logList) sortedAs(how string) []logged {
	if how == "none fits" {
		return l.entries
	}
	return l.sorted()
}

// logLife makes a server log what a diagnosis looks for: spills, faults, a wait for
// a lock, a deadlock, a query that is killed with its session, and the recovery.
func logLife(t *testing.T, i *scratch.Instance, major int) (killed int) {
	t.Helper()
	ctx := t.Context()
	connect := func() *pgconn.PgConn {
		c, err := pgconn.Connect(ctx, i.ConnString())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	run := func(c *pgconn.PgConn, sql string) error {
		_, err := c.Exec(ctx, sql).ReadAll()
		return err
	}
	a, b := connect(), connect()
	defer a.Close(context.WithoutCancel(ctx))
	defer b.Close(context.WithoutCancel(ctx))
	for _, sql := range []string{
		"set application_name = 'an app: with [signs], 2 of = them'",
		"create table account (id int primary key, note text)",
		"insert into account select g, repeat(md5(g::text), 4) from generate_series(1, 20000) g",
		"set work_mem = '64kB'; select count(*) from (select * from account\n\torder by note\noffset 0) s",
		"checkpoint",
	} {
		if err := run(a, sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range []string{"select 1/0", "selekt 'it''s \"quoted\"',\n\t'and; long'",
		"insert into account values (1, 'x')", "select '\\x' || no_such(1, E'a\\tb')"} {
		if err := run(a, sql); err == nil {
			t.Fatalf("%s did not fail", sql)
		}
	}
	if major >= 14 {
		if err := run(a, "select pg_log_backend_memory_contexts(pg_backend_pid())"); err != nil {
			t.Fatal(err)
		}
		if err := run(a, "select 1"); err != nil {
			t.Fatal(err)
		}
	}
	// A wait that is over, then a deadlock.
	if err := run(a, "begin; update account set note = 'a' where id = 5"); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error, 1)
	go func() { waited <- run(b, "update account set note = 'b' where id = 5") }()
	await.That(t, "a wait that is long enough to be logged", func() (bool, any) {
		log := written(t, i)
		return strings.Contains(log, "still waiting for"), log
	})
	if err := run(a, "commit"); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
	for c, sql := range map[*pgconn.PgConn]string{a: "begin; update account set note = 'a' where id = 1",
		b: "begin; update account set note = 'b' where id = 2"} {
		if err := run(c, sql); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() { done <- run(a, "update account set note = 'a' where id = 2") }()
	errB := run(b, "update account set note = 'b' where id = 1")
	errA := <-done
	if (errA == nil) == (errB == nil) {
		t.Fatalf("one of two has to fail of a deadlock: %v, %v", errA, errB)
	}
	victim := connect()
	go func() { _ = run(victim, "select pg_sleep(60), 'secret'") }()
	await.That(t, "the query at work", func() (bool, any) {
		res, err := b.Exec(ctx,
			"rollback; select count(*) from pg_stat_activity where query like '%sleep%' and state = 'active' and "+
				"pid <> pg_backend_pid()").ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		last := res[len(res)-1]
		return len(last.Rows) == 1 && string(last.Rows[0][0]) == "1", last
	})
	killed = int(victim.PID())
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await.That(t, "the end of the other sessions, when the postmaster has seen it",
		func() (bool, any) { return run(b, "select 1") != nil, nil })
	await.That(t, "the server after its crash", func() (bool, any) {
		c, err := pgconn.Connect(ctx, i.ConnString())
		if err == nil {
			err = run(c, "select 1")
			c.Close(context.WithoutCancel(ctx))
		}
		return err == nil, err
	})
	return killed
}

// written is all that a server has written into its plain logs.
func written(t *testing.T, i *scratch.Instance) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(i.DataDir, "written", "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// TestLogFormatsAgree: what one server writes as plain lines, as csvlog and, from 15
// on, as jsonlog is read the same, with the prefix given and without; and the
// verdict of its logs names what was done to it.
func TestLogFormatsAgree(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		major := b.Version.Major()
		destination := "stderr,csvlog"
		if major >= 15 {
			destination += ",jsonlog"
		}
		i := start(t, b, map[string]string{"logging_collector": "on", "log_destination": destination,
			"log_line_prefix": logPrefixes[major], "log_directory": "written",
			"log_temp_files": "0", "log_checkpoints": "on", "log_lock_waits": "on", "deadlock_timeout": "50ms",
			"log_timezone": "UTC", "log_min_messages": "info", "lc_messages": "C"})
		killed := logLife(t, i, major)

		live := diagnosed(t, i.DataDir)
		if i.Running() {
			if err := i.Stop(); err != nil {
				t.Fatal(err)
			}
		}
		lists := map[string]*logList{}
		var plain string
		files, err := filepath.Glob(filepath.Join(i.DataDir, "written", "*"))
		if err != nil || len(files) == 0 {
			t.Fatal("no logs", err)
		}
		for _, f := range files {
			o := pglog.Options{}
			if filepath.Ext(f) == ".log" {
				plain = f
				o = pglog.Options{Prefix: logPrefixes[major], Known: true, How: "given"}
			}
			l := &logList{}
			src := readLogFile(t, f, o, l)
			if want := map[string]pglog.Format{".log": pglog.Stderr, ".csv": pglog.CSV,
				".json": pglog.JSON}[filepath.Ext(f)]; src.Format != want || src.Stray != 0 || src.Foreign != 0 ||
				src.NoState != 0 {
				t.Errorf("%s: %+v", f, src)
			}
			lists[filepath.Ext(f)] = l
		}
		if len(lists) != strings.Count(destination, ",")+1 {
			t.Fatalf("logs: %q", files)
		}
		have := lists[".log"].sorted()
		if len(have) < 20 {
			t.Fatalf("only %d entries", len(have))
		}
		for ext, l := range lists {
			other := l.sorted()
			if d := gocmp.Diff(have, other); ext != ".log" && d != "" {
				t.Errorf("-plain +%s\n%s", ext, d)
			}
			if major >= 14 && (len(l.dumps) != 1 || !l.dumps[0].Whole || !l.dumps[0].Asked ||
				l.dumps[0].Contexts[0].Name != "TopMemoryContext" || l.dumps[0].Contexts[0].Below != l.dumps[0].Total) {
				t.Errorf("%s: the dump that was asked for: %+v", ext, l.dumps)
			}
		}
		// Without the prefix the entries are the same still.
		l := &logList{}
		src := readLogFile(t, plain, pglog.Options{}, l)
		t.Logf("prefix %q: found %q (%s)", logPrefixes[major], src.Prefix, src.How)
		if len(l.entries) < len(have)*95/100 { // padding and rare escapes are not found again
			t.Errorf("without the prefix %d entries are found, not %d", len(l.entries), len(have))
		} else if len(l.entries) == len(have) {
			if src.How == "none fits" { // the process may be unknown, which the order goes by
				byMessage := func(a, b logged) int {
					return cmp.Or(cmp.Compare(a.Second, b.Second), strings.Compare(a.Message, b.Message),
						strings.Compare(a.Statement, b.Statement))
				}
				slices.SortFunc(have, byMessage)
				slices.SortFunc(l.entries, byMessage)
			}
			for k, e := range l.sortedAs(src.How) {
				if e.Message != have[k].Message || e.Kind != have[k].Kind ||
					e.PID != have[k].PID && src.How != "none fits" {
					t.Errorf("without the prefix: %+v\nnot %+v", e, have[k])
					break
				}
			}
		}

		if len(live.Crashes) != 1 || live.Crashes[0].PID != killed || live.Crashes[0].Signal != 9 ||
			live.Crashes[0].Statement != "select pg_sleep(?), ?" || live.Crashes[0].DownSeconds < 0 {
			t.Errorf("process %d was killed: %+v", killed, live.Crashes)
		}
		for id, count := range map[string]int64{"crash": 1, "deadlocks": 1, "lock_waits": 0, "temporary_files": 0} {
			k := slices.IndexFunc(live.Findings, func(f serverlog.Finding) bool { return f.ID == id })
			if k < 0 || live.Findings[k].Count < max(count, 1) || count > 0 && live.Findings[k].Count != count {
				t.Errorf("%s: %+v", id, live.Findings)
			}
		}
		if len(live.Temp.Statements) == 0 || !strings.Contains(live.Temp.Statements[0].Text,
			"order by note offset ?") || live.Temp.Bytes < 1<<20 {
			t.Errorf("temporary files: %+v", live.Temp)
		}
		if live.Checkpoints.Assumed || live.Checkpoints.TimeoutSeconds != 300 || live.Checkpoints.Requested < 1 {
			t.Errorf("checkpoints: %+v", live.Checkpoints)
		}
		if major >= 14 && (len(live.Memory.Dumps) != 1 || !live.Memory.Dumps[0].Asked) {
			t.Errorf("dumps: %+v", live.Memory.Dumps)
		}
		if len(live.Files) != len(lists)-boolInt(major >= 15) { // csvlog is not read where there is jsonlog
			t.Errorf("files: %+v", live.Files)
		}
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func readLogFile(t *testing.T, name string, o pglog.Options, s pglog.Sink) pglog.Source {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := pglog.Read(f, o, s)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// diagnosed runs the command on a server.
func diagnosed(t *testing.T, args ...string) *serverlog.Report {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Main(t.Context(), append([]string{"diagnose", "log", "--format", "json"}, args...),
		strings.NewReader(""), &out, &errs, os.Environ()); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var r serverlog.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// TestLogOfRefusedMemory: a session under a limit on its address space meets «out of
// memory»; the dump on standard error and the entry in csvlog are put together.
func TestLogOfRefusedMemory(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i, err := template.New(t.Context(), b, scratch.Options{Settings: map[string]string{"logging_collector": "on",
			"log_destination": "stderr,csvlog", "log_directory": "written", "lc_messages": "C",
			"shared_buffers": "16MB"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := i.Remove(); err != nil {
				t.Error(err)
			}
		})
		// Some 200 MB more than a session has, and the query wants gigabytes.
		if err := i.StartConfined(t.Context(), scratch.Confinement{AddressSpace: 400 * unit.MB}); err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		c, err := pgconn.Connect(ctx, i.ConnString())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.WithoutCancel(ctx))
		pid := int(c.PID())
		_, err = c.Exec(ctx, "select array_agg(repeat(md5(g::text), 10)) from generate_series(1, 20000000) g").ReadAll()
		var pgErr *pgconn.PgError
		if !asPgError(err, &pgErr) || pgErr.Code != "53200" {
			t.Fatalf("the query was to be refused memory: %v", err)
		}
		r := diagnosed(t, i.DataDir)
		if r.Memory.Refused != 1 || len(r.Memory.Dumps) != 1 {
			t.Fatalf("%+v", r.Memory)
		}
		d := r.Memory.Dumps[0]
		t.Logf("%s: %+v", d.TotalBytes, d.Largest[0])
		if d.PID != pid || !d.Whole || d.TotalBytes < 20<<20 || d.TotalBytes > 400<<20 ||
			!strings.Contains(d.Statement, "array_agg(repeat(md5(g::text), ?))") {
			t.Errorf("%+v", d)
		}
	})
}

func asPgError(err error, to **pgconn.PgError) bool {
	e, ok := err.(*pgconn.PgError)
	*to = e
	return ok
}

// TestLogOfStandardError: without a log collector the log is where the postmaster's
// standard error goes.
func TestLogOfStandardError(t *testing.T) {
	on(t, []int{17}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"log_temp_files": "0", "work_mem": "64kB"})
		if err := i.Exec(t.Context(),
			"select count(*) from (select g, md5(g::text) from generate_series(1, 50000) g order by 2 offset 0) "+
				"s"); err != nil {
			t.Fatal(err)
		}
		r := diagnosed(t, i.DataDir)
		if len(r.Files) != 1 || r.Files[0].Name != i.Log() || r.Files[0].PrefixHow != "of the server" ||
			r.Temp.Files == 0 || r.Subject != i.DataDir {
			t.Errorf("%+v %+v", r.Files, r.Temp)
		}
	})
}

// TestLogThatWasRotated: logrotate has moved the log with the crash aside, as
// copytruncate does it and by renaming, and the current one is empty.
func TestLogThatWasRotated(t *testing.T) {
	const crash = "2099-01-01 00:00:00.000 UTC [100] LOG:  server process (PID 101) was terminated by signal 9: " +
		"Killed\n"
	on(t, []int{17}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"log_line_prefix": "%m [%p] "})
		if err := os.WriteFile(i.Log()+".1", []byte(crash), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(i.Log(), 0); err != nil {
			t.Fatal(err)
		}
		if r := diagnosed(t, i.DataDir); len(r.Crashes) != 1 || r.Crashes[0].PID != 101 {
			t.Errorf("copytruncate: %+v %+v", r.Files, r.Crashes)
		}
		// The server writes on to the file that was renamed.
		if err := os.Rename(i.Log(), i.Log()+".2"); err != nil {
			t.Fatal(err)
		}
		if r := diagnosed(t, i.DataDir); len(r.Crashes) != 1 || r.Crashes[0].PID != 101 {
			t.Errorf("renamed: %+v %+v", r.Files, r.Crashes)
		}
	})
}
