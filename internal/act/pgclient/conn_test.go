package pgclient

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/test/nobody"
	"github.com/pgfettle/pgfettle/test/tier"
)

// bareEnvironment hides the PG* variables and the password file of who tests.
func bareEnvironment(t *testing.T) {
	t.Helper()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "PG") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", t.TempDir())
}

func tried(f *fakeServer) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, s := range f.starts {
		out = append(out, s["user"]+"@"+s["database"])
	}
	return strings.Join(out, " ")
}

func TestRolesAndDatabasesInOrder(t *testing.T) {
	noRole := fatal("28000", `role "dba" does not exist`)
	for _, c := range []struct {
		name, env string
		refuse    func(user, db string) *pgproto3.ErrorResponse
		want      string
	}{
		{"let in at once", "", func(user, db string) *pgproto3.ErrorResponse { return nil }, "dba@postgres"},
		{"the database was dropped", "", func(user, db string) *pgproto3.ErrorResponse {
			if db == "postgres" {
				return fatal("3D000", `database "postgres" does not exist`)
			}
			return nil
		}, "dba@postgres dba@template1"},
		{"the role is not let in", "", func(user, db string) *pgproto3.ErrorResponse {
			if user == "dba" {
				return noRole
			}
			return nil
		}, "dba@postgres postgres@postgres"},
		{"PGDATABASE is the only database", "shop", func(user, db string) *pgproto3.ErrorResponse {
			return fatal("3D000", `database "shop" does not exist`)
		}, "dba@shop"},
		{"a full server is not asked again", "", func(user, db string) *pgproto3.ErrorResponse {
			return fatal("53300", "sorry, too many clients already")
		}, "dba@postgres"},
		{"nobody is let in", "", func(user, db string) *pgproto3.ErrorResponse { return noRole },
			"dba@postgres postgres@postgres"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bareEnvironment(t)
			t.Setenv("PGDATABASE", c.env)
			f := &fakeServer{version: "17.11", refuse: c.refuse}
			conn, _, err := through(f.serve(t)).connect(context.Background())
			if err == nil {
				conn.Close(context.Background())
			}
			if got := tried(f); got != c.want {
				t.Errorf("tried %s, want %s", got, c.want)
			}
		})
	}
}

func TestConninfoKeepsItsRole(t *testing.T) {
	bareEnvironment(t)
	f := &fakeServer{version: "17.11", refuse: func(user, db string) *pgproto3.ErrorResponse {
		return fatal("28000", `role "web" does not exist`)
	}}
	dir := f.serve(t)
	for _, conninfo := range []string{"host=" + dir + " user=web keepalives=1 tcp_user_timeout=10",
		"postgresql:///?host=" + dir + "&user=web"} {
		if _, _, err := (Connect{Conninfo: conninfo, Peer: -1}).connect(context.Background()); err == nil {
			t.Error("let in")
		}
	}
	if got := tried(f); got != "web@postgres web@postgres" {
		t.Errorf("tried %s", got)
	}
	for _, s := range f.starts {
		if s["keepalives"] != "" || s["tcp_user_timeout"] != "" {
			t.Errorf("keywords of libpq reached the server: %v", s)
		}
	}
}

