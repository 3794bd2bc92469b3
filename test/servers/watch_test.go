package servers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// watcher is a running pgfettle watch.
type watcher struct {
	t    *testing.T
	cmd  *exec.Cmd
	file string // the history
	mu   sync.Mutex
	said bytes.Buffer
}

// Write implements io.Writer for what the program says.
func (w *watcher) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said.Write(b)
}

func (w *watcher) talk() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said.String()
}

// watch starts one; the test's end kills it where it still runs.
func kept(t *testing.T, file string, args ...string) *watcher {
	t.Helper()
	w := &watcher{t: t, file: file}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil { // root's, before anybody else could make it
		t.Fatal(err)
	}
	w.cmd = exec.Command(cell.Binary(t), append([]string{"watch", "--no-policy", "--history", file, "--journal",
		filepath.Join(filepath.Dir(file), "journal")}, args...)...)
	w.cmd.Stderr = w
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if w.cmd.ProcessState == nil {
			_ = w.cmd.Process.Kill()
			_ = w.cmd.Wait()
		}
	})
	return w
}

// says waits until the program has said all the words on one line, which it returns.
func (w *watcher) says(words ...string) string {
	w.t.Helper()
	var said string
	await.That(w.t, fmt.Sprintf("a line with %q", words), func() (bool, any) {
		talk := w.talk()
		for line := range strings.Lines(talk) {
			if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) }) {
				said = line
				return true, nil
			}
		}
		return false, "\n" + talk
	})
	return said
}

// ends sends a signal and returns the exit code.
func (w *watcher) ends(s syscall.Signal) int {
	w.t.Helper()
	if err := w.cmd.Process.Signal(s); err != nil {
		w.t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := w.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return w.cmd.ProcessState.ExitCode()
}

func (w *watcher) hup() {
	w.t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		w.t.Fatal(err)
	}
}

