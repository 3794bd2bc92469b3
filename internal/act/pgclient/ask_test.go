package pgclient

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/test/await"
)

func through(dir string) Connect {
	return Connect{SocketDir: dir, Port: fakePort, Peer: -1, User: "dba"}
}

// whyMissing returns why an answer is missing; the zero value if it is not.
func whyMissing(a *evidence.Archive, query string) evidence.Missing {
	var m *evidence.Missing
	if _, err := a.ReadFile(pg.Path("1", query)); errors.As(err, &m) {
		return *m
	}
	return evidence.Missing{}
}

// onQuery reports whether a statement is the query of that name.
func onQuery(major int, name string) func(string) bool {
	for _, q := range pg.Queries(major, true) {
		if q.Name == name {
			return func(sql string) bool { return sql == q.SQL }
		}
	}
	panic("no query " + name)
}

func TestFailingQueryFailsAlone(t *testing.T) {
	errs := map[string]*pgproto3.ErrorResponse{
		"shmem":    serverError("42501", "permission denied for view pg_shmem_allocations"),
		"control":  serverError("42501", "permission denied for function pg_control_system"),
		"io":       serverError("42P01", `relation "pg_stat_io" does not exist`),
		"settings": serverError("57014", "canceling statement due to statement timeout"),
	}
	f := &fakeServer{version: "17.11", fail: func(sql string) *pgproto3.ErrorResponse {
		for name, e := range errs {
			if onQuery(17, name)(sql) {
				return e
			}
		}
		return nil
	}}
	a := evidence.New()
	s, err := Ask(context.Background(), a, "1", through(f.serve(t)), false)
	if err != nil || s.Major != 17 {
		t.Fatalf("%+v %v", s, err)
	}
	for name, want := range map[string]evidence.Missing{
		"shmem": {State: known.Forbidden, Reason: "permission denied for view pg_shmem_allocations",
			Reveal: "GRANT pg_monitor TO <role>", Cause: "42501"},
		"control": {State: known.Forbidden, Reason: "permission denied for function pg_control_system",
			Reveal: "connect as a superuser", Cause: "42501"},
		"io": {State: known.Absent, Reason: `relation "pg_stat_io" does not exist`, Cause: "42P01"},
		"settings": {State: known.Unread, Reason: "canceling statement due to statement timeout",
			Reveal: "try again when the server is less busy", Cause: "57014"},
		"deep_tables": {State: known.Unread, Reason: "asked for only with --deep", Reveal: "--deep",
			Cause: "not_asked"},
	} {
		want.Name = pg.Path("1", name)
		if got := whyMissing(a, name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	// and, as one took too long, who holds the catalogs
	if want := len(pg.Queries(17, false)) - len(errs) + 2; len(a.Names()) != want {
		t.Errorf("%d answers, want %d: %v", len(a.Names()), want, a.Names())
	}
}

// Before 15 the statistics are asked in one transaction; when one of them
// fails, those that the server skipped for it are asked again alone.
func TestSkippedQueriesAreAskedAgain(t *testing.T) {
	f := &fakeServer{version: "14.24", fail: func(sql string) *pgproto3.ErrorResponse {
		if onQuery(14, "archiver")(sql) {
			return serverError("42501", "permission denied")
		}
		return nil
	}}
	a := evidence.New()
	if _, err := Ask(context.Background(), a, "1", through(f.serve(t)), false); err != nil {
		t.Fatal(err)
	}
	if m := whyMissing(a, "archiver"); m.State != known.Forbidden {
		t.Errorf("archiver: %+v", m)
	}
	for _, name := range []string{"checkpoints", "databases", "wal"} {
		if m := whyMissing(a, name); m != (evidence.Missing{}) {
			t.Errorf("%s is missing: %+v", name, m)
		}
	}
	if m := whyMissing(a, "io"); m.State != known.Absent || m.Reason != "PostgreSQL 14 does not have it; 16 does" {
		t.Errorf("io: %+v", m)
	}
}

// No statement runs before its transaction is guarded, and everything goes out
// before the first answer is waited for.
func TestEveryTransactionIsGuarded(t *testing.T) {
	f := &fakeServer{version: "18.6"}
	if _, err := Ask(context.Background(), evidence.New(), "1", through(f.serve(t)), false); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.segments) != len(pg.Queries(18, false)) {
		t.Errorf("%d transactions for %d queries", len(f.segments), len(pg.Queries(18, false)))
	}
	for _, seg := range f.segments {
		for _, need := range []string{"'search_path'", "'transaction_read_only', 'on', true",
			"'statement_timeout', '2s', true", "'lock_timeout'"} {
			if !strings.Contains(seg[0], need) {
				t.Fatalf("the first statement does not set %s: %s", need, seg[0])
			}
		}
	}
	if f.starts[0]["application_name"] != "pgfettle" || f.starts[0]["client_encoding"] != "UTF8" {
		t.Errorf("startup parameters %v", f.starts[0])
	}
}

// A guard that fails keeps its query from running.
func TestUnguardedQueryDoesNotRun(t *testing.T) {
	f := &fakeServer{version: "17.11", fail: func(sql string) *pgproto3.ErrorResponse {
		if strings.Contains(sql, "set_config") {
			return serverError("42501", "permission denied for function set_config")
		}
		return nil
	}}
	a := evidence.New()
	if _, err := Ask(context.Background(), a, "1", through(f.serve(t)), false); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, seg := range f.segments {
		if len(seg) != 1 {
			t.Fatalf("ran unguarded: %v", seg[1:])
		}
	}
	if m := whyMissing(a, "access"); m.State != known.Forbidden {
		t.Errorf("access: %+v", m)
	}
}

func TestServerHangsUp(t *testing.T) {
	f := &fakeServer{version: "17.11", hangUp: onQuery(17, "databases")}
	a := evidence.New()
	if _, err := Ask(context.Background(), a, "1", through(f.serve(t)), false); err != nil {
		t.Fatal(err)
	}
	for _, q := range pg.Queries(17, false) {
		m := whyMissing(a, q.Name)
		if q.Name < "databases" != (m == evidence.Missing{}) {
			t.Errorf("%s: %+v", q.Name, m)
		}
		if m != (evidence.Missing{}) && (m.State != known.Unread ||
			!strings.HasPrefix(m.Reason, "the connection was lost")) {
			t.Errorf("%s: %+v", q.Name, m)
		}
	}
	f = &fakeServer{version: "17.11", hangUp: func(string) bool { return true }}
	_, err := Ask(context.Background(), evidence.New(), "1", through(f.serve(t)), false)
	var p *say.Problem
	if !errors.As(err, &p) || p.Code != say.CodeError {
		t.Errorf("nothing answered: %v", err)
	}
}

func TestSessionFromAnswers(t *testing.T) {
	f := &fakeServer{version: "15.18 (Debian 15.18-0+deb12u1)", answer: func(sql string) ([]string, [][]string) {
		switch {
		case onQuery(15, "access")(sql):
			return []string{"role", "database", "pid", "started_at", "backend_start"},
				[][]string{{"dba", "shop", "4711", "1000", "2000"}}
		case onQuery(15, "settings")(sql):
			return []string{"name", "setting"}, [][]string{{"config_file", "/x"}, {"data_directory", "/srv/pg"},
				{"port", "5432"}}
		}
		return nil, nil
	}}
	s, err := Ask(context.Background(), evidence.New(), "1", through(f.serve(t)), false)
	if err != nil {
		t.Fatal(err)
	}
	if s.PeerPID == 0 {
		t.Error("the listener of the socket is not known")
	}
	s.PeerPID = 0
	want := Session{Major: 15, Role: "dba", Database: "shop", BackendPID: 4711, BackendAt: 2000, PostmasterAt: 1000,
		DataDirectory: "/srv/pg"}
	if s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
}

func TestOtherServersAreRefused(t *testing.T) {
	for _, version := range []string{"12.22", "1.24.1/bouncer", "", "9.6.24", "99999999999999999999"} {
		f := &fakeServer{version: version}
		_, err := Ask(context.Background(), evidence.New(), "1", through(f.serve(t)), false)
		var p *say.Problem
		if !errors.As(err, &p) || !strings.Contains(p.Message.String(), fmt.Sprintf("%q", version)) {
			t.Errorf("%q: %v", version, err)
		}
	}
}

func TestCancelledWhileAsking(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	defer close(release)
	f := &fakeServer{version: "17.11", hangUp: func(string) bool { cancel(); <-release; return true }}
	done := make(chan error, 1)
	go func() {
		_, err := Ask(ctx, evidence.New(), "1", through(f.serve(t)), false)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("no error although nothing was answered")
		}
	case <-time.After(await.Patience): // a hang, not a measure of speed
		t.Fatal("a cancelled request still waits")
	}
}