func TestPasswordFileTellsDatabasesApart(t *testing.T) {
	bareEnvironment(t)
	pass := filepath.Join(t.TempDir(), "pass")
	if err := os.WriteFile(pass, []byte("localhost:5432:postgres:dba:first\nlocalhost:5432:template1:dba:second\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PGPASSFILE", pass)
	for _, c := range []Connect{{SocketDir: "/sock", Port: 5432, User: "dba"}, {Conninfo: "host=/sock user=dba"}} {
		cfgs, err := c.attempts()
		if err != nil {
			t.Fatal(err)
		}
		if cfgs[0].Database != "postgres" || cfgs[0].Password != "first" || cfgs[1].Database != "template1" ||
			cfgs[1].Password != "second" {
			t.Errorf("%s %s, %s %s", cfgs[0].Database, cfgs[0].Password, cfgs[1].Database, cfgs[1].Password)
		}
	}
}

func TestRefusals(t *testing.T) {
	bareEnvironment(t)
	refusing := func(e *pgproto3.ErrorResponse) Connect {
		f := &fakeServer{version: "17.11", refuse: func(user, db string) *pgproto3.ErrorResponse { return e }}
		return Connect{Conninfo: "user=web password=hunter2 host=" + f.serve(t), Peer: -1}
	}
	port := fmt.Sprint(nobody.Listens(t).Port())
	for _, c := range []struct {
		name     string
		how      Connect
		code     int
		has      string
		hint     string
		noDetail bool
	}{
		{"wrong password", refusing(fatal("28P01", `password authentication failed for user "web"`)), say.CodeNoAccess,
			`password authentication failed for user "web"`, ".pgpass", false},
		{"no entry in pg_hba.conf", refusing(fatal("28000", "no pg_hba.conf entry")), say.CodeNoAccess,
			"no pg_hba.conf entry", "PGUSER", false},
		{"all slots taken", refusing(fatal("53300", "sorry, too many clients already")), say.CodeError,
			"too many clients", "superuser_reserved_connections", false},
		{"starting", refusing(fatal("57P03", "the database system is starting up")), say.CodeError, "starting up",
			"try again", false},
		{"no such database", refusing(fatal("3D000", `database "x" does not exist`)), say.CodeError, "does not exist",
			"dbname=", false},
		{"no right to connect", refusing(fatal("42501", `permission denied for database "x"`)), say.CodeNoAccess,
			"permission denied", "dbname=", false},
		{"a server that repeats the password", refusing(fatal("XX000", "bad\npassword \x1b[31mhunter2\x1b[0m!")),
			say.CodeError, "xxxxx", "", false},
		{"no socket", Connect{Conninfo: "host=/nowhere user=web password=hunter2", Peer: -1}, say.CodeError,
			"there is no server socket at /nowhere/.s.PGSQL.5432", "runs there", true},
		{"no socket, as another user", Connect{SocketDir: "/nowhere", Port: 1, As: &target.User{UID: 12345},
			Found: true, Peer: 12345}, say.CodeError, "there is no server socket at /nowhere/.s.PGSQL.1",
			"runs there", true},
		{"nobody listens", Connect{Conninfo: "host=127.0.0.1 user=web password=hunter2 sslmode=disable port=" + port,
			Peer: -1}, say.CodeError, "no server listens at 127.0.0.1:" + port, "runs there", true},
		{"a malformed string", Connect{Conninfo: "host=127.0.0.1 port=hunter2 password=hunter2", Peer: -1},
			say.CodeUsage, "not valid: invalid port", "dbname=", false},
		{"a keyword with a slip", Connect{Conninfo: "hots=127.0.0.1 user=web password=hunter2", Peer: -1},
			say.CodeUsage, `keyword that is not known: "hots"`, "did you mean host?", false},
		{"a keyword in capitals", Connect{Conninfo: "host=127.0.0.1 User=web", Peer: -1}, say.CodeUsage, `"User"`,
			"did you mean user?", false},
		{"a slip in a URI", Connect{Conninfo: "postgres://web:hunter2@127.0.0.1:1/?sslmod=require", Peer: -1},
			say.CodeUsage, `"sslmod"`, "did you mean sslmode?", false},
		{"a setting for a keyword", Connect{Conninfo: "host=127.0.0.1 statement_timeout=5s", Peer: -1}, say.CodeUsage,
			`"statement_timeout"`, "options=", false},
		{"a password with a space", Connect{Conninfo: "host=127.0.0.1 password=my hunter2=x", Peer: -1}, say.CodeUsage,
			"not known", "dbname=", true},
		{"a keyword that is none", Connect{Conninfo: "host=127.0.0.1 \x1b[31m=x", Peer: -1}, say.CodeUsage, "not known",
			"dbname=", true},
		{"a malformed URI", Connect{Conninfo: "postgres://u:hun@ter2:x@h:port/%zz", Peer: -1}, say.CodeUsage,
			"not valid", "dbname=", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := c.how.connect(context.Background())
			var p *say.Problem
			if !errors.As(err, &p) {
				t.Fatalf("%v", err)
			}
			if p.Code != c.code || !strings.Contains(p.Error(), c.has) || !strings.Contains(p.Hint.String(), c.hint) ||
				c.noDetail && !p.Detail.IsZero() {
				t.Errorf("code %d, %q, hint %q", p.Code, p.Error(), p.Hint.String())
			}
			all := p.Message.String() + p.Detail.String() + p.Hint.String()
			if strings.Contains(all, "hunter2") || strings.Contains(all, "ter2") || strings.ContainsAny(all, "\n\x1b") {
				t.Errorf("repeats what it must not: %q", all)
			}
		})
	}
}

