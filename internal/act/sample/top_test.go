package sample

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
)

// slow is a host of files whose clock moves by a step with each file of a process
// that is read.
type slow struct {
	*target.Local
	now    time.Time
	step   time.Duration
	reads  int
	denied string // a part of the names that may not be read
}

func (s *slow) Now() time.Time { return s.now }
func (s *slow) ReadFile(name string, limit int64) ([]byte, error) {
	if s.denied != "" && strings.Contains(name, s.denied) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	if strings.HasSuffix(name, "/status") {
		s.reads++
		s.now = s.now.Add(s.step)
	}
	return s.Local.ReadFile(name, limit)
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	at := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// newHost is a host with a postmaster, two backends of it, and another program.
func newHost(t *testing.T) *slow {
	t.Helper()
	root := t.TempDir()
	for _, p := range []struct {
		pid, parent int
		name, title string
		tables      int
	}{{100, 1, "postgres", "/usr/bin/postgres\x00-D\x00/data", 60},
		{101, 100, "postgres", "postgres: app shop [local] idle", 900},
		{102, 100, "postgres", "postgres: checkpointer ", 80}, {103, 1, "java", "java", 5000}} {
		dir := fmt.Sprintf("proc/%d/", p.pid)
		put(t, root, dir+"stat", fmt.Sprintf("%d (%s) S %d 1 1 0 -1 0 5 0 2 0 7 3 0 0 20 0 1 0 500 900000 300 0\n",
			p.pid, p.name, p.parent))
		put(t, root, dir+"status",
			fmt.Sprintf(
				"Name:\t%s\nState:\tS\nPid:\t%d\nPPid:\t%d\nUid:\t0\t0\t0\t0\nVmSize:\t9000 kB\nVmRSS:\t400 "+
					"kB\nRssAnon:\t300 kB\nVmPTE:\t%d kB\nVmSwap:\t0 kB\n", p.name, p.pid, p.parent, p.tables))
		put(t, root, dir+"cmdline", p.title)
	}
	put(t, root, "proc/meminfo", "MemTotal: 1000000 kB\nMemFree: 500000 kB\n")
	put(t, root, "proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\nbtime 1700000000\n")
	put(t, root, "proc/loadavg", "0.50 0.40 0.30 1/2 3\n")
	put(t, root, "proc/sys/vm/overcommit_memory", "2\n")
	put(t, root, "proc/sys/kernel/hostname", "db1\n")
	return &slow{Local: &target.Local{Root: root}, now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
}

func postmaster() (int, error) { return 100, nil }

// TestHost: one look reads the host and the processes of the instance, and no other
// program's; what the host does not have is absent, with the reason.
func TestHost(t *testing.T) {
	l := NewTop(TopOptions{Target: newHost(t), Postmaster: postmaster})
	h := l.Host(time.Second)
	if name, _ := h.Name.Get(); name != "db1" {
		t.Errorf("the host is %q", name)
	}
	if m, ok := h.Memory.Get(); !ok || m.Total == 0 {
		t.Errorf("memory %+v", h.Memory)
	}
	if v, ok := h.Overcommit.Get(); !ok || v != 2 {
		t.Errorf("overcommit %+v", h.Overcommit)
	}
	if v, ok := h.Load.Get(); !ok || v.Five != 0.4 {
		t.Errorf("load %+v", h.Load)
	}
	if h.Pressure.CPU.State() != known.Absent || h.Pressure.CPU.Gap().Reason == "" {
		t.Errorf("pressure that is not there: %+v", h.Pressure.CPU)
	}
	ps, ok := h.Processes.Get()
	if !ok || len(ps) != 3 || ps[0].Kind != "postmaster" || ps[1].PageTables != 900<<10 ||
		ps[2].Kind != "checkpointer" {
		t.Errorf("%v %+v", ok, ps)
	}
}

// TestCensusIsSparing: a census that takes 150 ms is not repeated before fifty times as long has passed, however often
// is looked; one that is asked for is; and one that takes forever is repeated every minute.
func TestCensusIsSparing(t *testing.T) {
	s := newHost(t)
	s.step = 50 * time.Millisecond // of three processes
	l := NewTop(TopOptions{Target: s, Postmaster: postmaster})
	h := l.Host(time.Second)
	if s.reads != 3 || h.CensusTook != 150*time.Millisecond || h.CensusNext != 7500*time.Millisecond {
		t.Fatalf("%d reads, %s, next after %s", s.reads, h.CensusTook, h.CensusNext)
	}
	first := h.CensusAt
	for range 7 {
		s.now = first.Add(time.Second + s.now.Sub(first).Truncate(time.Second))
		if h = l.Host(time.Second); s.reads != 3 || !h.CensusAt.Equal(first) {
			t.Fatalf("a census after %s", s.now.Sub(first))
		}
		if ps, _ := h.Processes.Get(); len(ps) != 3 {
			t.Fatalf("between two of them nothing is known: %+v", h.Processes)
		}
	}
	s.now = first.Add(7500 * time.Millisecond)
	if l.Host(time.Second); s.reads != 6 {
		t.Errorf("%d reads when it was due", s.reads)
	}
	l.Recount()
	if l.Host(time.Second); s.reads != 9 {
		t.Errorf("%d reads when it was asked for", s.reads)
	}
	s.step = time.Hour
	l.Recount()
	if h = l.Host(time.Second); h.CensusNext != time.Minute {
		t.Errorf("one of three hours is repeated after %s", h.CensusNext)
	}
	cheap := newHost(t)
	l = NewTop(TopOptions{Target: cheap, Postmaster: postmaster})
	for range 4 {
		l.Host(5 * time.Second)
		cheap.now = cheap.now.Add(5 * time.Second)
	}
	if cheap.reads != 12 {
		t.Errorf("a cheap census is not taken at each look: %d reads", cheap.reads)
	}
}

// TestCensusSaysWhyNot: no postmaster, one that ended, one that may not be read: each is reported, and none is an empty
// list.
func TestCensusSaysWhyNot(t *testing.T) {
	denied := newHost(t)
	denied.denied = "/status"
	for name, c := range map[string]struct {
		t     *slow
		of    func() (int, error)
		state known.State
		want  string
	}{
		"none": {newHost(t), nil, known.Absent, "no instance runs here"},
		"no lock": {newHost(t), func() (int, error) { return 0, fs.ErrNotExist }, known.Absent,
			"the server does not run"},
		"ended":     {newHost(t), func() (int, error) { return 999, nil }, known.Absent, "process 999 does not run"},
		"no server": {newHost(t), func() (int, error) { return 103, nil }, known.Absent, "is no server"},
		"closed": {newHost(t), func() (int, error) { return 0, fs.ErrPermission }, known.Forbidden,
			"permission denied"},
		"not shown":  {denied, postmaster, known.Forbidden, "permission denied"},
		"a fault":    {newHost(t), func() (int, error) { panic("boom") }, known.Unread, "boom"},
		"other text": {newHost(t), func() (int, error) { return 0, errors.New("odd") }, known.Unread, "odd"},
	} {
		f := NewTop(TopOptions{Target: c.t, Postmaster: c.of}).Host(time.Second).Processes
		if f.State() != c.state || !strings.Contains(f.Gap().Reason, c.want) {
			t.Errorf("%s: %s %+v", name, f.State(), f.Gap())
		}
	}
}

// TestServerProblems: a server that cannot be asked is a look that says why, and
// never an error that ends the view.
func TestServerProblems(t *testing.T) {
	for want, how := range map[string]func() (pgclient.Connect, error){
		"the server does not run": func() (pgclient.Connect, error) { return pgclient.Connect{}, fs.ErrNotExist },
		"permission denied":       func() (pgclient.Connect, error) { return pgclient.Connect{}, fs.ErrPermission },
		"boom":                    func() (pgclient.Connect, error) { panic("boom") },
		"there is no server socket": func() (pgclient.Connect, error) {
			return pgclient.Connect{SocketDir: t.TempDir(), Port: 5432, Peer: -1}, nil
		},
	} {
		l := NewTop(TopOptions{Target: newHost(t), Connect: how})
		for range 2 { // a failure leaves nothing that the next look would stumble over
			s := l.Server(t.Context())
			if s.Problem == nil || !strings.Contains(s.Problem.Reason, want) || s.At.IsZero() {
				t.Errorf("%s: %+v", want, s.Problem)
			}
		}
		l.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := NewTop(TopOptions{Target: newHost(t), Connect: func() (pgclient.Connect, error) {
		return pgclient.Connect{}, fs.ErrNotExist
	}})
	if s := l.Server(ctx); s.Problem == nil {
		t.Error("a look within a context that has ended brought something")
	}
}

// TestServerIsLeft: who quits while a server hangs waits for nothing: the look ends
// with its context, long before its own bound.
func TestServerIsLeft(t *testing.T) {
	dir, err := os.MkdirTemp("", "top") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	l := NewTop(TopOptions{Target: newHost(t), Connect: func() (pgclient.Connect, error) {
		return pgclient.Connect{SocketDir: dir, Port: 5432, Peer: -1, User: "me"}, nil
	}})
	l.within = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	looked := make(chan *now.ServerLook)
	go func() { looked <- l.Server(ctx) }()
	conn, err := listener.Accept() // and never a word
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	if s := <-looked; s.Problem == nil || s.Problem.Reason != "interrupted" {
		t.Errorf("%+v", s.Problem)
	}
	l.Close()
}
