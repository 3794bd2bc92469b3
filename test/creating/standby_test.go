package creating

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/tier"
)

// follower is what is asked for a standby of the instance of a site.
type follower struct {
	*site
	primary  *creation.Plan
	bin      string // programs of the server with a pg_basebackup
	passfile string
	data     string
}

const secret = `re:p\l`

// newFollower makes a primary with a role for standbys, and a password file of the owner. The programs of the tests
// lack pg_basebackup; that of a later version copies earlier servers too.
func newFollower(t *testing.T, b scratch.Binaries) *follower {
	t.Helper()
	s := newSite(t, b)
	// The fetched servers are without clients. Those of Debian's packages, such as the newest one's, have them, and
	// copy older servers too.
	copier := ""
	found, err := live.Binaries()
	for major, other := range found {
		at := other.Tool("pg_basebackup")
		if _, err := os.Stat(at); err == nil && major >= b.Version.Major() {
			copier = at
		}
	}
	if copier == "" {
		tier.Missing(t, tier.Servers, "no pg_basebackup for PostgreSQL %d: %v", b.Version.Major(), err)
	}
	f := &follower{site: s, bin: s.Dir + "/bin", passfile: s.Dir + "/secret/pass", data: s.top + "/pg/two"}
	s.Sh(`mkdir "$0" && ln -s "$1"/* "$0" && { [ -e "$0/pg_basebackup" ] || ln -s "$2" "$0"; }
mkdir "$3" && chown "$5" "$3" && install -m 600 -o "$5" -g "$5" /dev/null "$3/pass"
printf '%s\n' 'localhost:1:*:repl:no' '127.0.0.1:*:*:repl:`+strings.NewReplacer(`\`, `\\`, ":", `\:`).Replace(secret)+
		`' > "$3/pass"`, f.bin, filepath.Dir(b.Tool("postgres")), copier, filepath.Dir(f.passfile), "-", owner)
	f.primary = s.create()
	s.ask(f.primary, "CREATE ROLE repl REPLICATION LOGIN PASSWORD '"+secret+"'; CREATE TABLE t (a int); "+
		"INSERT INTO t VALUES (1)")
	return f
}

// tree is what lies beside the primary.
func (f *follower) tree() map[string]string {
	f.t.Helper()
	all := f.Files(f.watched()...)
	for name := range all {
		if strings.HasPrefix(name, f.primary.Data+"/") {
			delete(all, name)
		}
	}
	return all
}

// args are those of the create of a standby.
func (f *follower) args(conninfo string, more ...string) []string {
	return append([]string{"create", strconv.Itoa(f.b.Version.Major()) + "/two", "--via", "initdb", "--bin", f.bin,
		"--owner", owner, "--datadir", f.data, "--socket-dir", f.sock, "--memory", "1GB", "--yes", "--standby-of",
		conninfo}, more...)
}

// conninfo leads to the primary over TCP.
func (f *follower) conninfo() string {
	return "host=127.0.0.1 port=" + strconv.Itoa(f.primary.Port) + " user=repl passfile=" + f.passfile
}

// slots are the replication slots of the primary.
func (f *follower) slots() string {
	f.t.Helper()
	return f.ask(f.primary, "SELECT string_agg(slot_name, ' ') FROM pg_replication_slots")
}

// TestStandby: a standby receives what is written on the primary, which shows it; a check has nothing to warn of; the
// password is nowhere but in its file; undo leaves neither a file nor the slot. One that was promoted is kept.
func TestStandby(t *testing.T) {
	live.OnAtOnce(t, live.Some(), func(t *testing.T, b scratch.Binaries) {
		turns <- struct{}{}
		defer func() { <-turns }()
		f := newFollower(t, b)
		before := f.tree()
		p := decode(t, f.pgfettle(0, f.args(f.conninfo(), "--fast-checkpoint", "--format", "json")...))
		if p.Standby == nil || p.Standby.Slot != "pgfettle_two" || f.slots() != "pgfettle_two" {
			t.Errorf("%+v, and the slots %q", p.Standby, f.slots())
		}
		f.ask(f.primary, "INSERT INTO t VALUES (2)")
		await.That(t, "the second row", func() (bool, any) {
			n := f.ask(p, "SELECT count(*) FROM t")
			return n == "2", n
		})
		if got := f.ask(f.primary, "SELECT application_name || ' ' || state FROM pg_stat_replication"); got !=
			strconv.Itoa(p.Version)+"/two streaming" {
			t.Errorf("pg_stat_replication: %s", got)
		}
		f.inForce(p)
		for _, name := range []string{"max_connections", "max_wal_senders", "max_worker_processes",
			"max_prepared_transactions", "max_locks_per_transaction"} {
			sql := "SELECT setting::int FROM pg_settings WHERE name = '" + name + "'"
			theirs, err1 := strconv.Atoi(f.ask(f.primary, sql))
			if ours, err := strconv.Atoi(f.ask(p, sql)); err != nil || err1 != nil || ours < theirs {
				t.Errorf("%s is %d, and %d on the primary", name, ours, theirs)
			}
		}
		f.wellConfigured(p)
		if r := f.run(nil, nil, "grep", "-rlF", secret, "/var/lib/pgfettle", f.data); r.Code != 1 {
			t.Errorf("the password: %s", r)
		}
		f.pgfettle(0, "undo", "--yes")
		f.left(before)

		// again, perhaps on another port: the server that was stopped may hold its own for a moment more
		p = decode(t, f.pgfettle(0, f.args(f.conninfo(), "--fast-checkpoint", "--format", "json")...))
		if r := f.run(account(ownerID), nil, b.Tool("pg_ctl"), "-D", p.Data, "-w", "promote"); r.Code != 0 {
			t.Fatal(r)
		}
		f.keeps(p, "promoted", "it was promoted")
	})
}

// left verifies that nothing of a standby is there.
func (f *follower) left(before map[string]string) {
	f.t.Helper()
	if got := f.slots(); got != "" {
		f.t.Errorf("the primary has the slots %s", got)
	}
	if d := differs(before, f.tree()); d != "" {
		f.t.Errorf("the tree of files is not as before:\n%s", d)
	}
}

// TestStandbyIsRefused: what a primary lacks is said before anything is made, on it or here.
func TestStandbyIsRefused(t *testing.T) {
	live.On(t, live.Some()[1:2], func(t *testing.T, b scratch.Binaries) {
		f := newFollower(t, b)
		to := "host=127.0.0.1 port=" + strconv.Itoa(f.primary.Port)
		good := f.conninfo()
		for _, c := range []struct {
			name, sql, sh, conninfo string
			more                    []string
			code                    int
			says                    string
		}{
			{name: "a password in CONNINFO", conninfo: to + " user=repl password=x", code: 2,
				says: "takes no password"},
			{name: "no user", conninfo: to, code: 2, says: "user= is missing"},
			{name: "no connection string", conninfo: "db1", code: 2, says: "is not valid"},
			{name: "a locale", conninfo: good, more: []string{"--locale", "C"}, code: 2, says: "--locale cannot"},
			{name: "another version", conninfo: good, more: []string{"--slot", "Wrong"}, code: 2, says: "--slot"},
			{name: "no password", conninfo: to + " user=repl", code: 7, says: "HOST:PORT:*:repl:PASSWORD"},
			{name: "nobody there", conninfo: "host=127.0.0.1 port=1 user=repl", code: 1, says: "no server listens"},
			{name: "the file of another", conninfo: to + " user=repl passfile=/etc/passwd", code: 5,
				says: "belongs to user 0"},
			{name: "a file that others read", sh: `chmod 644 "$0"`, conninfo: good, code: 5, says: "its mode is 0644"},
			{name: "a role without REPLICATION", sh: `chmod 600 "$0"`, sql: "ALTER ROLE repl NOREPLICATION",
				conninfo: good, code: 7, says: "ALTER ROLE repl REPLICATION"},
			{name: "a slot of that name", sql: "ALTER ROLE repl REPLICATION; SELECT " +
				"pg_create_physical_replication_slot('pgfettle_two')", conninfo: good, code: 5,
				says: "another standby"},
			{name: "a tablespace", sql: "SELECT pg_drop_replication_slot('pgfettle_two'); CREATE TABLESPACE fast " +
				"LOCATION '" +
				f.top + "/fast'", conninfo: good, code: 5, says: "has tablespaces"},
		} {
			if c.sh != "" {
				f.Sh(c.sh, f.passfile)
			}
			if strings.Contains(c.sql, "TABLESPACE") {
				f.Sh(`mkdir "$0" && chown "$1" "$0"`, f.top+"/fast", owner)
			}
			for sql := range strings.SplitSeq(c.sql, "; ") {
				if sql != "" {
					f.ask(f.primary, sql)
				}
			}
			r := f.run(nil, nil, append([]string{binary(t)}, f.args(c.conninfo, c.more...)...)...)
			if text := strings.Join(strings.Fields(r.Stderr), " "); r.Code != c.code || !strings.Contains(text,
				c.says) {
				t.Errorf("%s: %s", c.name, r)
			}
			if _, err := os.Stat(f.Path(f.data)); err == nil {
				t.Fatalf("%s: the directory was made", c.name)
			}
		}
	})
}

// TestStandbyWithTablespaces: each tablespace of the primary is copied to its directory here, and followed; undo leaves
// nothing of it. A file that is not of the copy keeps the standby.
func TestStandbyWithTablespaces(t *testing.T) {
	live.OnAtOnce(t, live.Some(), func(t *testing.T, b scratch.Binaries) {
		turns <- struct{}{}
		defer func() { <-turns }()
		f := newFollower(t, b)
		old := f.Dir + "/spaces/a=b"
		f.Sh(`mkdir -p "$0" && chown "$1" "$0"`, old, owner)
		f.ask(f.primary, "CREATE TABLESPACE fast LOCATION '"+old+"'")
		f.ask(f.primary, "CREATE TABLE f (a int) TABLESPACE fast; INSERT INTO f VALUES (1)")
		before := f.tree()
		create := f.args(f.conninfo(), "--fast-checkpoint", "--format", "json", "--tablespace-mapping",
			strings.ReplaceAll(old, "=", `\=`)+"="+f.top+"/pg/fast")
		p := decode(t, f.pgfettle(0, create...))
		f.ask(f.primary, "INSERT INTO f VALUES (2)")
		await.That(t, "the second row", func() (bool, any) {
			n := f.ask(p, "SELECT count(*) FROM f")
			return n == "2", n
		})
		if got := f.ask(p, "SELECT pg_tablespace_location(oid) FROM pg_tablespace WHERE spcname = 'fast'"); got !=
			f.top+"/pg/fast" {
			t.Errorf("it is in %s", got)
		}
		f.pgfettle(0, "undo", "--yes")
		f.left(before)

		p = decode(t, f.pgfettle(0, create...))
		f.Sh(`echo mine > "$0/mine"`, f.top+"/pg/fast")
		f.keeps(p, "a file in a tablespace", "mine is not of the copy")
		f.Sh(`rm "$0/mine"`, f.top+"/pg/fast")
		f.pgfettle(0, "create", "--drop", "two", "--yes")
		f.left(before)
	})
}

// TestStandbyIsKilled: of a create that was killed while the primary is copied, undo ends what still copies, and leaves
// neither a file nor the slot.
func TestStandbyIsKilled(t *testing.T) {
	live.On(t, live.Some()[:1], func(t *testing.T, b scratch.Binaries) {
		f := newFollower(t, b)
		before := f.tree()
		f.ask(f.primary, "CREATE TABLE big AS SELECT repeat('x', 500) FROM generate_series(1, 40000)")
		// without --fast-checkpoint, pg_basebackup waits for a checkpoint that takes minutes
		cmd := f.cmd(nil, nil, append([]string{binary(t)}, f.args(f.conninfo())...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		copies := func() bool {
			return f.run(nil, nil, "sh", "-c", `pgrep -x -a pg_basebackup | grep -F -- "-D $0 " >&2`, f.data).Code == 0
		}
		await.That(t, "the copy", func() (bool, any) { return copies(), f.slots() })
		f.Sh(`kill -9 $(pgrep -x -a pgfettle | grep -F -- " $0 " | cut -d" " -f1)`, f.data)
		if err := cmd.Wait(); err == nil {
			t.Fatal("it was not killed")
		}
		f.pgfettle(0, "undo", "--yes")
		if copies() {
			t.Error("the copy goes on")
		}
		f.left(before)
	})
}

// TestStandbyOfAPrimaryThatIsGone: undo removes what is here, and says which slot it could not drop, with the command.
func TestStandbyOfAPrimaryThatIsGone(t *testing.T) {
	live.On(t, live.Some()[2:], func(t *testing.T, b scratch.Binaries) {
		f := newFollower(t, b)
		p := decode(t, f.pgfettle(0, f.args(f.conninfo(), "--fast-checkpoint", "--format", "json")...))
		f.stop(f.primary)
		r := f.run(nil, nil, binary(t), "undo", "--yes")
		text := strings.Join(strings.Fields(r.Stdout+r.Stderr), " ")
		if r.Code != 6 || !strings.Contains(text, "SELECT pg_drop_replication_slot('pgfettle_two');") {
			t.Error(r)
		}
		if _, err := os.Stat(f.Path(p.Data)); err == nil {
			t.Error("the standby is still there")
		}
		if r := f.run(account(ownerID), nil, b.Tool("pg_ctl"), "-D", f.primary.Data, "-w", "-l",
			f.primary.Data+"/startup.log", "start"); r.Code != 0 {
			t.Fatal(r)
		}
		f.pgfettle(0, "undo", "--yes")
		if got := f.slots(); got != "" {
			t.Errorf("the slots %s", got)
		}
	})
}

// TestStandbyOnDebian: pg_createcluster takes the copy over, and knows the standby as its own; undo leaves nothing.
func TestStandbyOnDebian(t *testing.T) {
	found := packaged(t)
	s := newSite(t, found)
	major := strconv.Itoa(found.Version.Major())
	watched := []string{"/etc/postgresql", "/var/lib/postgresql", "/etc/systemd"}
	primary := decode(t, s.pgfettle(0, "create", major+"/sales", "--memory", "1GB", "--yes", "--format", "json"))
	ask := func(p *creation.Plan, sql string) string {
		r := s.run(nil, nil, "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "psql", "-X", "-w",
			"-At", "-h", p.Socket, "-p", strconv.Itoa(p.Port), "-d", "postgres", "-c", sql)
		if r.Code != 0 {
			t.Fatal(r)
		}
		return strings.TrimSpace(r.Stdout)
	}
	ask(primary, "CREATE ROLE repl REPLICATION LOGIN PASSWORD 'x'")
	passfile := s.Dir + "/secret/pass"
	s.Sh(`mkdir "$1" && chown postgres "$1" && install -m 600 -o postgres -g postgres /dev/null "$0"
echo '*:*:*:repl:x' > "$0"`, passfile, s.Dir+"/secret")
	tree := func() map[string]string {
		all := s.Files(watched...)
		for name := range all {
			if strings.HasPrefix(name, primary.Data+"/") {
				delete(all, name)
			}
		}
		return all
	}
	before := tree()
	p := decode(t, s.pgfettle(0, "create", major+"/two", "--memory", "1GB", "--yes", "--format", "json",
		"--fast-checkpoint", "--standby-of", "host=127.0.0.1 port="+strconv.Itoa(primary.Port)+" user=repl passfile="+
			passfile))
	if p.MadeBy != "debian" || ask(p, "SELECT pg_is_in_recovery()") != "t" {
		t.Errorf("%+v", p)
	}
	await.That(t, "the standby", func() (bool, any) {
		got := ask(primary, "SELECT string_agg(state, ' ') FROM pg_stat_replication")
		return got == "streaming", got
	})
	for _, set := range p.Settings {
		if got := ask(p, "SHOW "+set.Name); got != set.Value {
			t.Errorf("%s is %q, and %q was planned", set.Name, got, set.Value)
		}
	}
	if list := s.run(nil, nil, "pg_lsclusters").Stdout; !strings.Contains(list, "online,recovery") {
		t.Error(list)
	}
	s.wellConfigured(p)
	s.pgfettle(0, "create", "--drop", major+"/two", "--yes")
	if d := differs(before, tree()); d != "" {
		t.Errorf("the tree is not as before:\n%s", d)
	}
	if got := ask(primary, "SELECT count(*) FROM pg_replication_slots"); got != "0" {
		t.Errorf("%s slots", got)
	}
}