// A listener that takes connections and says nothing is given up on.
func TestSilentServer(t *testing.T) {
	bareEnvironment(t)
	dir, err := os.MkdirTemp("", "fettle")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, _, err = Connect{Conninfo: "user=web connect_timeout=1 host=" + dir, Peer: -1}.connect(context.Background())
	var p *say.Problem
	if !errors.As(err, &p) || !strings.Contains(p.Message.String(), "did not answer within 1s") {
		t.Errorf("%v", err)
	}
}

// Peer authentication sees the user that was asked for, and this process stays
// who it is.
func TestConnectsAsAnotherUser(t *testing.T) {
	tier.Root(t, "become another user")
	const nobody = 65534 // the user nobody on every Linux; any user without rights would do
	dir, err := os.MkdirTemp("", "fettle")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, mode := range []os.FileMode{0o755, 0o700} { // also where only its owner gets in
		if err := errors.Join(os.Chmod(dir, mode), os.Chown(dir, nobody, nobody)); err != nil {
			t.Fatal(err)
		}
		address := filepath.Join(dir, ".s.PGSQL.5432")
		os.Remove(address)
		l, err := net.Listen("unix", address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := errors.Join(os.Chown(address, nobody, nobody), os.Chmod(address, 0o777)); err != nil {
			t.Fatal(err)
		}
		seen := make(chan uint32, 1)
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			raw, _ := c.(*net.UnixConn).SyscallConn()
			_ = raw.Control(func(fd uintptr) {
				if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
					seen <- cred.Uid
				}
			})
		}()
		_, err = dialAs(context.Background(), &target.User{UID: nobody, GID: nobody}, nobody, address)
		var stranger *strangerError
		if !errors.As(err, &stranger) || stranger.uid != 0 { // root listens here, and that is not who was named
			t.Fatalf("mode %o: %v", mode, err)
		}
		if uid := <-seen; uid != nobody {
			t.Errorf("mode %o: the server saw user id %d", mode, uid)
		}
	}
	for _, id := range [][2]int{{os.Geteuid(), 0}, {os.Getegid(), 0}} {
		if id[0] != id[1] {
			t.Errorf("this process became %d", id[0])
		}
	}
	status, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(status) == 0 {
		t.Fatal("no threads", err)
	}
	for _, name := range status {
		for {
			// a thread that became another user ends, sooner or later
			b, err := os.ReadFile(name)
			if err != nil || strings.Contains(string(b), "\nUid:\t0\t0\t0\t0\n") {
				break
			}
			if t.Context().Err() != nil {
				t.Fatalf("%s is not root's any more", name)
			}
			runtime.Gosched()
		}
	}
}

// TestKeywordsOfLibpq: every keyword that libpq has gets past the check, and so
// does what the variables of the environment set.
func TestKeywordsOfLibpq(t *testing.T) {
	bareEnvironment(t)
	t.Setenv("PGTZ", "Europe/Paris")
	t.Setenv("PGOPTIONS", "-c geqo=off")
	t.Setenv("PGAPPNAME", "mine")
	for _, name := range append(slices.Concat(sent, clientOnly), "krbsrvname", "sslsni") {
		if guards[name] != "" && name != "requirepeer" && name != "gssencmode" {
			continue // see TestGuards
		}
		cfgs, err := Connect{Conninfo: "host=/sock user=web " + name + "=1"}.attempts()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, never := range clientOnly {
			if _, ok := cfgs[0].RuntimeParams[never]; ok {
				t.Errorf("%s goes to the server", never)
			}
		}
	}
	if _, err := (Connect{Conninfo: "host=/sock user=web timezone=UTC"}).attempts(); err == nil {
		t.Error("timezone is no keyword")
	}
}
