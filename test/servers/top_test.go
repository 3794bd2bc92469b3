package servers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
	"github.com/pgfettle/pgfettle/internal/show/cli"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// topOf runs pgfettle top and returns the report.
func topOf(t *testing.T, target string) *now.Report {
	t.Helper()
	var out, said bytes.Buffer
	if code := cli.Main(t.Context(), []string{"top", "--format", "json", target}, strings.NewReader(""), &out, &said,
		os.Environ()); code != 0 {
		t.Fatalf("exit code %d: %s", code, said.String())
	}
	var r now.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	return &r
}

// jam makes a session wait for another one, and returns the process IDs of both.
func jam(t *testing.T, i *scratch.Instance) (holder, waiter int) {
	t.Helper()
	h, w := session(t, i), session(t, i)
	pid := func(s string) int { n, _ := strconv.Atoi(strings.TrimSpace(s)); return n }
	lines(t, h, "CREATE TABLE IF NOT EXISTS hot AS SELECT 1 AS id, 0 AS v")
	holder = pid(lines(t, h,
		"SET application_name = 'till \x1b[2J'; BEGIN; UPDATE hot SET v = 1; SELECT pg_backend_pid()"))
	waiter = pid(lines(t, w, "SELECT pg_backend_pid()"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		// it ends with the holder's transaction, or with the server
		w.Exec(t.Context(), "UPDATE hot SET v = v + 1").ReadAll()
	}()
	t.Cleanup(func() { h.Close(t.Context()); <-done })
	probe := session(t, i)
	waiting(t, probe, 1)
	return holder, waiter
}

// waiting waits until so many sessions wait for a lock.
func waiting(t *testing.T, probe *pgconn.PgConn, sessions int) {
	t.Helper()
	await.That(t, fmt.Sprint(sessions, " sessions that wait for a lock"), func() (bool, any) {
		n := strings.TrimSpace(lines(t, probe, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))
		return n == strconv.Itoa(sessions), n
	})
}

// TestTopOfEachMajor: every question of the live view is answered by every version: processes with the memory of the
// host and the session of the server, which session blocks which, checkpoints, WAL and databases with their rates, and
// nothing is missing. A role that cannot see the sessions of others gets a message about the missing right.
func TestTopOfEachMajor(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"shared_buffers": "32MB"})
		holder, waiter := jam(t, i)
		r := topOf(t, i.DataDir)
		for _, g := range r.Unknown {
			if !g.Is(now.GapPressure) { // of the kernel that this runs on
				t.Errorf("not known: %+v", g)
			}
		}
		if r.Server.Problem != nil || !strings.HasPrefix(r.Server.Version, fmt.Sprint(b.Version.Major())) ||
			r.Server.Connections == nil || *r.Server.Connections < 2 || *r.Server.InXact != 1 {
			t.Errorf("%+v", r.Server)
		}
		kinds := map[string]bool{}
		for _, p := range r.Processes {
			kinds[p.Type] = true
			if p.PID == holder && (p.State != "idle in transaction" || p.PageTables == nil || *p.PageTables <= 0 ||
				*p.Private <= 0 || p.Role != "postgres" || p.Application == "") {
				t.Errorf("%+v", p)
			}
			if p.PID == waiter && p.WaitType != "Lock" {
				t.Errorf("%+v", p)
			}
		}
		for _, k := range []string{"postmaster", "checkpointer", "background writer", "client backend"} {
			if !kinds[k] {
				t.Errorf("no %s among %v", k, kinds)
			}
		}
		if len(r.Locks) != 2 || r.Locks[0].PID != holder || r.Locks[0].Waiters != 1 || r.Locks[1].PID != waiter ||
			r.Locks[1].Depth != 1 {
			t.Errorf("process %d blocks %d, told is %+v", holder, waiter, r.Locks)
		}
		if c := r.Checkpoints; c == nil || c.WAL == nil || c.WAL.Total <= 0 || c.WAL.Rate == nil || c.LastAge == nil ||
			(c.Backends == nil) == (c.BackendCalls == nil) {
			t.Errorf("%+v", c)
		}
		if k := slices.IndexFunc(r.Databases, func(d now.Database) bool { return d.Name == "postgres" }); k < 0 ||
			r.Databases[k].Xacts.Rate == nil || r.Databases[k].Connections < 2 {
			t.Errorf("%+v", r.Databases)
		}
		admin := session(t, i)
		lines(t, admin, "CREATE ROLE nobody_else LOGIN")
		lesser := topOf(t, strings.Replace(i.ConnString(), "user=postgres", "user=nobody_else", 1))
		if k := slices.IndexFunc(lesser.Unknown, func(g gap.Gap) bool { return g.Is(now.GapSessions) }); k < 0 ||
			!strings.Contains(lesser.Unknown[k].Reveal.String(), "pg_monitor") || lesser.Server.Connections != nil {
			t.Errorf("a role without the right is told %+v, %+v", lesser.Unknown, lesser.Server)
		}
	})
}