func historyOf(t *testing.T, file string) *store.Store {
	t.Helper()
	s, err := store.OpenRead(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func eventsIn(t *testing.T, s *store.Store) []history.Event {
	t.Helper()
	list, err := s.EventsBetween(t.Context(), history.EventFilter{From: time.Unix(0, 0), To: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// samplesIn waits until the history has so many samples of a series of an instance.
func samplesIn(t *testing.T, file, instance, name, label string, n int) []history.Bucket {
	t.Helper()
	s := historyOf(t, file)
	defer s.Close()
	var list []history.Bucket
	await.That(t, fmt.Sprintf("%d samples of %s of %s", n, name, instance), func() (bool, any) {
		var err error
		list, err = s.Range(t.Context(), history.Series{Instance: instance, Name: name, Label: label},
			time.Now().Add(-time.Hour), time.Now().Add(time.Minute), 10_000)
		if err != nil {
			t.Fatal(err)
		}
		return len(list) >= n, len(list)
	})
	return list
}

// TestWatchEachVersion: every version answers the one question of a sample, and
// what it counts becomes the published series; the second of two runs of --once
// has the rates between them, which are those of what was done.
func TestWatchEachVersion(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"shared_buffers": "16MB", "autovacuum": "off"})
		c := connect(t, i.ConnString())
		file := filepath.Join(t.TempDir(), "h", "history.db")
		once := func() {
			t.Helper()
			w := kept(t, file, "--once", i.DataDir)
			if err := w.cmd.Wait(); err != nil {
				t.Fatalf("%v: %s", err, w.talk())
			}
		}
		first := time.Now()
		once()
		sql(t, c, "create table t as select g, repeat('x', 500) as x from generate_series(1, 20000) g")
		sql(t, c, "set work_mem = '64kB'")
		sql(t, c, "set max_parallel_workers_per_gather = 0") // what each worker sorts in memory is not spilled
		sql(t, c, "select count(*) from (select x || g as y from t order by y offset 10) s")
		// A backend reports its counts every second at most, workers of a query before it,
		// and the checkpointer a moment after a checkpoint.
		checkpoints := "(select checkpoints_req from pg_stat_bgwriter)"
		if b.Version.Major() >= 17 {
			checkpoints = "(select num_requested from pg_stat_checkpointer)"
		}
		requested := sql(t, c, "select "+checkpoints) // the server's own, of its first start
		sql(t, c, "checkpoint")
		await.That(t, "the counters", func() (bool, any) {
			now := sql(t, c, "select (sum(temp_bytes) >= 1e7 and "+checkpoints+" > "+requested+
				") || ': ' || sum(temp_bytes) || ' temporary bytes' from pg_stat_database")
			return strings.HasPrefix(now, "true"), now
		})
		once()
		took := time.Since(first).Seconds() // at least the time between the two samples
		s := historyOf(t, file)
		at, list, err := s.Latest(t.Context())
		if err != nil || at.Before(first) {
			t.Fatal(at, err)
		}
		have := map[string]float64{}
		for _, p := range list {
			name := p.Name
			if p.Label != "" {
				name += "{" + p.Label + "}"
			}
			if p.Instance != "" && p.Instance != i.DataDir {
				t.Errorf("a series of %s", p.Instance)
			}
			have[name] = p.Value
		}
		want := []string{"transactions_per_second", "deadlocks_per_second", "blocks_read_per_second",
			"checkpoints_timed", "checkpoint_write_ratio", "checkpoint_sync_ratio",
			"buffers_backend_per_second", "oldest_transaction_seconds", "database_bytes", "wal_directory_bytes",
			"instance_page_tables_bytes", "instance_anonymous_bytes", "disk_free_bytes{data}",
			"connections{idle}", "connections{active}", "connections_waiting{Lock}", "memory_available_bytes",
			"page_tables_bytes", "cpu_busy_ratio", "findings{critical}", "cache_hit_ratio"}
		if b.Version.Major() >= 14 {
			want = append(want, "wal_full_page_images_per_second")
		}
		for _, name := range want {
			if _, ok := have[name]; !ok {
				t.Errorf("there is no series %s", name)
			}
		}
		for name, least := range map[string]float64{ // a second; half of what was done, or less
			"wal_bytes_per_second": 5e6 / took, "temp_bytes_per_second": 5e6 / took,
			"temp_files_per_second": 0.5 / took, "checkpoints_requested": 0.5 / took,
			"connections_total": 1, "instance_processes": 4, "database_bytes": 2e7,
		} {
			if v := have[name]; v < least {
				t.Errorf("%s is %v, less than %v", name, v, least)
			}
		}
	})
}

// TestWatch: a changed setting, a restart, and the end of the watcher itself are seen under load, reported, and in the
// history.
func TestWatch(t *testing.T) {
	t.Parallel() // it waits most of its time
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"shared_buffers": "16MB", "logging_collector": "on",
			"log_line_prefix": "'%m [%p] '"})
		file := filepath.Join(t.TempDir(), "h", "history.db")
		out := filepath.Join(t.TempDir(), "notices")
		w := kept(t, file, "--interval", "1s", "--notify", "exec:sh -c 'cat >> "+out+"'", "--notify-from",
			"notice", i.DataDir)
		w.says("checked; ")
		stop := make(chan struct{})
		var loads sync.WaitGroup
		// Up to 2 MB of WAL a second. Without its pauses it filled the disk by gigabytes, and took the CPUs from all
		// that runs next to it.
		load := func() {
			c := connect(t, i.ConnString())
			sql(t, c, "create table if not exists t (a int, b text)")
			loads.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if _, err := c.Exec(t.Context(),
						"insert into t select g, repeat('x', 100) from generate_series(1, 500) g; "+
							"select pg_sleep(0.05)").ReadAll(); err != nil {
						return // the restart
					}
				}
			})
		}
		load()
		other := kept(t, file, "--once", i.DataDir)
		var exit *exec.ExitError
		if err := other.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 5 ||
			!strings.Contains(other.talk(), "another process is writing the history") {
			t.Errorf("a second watcher: %v: %s", err, other.talk())
		}

		admin := connect(t, i.ConnString())
		sql(t, admin, "alter system set work_mem = '13MB'")
		sql(t, admin, "select pg_reload_conf()")
		reloaded(t, i, "work_mem", "13MB")
		w.hup()
		line := w.says("work_mem of "+i.DataDir, "4MB → 13MB", "ALTER SYSTEM", i.DataDir+"/postgresql.auto.conf:")
		if !strings.Contains(line, "read by the server at 20") {
			t.Errorf("the server's log was not asked: %s", line)
		}
		w.says("checked; ")

		if err := i.Stop(); err != nil {
			t.Fatal(err)
		}
		w.says(i.DataDir + " does not answer")
		loads.Wait()
		if err := i.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.says(i.DataDir+" was restarted at ", "previous start: ")
		load()
		await.That(t, "100 kB of WAL a second under load", func() (bool, any) {
			peak := 0.0
			for _, at := range samplesIn(t, file, i.DataDir, "wal_bytes_per_second", "", 3) {
				peak = max(peak, at.Max)
			}
			return peak >= 1e5, peak
		})

		if code := w.ends(syscall.SIGKILL); code != -1 {
			t.Errorf("killed, and it ended with %d", code)
		}
		time.Sleep(31 * time.Second) // half a minute without a sample is a gap, and more is one as well
		again := kept(t, file, "--interval", "1s", i.DataDir)
		again.says("checked; ")
		n := len(samplesIn(t, file, "", "memory_available_bytes", "", 1))
		samplesIn(t, file, "", "memory_available_bytes", "", n+2)
		if code := again.ends(syscall.SIGTERM); code != 0 {
			t.Errorf("SIGTERM ends it with %d: %s", code, again.talk())
		}
		third := kept(t, file, "--interval", "1s", i.DataDir)
		third.says("checked; ")
		if code := third.ends(syscall.SIGINT); code != 130 {
			t.Errorf("Ctrl-C ends it with %d: %s", code, third.talk())
		}
		close(stop)
		loads.Wait()
		// The event's own words: a plan that is stale may name the same values.
		if strings.Contains(again.talk()+third.talk(), "work_mem of "+i.DataDir) ||
			strings.Contains(again.talk()+third.talk(), "was started") {
			t.Errorf("what was told is told again:\n%s%s", again.talk(), third.talk())
		}

		count := map[string]int{}
		for _, e := range eventsIn(t, historyOf(t, file)) {
			switch e.Kind {
			case history.SettingChanged:
				if e.Subject == "work_mem" && (e.Before != "4MB" || e.After != "13MB" || e.Who != "ALTER SYSTEM" ||
					!strings.Contains(e.Where, "postgresql.auto.conf:") || e.Since.IsZero()) {
					t.Errorf("%+v", e)
				}
				count[string(e.Kind)+" "+e.Subject]++
			case history.Gap:
				if d := e.At.Sub(e.Since); d < 30*time.Second || d > await.Patience ||
					e.Detail != "pgfettle watch was not running" {
					t.Errorf("a gap of %s: %+v", d, e)
				}
				count["gap"]++
			default:
				count[string(e.Kind)]++
			}
		}
		if count["setting work_mem"] != 1 || count["restart"] != 1 || count["gap"] == 0 {
			t.Errorf("events: %v", count)
		}
		notice, err := exec.Command("cat", out).CombinedOutput()
		if err != nil || !strings.Contains(string(notice), `"subject":"work_mem","before":"4MB","after":"13MB"`) {
			t.Errorf("%v: notices: %s", err, notice)
		}
	})
}

