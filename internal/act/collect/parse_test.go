package collect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPIDFile(t *testing.T) {
	for _, c := range []struct {
		text string
		want pidFile
		ok   bool
	}{
		{"8231\n/srv/d\n1795253011\n5413\n/tmp/s13\n\n 5413001   3\nready   \n",
			pidFile{pid: 8231, port: 5413, socketDir: "/tmp/s13", status: "ready", startedAt: 1795253011, segment: "3"},
			true},
		{"8231\n/srv/d\n1795253011\n5432\n\n*\n", pidFile{pid: 8231, port: 5432, listen: "*", startedAt: 1795253011},
			true},
		{"8231\n/srv/d\n1795253011\n5432\n@pg\nlocalhost\n\nstandby \n",
			pidFile{pid: 8231, port: 5432, socketDir: "@pg", listen: "localhost", status: "standby",
				startedAt: 1795253011}, true},
		{"8231\n/srv/d\n", pidFile{pid: 8231}, true}, // just starting
		// standalone backend
		{"-300\n/srv/d\n1795253011\n5432\n/tmp\n", pidFile{pid: -300, port: 5432, socketDir: "/tmp",
			startedAt: 1795253011}, true},
		{"8231\n/srv/d\n1\n70000\nrelative\n", pidFile{pid: 8231, startedAt: 1}, true},
		{"", pidFile{}, false},
		{"0\n", pidFile{}, false},
		{"postgres\n", pidFile{}, false},
	} {
		got, err := parsePIDFile([]byte(c.text))
		if (err == nil) != c.ok || got != c.want {
			t.Errorf("%q: %+v, %v; want %+v", c.text, got, err, c.want)
		}
	}
}