// tmux is a terminal that a program can look at.
type tmux struct {
	t   *testing.T
	dir string
}

func newTmux(t *testing.T, width, height int) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		tier.Missing(t, tier.Servers, "%v", err)
	}
	m := &tmux{t, cell.Folder(t)}
	t.Cleanup(func() { m.cmd("kill-server").Run() }) // none runs where the test ended it
	m.do("-f", "/dev/null", "new-session", "-d", "-s", "v", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "sh")
	m.do("set-option", "-g", "window-size", "manual")
	// What is typed before is shown before the prompt, and what it prints behind the prompt.
	m.until("a prompt", func(s string) bool { return strings.TrimSpace(s) != "" })
	return m
}

func (m *tmux) cmd(args ...string) *exec.Cmd {
	c := exec.Command("tmux", append([]string{"-u", "-S", filepath.Join(m.dir, "tmux")}, args...)...)
	c.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "ENV=")
	return c
}

func (m *tmux) do(args ...string) string {
	m.t.Helper()
	out, err := m.cmd(args...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

func (m *tmux) screen() string      { return m.do("capture-pane", "-p", "-t", "v") }
func (m *tmux) keys(keys ...string) { m.do(append([]string{"send-keys", "-t", "v"}, keys...)...) }

// until waits until the screen is as it should be, and returns it.
func (m *tmux) until(what string, is func(string) bool) string {
	m.t.Helper()
	var s string
	await.That(m.t, "a screen with "+what, func() (bool, any) { s = m.screen(); return is(s), "\n" + s })
	return s
}

func (m *tmux) shows(texts ...string) string {
	m.t.Helper()
	return m.until(strings.Join(texts, ", "), func(s string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(s, text) })
	})
}