// TestWatchWithoutRights: a role that sees only its own sessions gets no counts of those of others, and all the rest; a
// server that does not exist is an error.
func TestWatchWithoutRights(t *testing.T) {
	on(t, []int{17}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		admin := connect(t, i.ConnString())
		sql(t, admin, "create role watcher login")
		conninfo := fmt.Sprintf("host=%s port=%d user=watcher dbname=postgres", i.Socket, i.Port)
		file := filepath.Join(t.TempDir(), "h", "history.db")
		for range 2 {
			w := kept(t, file, "--once", conninfo)
			if err := w.cmd.Wait(); err != nil {
				t.Fatalf("%v: %s", err, w.talk())
			}
		}
		_, list, err := historyOf(t, file).Latest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rates := 0
		for _, p := range list {
			if strings.HasPrefix(p.Name, "connections") {
				t.Errorf("%s is %v", p.Name, p.Value)
			}
			if p.Name == "wal_bytes_per_second" || p.Name == "transactions_per_second" {
				rates++
			}
		}
		if rates != 2 {
			t.Errorf("%d of two rates", rates)
		}
		w := kept(t, file, "--once", strings.Replace(conninfo, i.Socket, t.TempDir(), 1))
		var exit *exec.ExitError
		if err := w.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 ||
			!strings.Contains(w.talk(), "hint: ") {
			t.Errorf("a server that is not there: %v: %s", err, w.talk())
		}
	})
}

// TestWatchFullDisk: on a disk that fills up the watcher stops writing, says so once, continues, and writes again when
// there is room: then the history records the gap.
func TestWatchFullDisk(t *testing.T) {
	t.Parallel() // it waits most of its time
	on(t, []int{17}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		d := cell.DiskOf(t, tier.Servers, "tmpfs", 4<<20)
		file := filepath.Join(d.At, "h", "history.db")
		w := kept(t, file, "--interval", "1s", i.DataDir)
		w.says("checked; ")
		samplesIn(t, file, "", "memory_available_bytes", "", 2)
		d.Fill(t, 0)
		w.says("could not write the history, retrying: ", "the disk is full")
		sql(t, connect(t, i.ConnString()), "alter system set work_mem = '13MB'")
		sql(t, connect(t, i.ConnString()), "select pg_reload_conf()")
		reloaded(t, i, "work_mem", "13MB")
		w.hup()
		w.says("work_mem of "+i.DataDir, "4MB → 13MB")
		d.Empty(t)
		w.says("writing the history again") // within the minute that it waits
		if n := strings.Count(w.talk(), "could not write the history"); n != 1 {
			t.Errorf("it was said %d times: %s", n, w.talk())
		}
		if code := w.ends(syscall.SIGTERM); code != 0 {
			t.Errorf("it ends with %d", code)
		}
		gaps := 0
		for _, e := range eventsIn(t, historyOf(t, file)) {
			if e.Kind == history.Gap && strings.Contains(e.Detail, "the disk is full") {
				gaps++
			}
		}
		if gaps != 1 {
			t.Errorf("%d gaps", gaps)
		}
	})
}
