package creating

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/test/live"
)

// TestUsedInstancesAreKept: what somebody has made in an instance, or of it, keeps it: neither undo nor --drop removes
// it, both name it, and its server still runs afterward.
func TestUsedInstancesAreKept(t *testing.T) {
	uses := []struct {
		name string
		sql  string // what makes it used
		sh   string // likewise; $0 is the data directory, $1 what lies beside it
		says string
	}{
		{name: "a role", sql: "CREATE ROLE app", says: "something was made in it"},
		{name: "a table", sql: "CREATE TABLE t (a int)", says: "something was made in it"},
		{name: "a function", sql: "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
			says: "something was made in it"},
		{name: "a database", sql: "CREATE DATABASE app", says: "a database of a user"},
		{name: "ALTER SYSTEM", sql: "ALTER SYSTEM SET work_mem = '5MB'", says: "postgresql.auto.conf was edited"},
		{name: "an edited postgresql.conf", sh: `echo '# mine' >> "$0/postgresql.conf"`,
			says: "postgresql.conf was edited"},
		{name: "a line in pg_ident.conf", sh: `echo 'm a b' >> "$0/pg_ident.conf"`, says: "pg_ident.conf was edited"},
		{name: "another file of settings", sh: `echo '# mine' > "$0/conf.d/99-mine.conf"`,
			says: "99-mine.conf was added"},
		{name: "a tablespace", sql: "CREATE TABLESPACE fast LOCATION '{beside}'", says: "a tablespace"},
		{name: "a replication slot", sql: "SELECT pg_create_physical_replication_slot('s', true)",
			says: "a replication slot"},
		{name: "a file beside the data", sh: `echo precious > "$0/dump.sql"`, says: "dump.sql is not of initdb"},
	}
	some := live.Some()
	live.OnAtOnce(t, some, func(t *testing.T, b scratch.Binaries) {
		turns <- struct{}{}
		defer func() { <-turns }()
		s := newSite(t, b)
		for n, use := range uses {
			if n%len(some) != slices.Index(some, b.Version.Major()) {
				continue // another version has it
			}
			beside := s.top + "/beside" + strconv.Itoa(n)
			s.Sh(`mkdir "$0"; chown "$1" "$0"; rm -rf /var/lib/pgfettle`, beside, owner)
			p := s.create()
			if use.sql != "" {
				s.ask(p, strings.ReplaceAll(use.sql, "{beside}", beside))
			}
			if use.sh != "" {
				s.Sh(use.sh, p.Data)
			}
			s.keeps(p, use.name, use.says)
			s.stopAll()
			s.Sh(`rm -rf "$0"/*`, s.top)
		}
	})
}

// keeps holds both ways to take an instance back.
func (s *site) keeps(p *creation.Plan, name, says string) {
	s.t.Helper()
	major := strconv.Itoa(p.Version)
	before := s.run(nil, nil, "sh", "-c", `cd "$0" && find . -type d | sort`, p.Data).Stdout
	for _, args := range [][]string{{"create", "--drop", major + "/" + p.Name, "--yes"}, {"undo", "--yes"}} {
		r := s.run(nil, nil, append([]string{binary(s.t)}, args...)...)
		text := strings.Join(strings.Fields(r.Stdout+r.Stderr), " ")
		if r.Code != 5 && r.Code != 6 || !strings.Contains(text, says) || !strings.Contains(text, p.Data) {
			s.t.Errorf("%s: %s", name, r)
		}
		if !s.up(p) {
			s.t.Errorf("%s: the server on port %d does not run any more: %s", name, p.Port, r)
		}
		if now := s.run(nil, nil, "sh", "-c", `cd "$0" && find . -type d | sort`, p.Data).Stdout; now != before {
			s.t.Errorf("%s: directories were %s\nand are %s", name, before, now)
		}
	}
}

// TestTakesBackStopped: an instance whose server somebody has stopped is removed too, and one that is used is kept.
func TestTakesBackStopped(t *testing.T) {
	live.On(t, live.Some()[1:2], func(t *testing.T, b scratch.Binaries) {
		s := newSite(t, b)
		s.create("--start", "disabled")
		s.pgfettle(0, "undo", "--yes")
		s.gone()
		p := s.create()
		s.ask(p, "CREATE ROLE app")
		s.stop(p)
		r := s.run(nil, nil, binary(t), "undo", "--yes")
		if text := r.Stdout + r.Stderr; r.Code != 5 || !strings.Contains(text, p.Data) {
			t.Error(r)
		}
		if r := s.run(nil, nil, "test", "-e", p.Data+"/PG_VERSION"); r.Code != 0 {
			t.Error(r)
		}
	})
}

// stop stops the server of a plan, as its account does.
func (s *site) stop(p *creation.Plan) {
	s.t.Helper()
	if r := s.run(account(ownerID), nil, p.Programs+"/pg_ctl", "-D", p.Data, "-m", "fast", "-w", "stop"); r.Code != 0 {
		s.t.Fatal(r)
	}
}