// TestTopOnATerminal drives the live view in tmux: each table, the filter, sizes, a
// backend that hangs, a server that goes away and comes back, and the way out, after
// which the terminal is as it was and the server has no session of ours.
func TestTopOnATerminal(t *testing.T) {
	on(t, []int{17}, func(t *testing.T, b scratch.Binaries) {
		bin := cell.Binary(t)
		i := start(t, b, map[string]string{"shared_buffers": "32MB"})
		holder, waiter := jam(t, i)
		m := newTmux(t, 80, 24)
		m.keys("-l", "stty -a | cksum; "+bin+" top --interval 1s "+i.DataDir+"; echo exit $?; stty -a | cksum")
		m.keys("Enter")
		s := m.shows("PostgreSQL 17", "4 Databases", "*TABLES", "checkpointer", "of 100: ", "available", "q quit",
			"? help", "process scan")
		if n := strings.Count(strings.TrimRight(s, "\n"), "\n"); n != 23 ||
			!strings.HasPrefix(strings.Split(s, "\n")[23], "q quit") {
			t.Errorf("the keys are not on the last of 24 lines:\n%s", s)
		}
		t.Logf("80x24:\n%s", s)

		m.keys("2")
		s = m.shows("Lock waits, blockers first", "Lock:transactionid", "idle in tx")
		if k, w := strings.Index(s, fmt.Sprint(holder, " ")), strings.Index(s, fmt.Sprint("  ", waiter)); k < 0 ||
			w < k {
			t.Errorf("process %d blocks %d:\n%s", holder, waiter, s)
		}
		m.keys("3")
		m.shows("timed checkpoints", "WAL position", "write calls of backends")
		m.keys("4")
		m.shows("DATABASE", "*XACT/S", "template1")
		m.keys("1", "/")
		m.keys("-l", "TILL")
		m.keys("Enter")
		// what the session calls itself wipes no screen
		m.until("one process", func(s string) bool {
			return strings.Contains(s, `till \x`) && !strings.Contains(s, "checkpointer") &&
				strings.Contains(s, "PostgreSQL 17")
		})
		m.keys("Escape")
		m.shows("checkpointer")

		m.do("resize-window", "-t", "v", "-x", "60", "-y", "20")
		m.shows("1 Procs", "? help")
		m.do("resize-window", "-t", "v", "-x", "200", "-y", "50")
		m.shows("LAST QUERY", "UPDATE hot SET v = v + 1", "WAITS FOR")
		m.do("resize-window", "-t", "v", "-x", "80", "-y", "24")
		m.until("the small one again", func(s string) bool {
			return strings.Contains(s, "1 Processes") && !strings.Contains(s, "LAST QUERY")
		})

		// One connection, which is kept.
		admin := session(t, i)
		ours := func() string {
			return lines(t, admin,
				"SELECT pid FROM pg_stat_activity WHERE application_name = 'pgfettle' AND state = 'idle' AND query "+
					"LIKE 'select%' AND pid <> pg_backend_pid() AND backend_start < now() - interval '1 s'")
		}
		var kept string
		await.That(t, "one session of the view", func() (bool, any) {
			kept = ours()
			return strings.Count(kept, "\n") == 1, kept
		})
		// It hangs: the view stays responsive, shows the age of the numbers, and asks elsewhere, even if nothing
		// answers there either.
		pid, err := strconv.Atoi(strings.TrimSpace(kept))
		if err != nil {
			t.Fatal(err)
		}
		postmaster := i.PID()
		t.Cleanup(func() { _ = syscall.Kill(postmaster, syscall.SIGCONT) }) // or it does not stop where the test failed
		for _, p := range []int{postmaster, pid} {
			if err := syscall.Kill(p, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}
		s = m.shows("no answer within 5s", "the server does not answer; its data is")
		if !strings.Contains(s, "checkpointer") || !strings.Contains(s, "load ") {
			t.Errorf("its numbers are gone:\n%s", s)
		}
		if err := syscall.Kill(postmaster, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		m.until("an answer", func(s string) bool {
			return !strings.Contains(s, "does not answer") && strings.Contains(s, "of 100: ")
		})
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}

		// It goes away and comes back.
		if err := i.Stop(); err != nil {
			t.Fatal(err)
		}
		m.shows("the server does not answer; its data is", "the server does not run")
		if err := i.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.until("the server", func(s string) bool {
			return !strings.Contains(s, "does not answer") && strings.Contains(s, "of 100: 0 active")
		})

		m.keys("q")
		m.shows("exit 0")
		// The sums of the terminal's mode, before and after.
		var sums []string
		s = m.until("the mode of the terminal", func(s string) bool {
			sums = nil
			for l := range strings.Lines(s) {
				if f := strings.Fields(l); len(f) == 2 && f[0] != "exit" &&
					strings.Trim(f[0]+f[1], "0123456789") == "" {
					sums = append(sums, strings.TrimSpace(l))
				}
			}
			return len(sums) == 2
		})
		if strings.Contains(s, "4 Databases") {
			t.Errorf("the view is left on the screen:\n%s", s)
		}
		if sums[0] != sums[1] {
			t.Errorf("the terminal's mode is another: %q\n%s", sums, s)
		}
		admin = session(t, i)
		await.That(t, "the end of our sessions", func() (bool, any) { left := ours(); return left == "", left })
	})
}