func TestOptionTakesTheLastOfAllSpellings(t *testing.T) {
	for line, want := range map[string]string{
		"postgres -D /a -p 5433":                "5433",
		"postgres -p5433":                       "5433",
		"postgres -c port=5433":                 "5433",
		"postgres -cport=5433":                  "5433",
		"postgres --port=5433":                  "5433",
		"postgres -p 1 --port=2 -c port=5433":   "5433",
		"postgres -c shared_buffers=1 -D /port": "",
		"postgres -p":                           "",
		"postgres -c":                           "",
		"postgres":                              "",
	} {
		if got := option(strings.Split(line, " "), 'p', "port"); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if got := option([]string{"postgres", "--unix-socket-directories=/run/pg,/tmp"}, 'k',
		"unix_socket_directories"); firstDir(got) != "/run/pg" {
		t.Errorf("the first folder of %q is %q", got, firstDir(got))
	}
}

func TestPostmasterArgs(t *testing.T) {
	for line, want := range map[string]bool{
		"postgres": true, "/usr/bin/postgres -D /d": true, "postmaster -i": true,
		"postgres --single -D /d db": false, "postgres --boot": false, "postgres -V": false,
		"postgres --describe-config": false, "postgres --forkbackend 3": false, "postgres -D /d -C port": false,
	} {
		if got := postmasterArgs(strings.Split(line, " ")); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestStatOfAnyName(t *testing.T) {
	line := "77 (a) (b c) R) S 12 77 77 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2\n"
	if p, ok := parseStat(77, []byte(line)); !ok || p.parent != 12 || p.start != 987654 {
		t.Errorf("%+v, %v", p, ok)
	}
	for _, bad := range []string{"", "77 (a", "77 (a) S 12", strings.Replace(line, ") S 12", ") Z 12", 1)} {
		if p, ok := parseStat(77, []byte(bad)); ok {
			t.Errorf("%q: %+v", bad, p)
		}
	}
}

func TestUnitOfControlGroup(t *testing.T) {
	for text, want := range map[string]string{
		"0::/system.slice/system-postgresql.slice/postgresql@15-main.service\n":   "postgresql@15-main.service",
		"4:memory:/x\n1:name=systemd:/system.slice/postgresql-16.service\n0::/\n": "postgresql-16.service",
		"0::/system.slice/patroni.service/sub\n":                                  "patroni.service",
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/pg.service\n": "",
		"0::/system.slice/docker-0123.scope\n":                                    "",
		"4:memory:/system.slice/other.service\n0::/\n":                            "",
		"0::/system.slice/--user.service\n":                                       "",
		"":                                                                        "",
	} {
		if got := unitIn(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestServerSockets(t *testing.T) {
	text := "Num       RefCount Protocol Flags    Type St Inode Path\n" +
		"0: 2 0 00010000 0001 01 1 /tmp/.s.PGSQL.5432\n" +
		"0: 3 0 00000000 0001 03 2 /tmp/.s.PGSQL.5433\n" + // a connection, not the listener
		"0: 2 0 00010000 0001 01 3 @/tmp/.s.PGSQL.5434\n" +
		"0: 2 0 00010000 0001 01 4 /tmp/.s.PGSQL.5432\n" +
		"0: 2 0 00010000 0001 01 5 /tmp/.s.PGSQL.99999\n" +
		"0: 2 0 00010000 0001 01 6\n"
	// a name may be taken from under a listener
	want := []serverSocket{{"/tmp/.s.PGSQL.5432", 5432, "1"}, {"/tmp/.s.PGSQL.5432", 5432, "4"}}
	if d := cmp.Diff(want, serverSockets(text), cmp.AllowUnexported(serverSocket{})); d != "" {
		t.Error(d)
	}
}

func TestSecretsStayOutside(t *testing.T) {
	in := "postgres\x00-c\x00primary_conninfo=host=a password=hunter2\x00-D\x00/d\x00"
	if got := string(withoutSecrets([]byte(in))); strings.Contains(got, "hunter2") || !strings.Contains(got, "/d") {
		t.Errorf("%q", got)
	}
	title := "postgres: passwd app [local] idle\x00"
	if got := string(withoutSecrets([]byte(title))); got != title {
		t.Errorf("a title became %q", got)
	}
	show := "Environment=PGPASSWORD=hunter2 A=b\nOOMPolicy=stop\n"
	if got := string(withoutEnvironment([]byte(show))); strings.Contains(got, "hunter2") ||
		!strings.Contains(got, "OOMPolicy=stop\n") {
		t.Errorf("%q", got)
	}
}

func TestOutsideFollowsTheFilesystem(t *testing.T) {
	inner := parseMounts(
		[]byte("30 29 0:45 / / rw - overlay overlay rw\n31 30 8:1 /vol/_data /data rw - ext4 /dev/sda1 rw\n"))
	outer := parseMounts(
		[]byte("20 1 8:1 / / rw - ext4 /dev/sda1 rw\n21 20 8:1 /vol /srv/vol rw - ext4 /dev/sda1 rw\n" +
			"22 20 8:2 / /other rw - ext4 /dev/sda2 rw\n23 20 0:45 / /merged rw - overlay overlay rw\n"))
	for p, want := range map[string][]string{
		"/data/pg_wal": {"/vol/_data/pg_wal", "/srv/vol/_data/pg_wal"},
		"/etc":         {"/merged/etc"},
		"/database":    {"/merged/database"}, // not under /data
	} {
		if d := cmp.Diff(want, outside(inner, outer, p)); d != "" {
			t.Errorf("%s: %s", p, d)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("8231\n/srv/d\n1795253011\n5413\n/tmp/s13\n\n 5413001   3\nready   \n")
	f.Add("77 (a) (b c) R) S 12 77 77 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2\n")
	f.Add("0: 2 0 00010000 0001 01 1 /tmp/.s.PGSQL.5432\n")
	f.Add("0::/system.slice/postgresql@15-main.service\n")
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := parsePIDFile([]byte(s)); err == nil && (p.port < 0 || p.port > 65535 || p.pid == 0) {
			t.Errorf("%+v", p)
		}
		if p, ok := parseStat(1, []byte(s)); ok && p.pid != 1 {
			t.Errorf("%+v", p)
		}
		for _, k := range serverSockets(s) {
			if k.port < 1 || k.port > 65535 || k.path[0] != '/' {
				t.Errorf("%+v", k)
			}
		}
		if u := unitIn(s); u != "" && (u[0] == '-' || !strings.HasSuffix(u, ".service") ||
			strings.ContainsAny(u, "/\n")) {
			t.Errorf("unit %q", u)
		}
		option(strings.Split(s, " "), 'p', "port")
	})
}
