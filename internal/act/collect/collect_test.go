package collect

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

const oneServer = `
-- =processes --
100 | 1 | postgres | 5000 | cwd=/srv/b | postgres -D /srv/b
101 | 100 | postgres | 5001 | cwd=/srv/b | postgres: checkpointer
-- proc/meminfo --
MemTotal: 1000 kB
-- proc/1/environ --
-- proc/stat --
cpu 1 2 3 4 5 6 7 8 0 0
btime 1000
-- proc/sys/kernel/hostname --
db1
-- proc/self/mountinfo --
20 1 8:1 / / rw - ext4 /dev/sda1 rw
-- srv/b/PG_VERSION --
16
-- srv/b/postmaster.pid --
100
/srv/b
1
5433
/tmp
localhost
-- tmp/x --
`

func fakeOf(t *testing.T, text string) *fake { return newFake(t, txtar.Parse([]byte(text))) }

// A server that crashes the collector, or refuses, costs its own answers only.
func TestAFailureCostsThatPartOnly(t *testing.T) {
	for name, query := range map[string]func() error{
		"panic": func() error { panic("boom") },
		"refusal": func() error {
			return &say.Problem{Message: say.M("no"), Hint: say.M("ask"),
				Code: say.CodeNoAccess}
		},
	} {
		f := fakeOf(t, oneServer)
		c := newCollector(f, Request{})
		c.query = func(context.Context, *evidence.Archive, string, pgclient.Connect, bool) (pgclient.Session, error) {
			return pgclient.Session{}, query()
		}
		a, err := c.run(context.Background())
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := a.ReadFile("proc/meminfo"); err != nil {
			t.Error(name, err)
		}
		if _, err := a.ReadFile("pg/1/places.json"); err != nil {
			t.Error(name, err)
		}
		_, err = a.ReadFile("pg/1/settings.json")
		var m *evidence.Missing
		if !errors.As(err, &m) || m.Reason == "no such file" {
			t.Errorf("%s: settings: %v", name, err)
		}
		if name == "refusal" && (m.State != known.Forbidden || m.Reveal != "ask") {
			t.Errorf("%+v", m)
		}
	}
}

// Only the word container= of the first process's environment is kept.
func TestEnvironmentOfInitStaysOutside(t *testing.T) {
	f := fakeOf(t, strings.Replace(oneServer, "-- proc/1/environ --\n",
		"-- proc/1/environ --\nPOSTGRES_PASSWORD=hunter2\x00container=podman\x00HOME=/", 1))
	c := newCollector(f, Request{})
	c.query = silentServer
	a, err := c.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := a.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "hunter2") || !strings.Contains(b.String(), "container=podman") {
		t.Error("the environment of process 1 is in the evidence, or its container word is not")
	}
}

func silentServer(context.Context, *evidence.Archive, string, pgclient.Connect, bool) (pgclient.Session, error) {
	return pgclient.Session{}, errors.New("silent")
}

// The facts of this host are taken for those of a server only where it is
// proven to run here.
func TestConninfoTakesTheHostOnlyWhenProven(t *testing.T) {
	for _, c := range []struct {
		name     string
		conninfo string
		session  pgclient.Session
		port     string
		seen     bool
	}{
		{"the socket's listener is a postmaster here", "host=/tmp port=5433", pgclient.Session{PeerPID: 100},
			"5433", true},
		{"the session's backend is a child of a postmaster here", "host=192.0.2.7 port=5433",
			pgclient.Session{PostmasterPID: 100}, "5433", true},
		{"a pooler's socket, start and port fit", "host=/tmp port=6432",
			pgclient.Session{PeerPID: 50, PostmasterAt: 1051},
			"5433", true},
		{"loopback, start and port fit", "host=127.0.0.1 port=5433", pgclient.Session{PostmasterAt: 1050},
			"5433", true},
		{"a URI to localhost", "postgresql://u@localhost:5433/db", pgclient.Session{PostmasterAt: 1050}, "5433", true},
		{"the host's own name", "host=DB1 port=5433", pgclient.Session{PostmasterAt: 1050}, "5433", true},
		{"a tunnel's far end started at another time", "host=127.0.0.1 port=5433", pgclient.Session{PostmasterAt: 9999},
			"5433", false},
		{"a tunnel's far end has another port", "host=127.0.0.1 port=5433", pgclient.Session{PostmasterAt: 1050},
			"5432", false},
		{"another host, though start and port fit", "host=192.0.2.7 port=5433", pgclient.Session{PostmasterAt: 1050},
			"5433", false},
		{"one of two hosts is another", "host=127.0.0.1,192.0.2.7 port=5433", pgclient.Session{PostmasterAt: 1050},
			"5433", false},
		{"the server does not tell its start", "host=127.0.0.1 port=5433", pgclient.Session{}, "5433", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fakeOf(t, oneServer)
			col := newCollector(f, Request{Kind: Conninfo, Value: c.conninfo})
			asked := 0
			col.query = func(_ context.Context, a *evidence.Archive, key string, how pgclient.Connect,
				_ bool) (pgclient.Session, error) {
				asked++
				if how.Conninfo != c.conninfo {
					t.Errorf("asked with %+v", how)
				}
				return c.session, a.Add("pg/"+key+"/settings.json",
					[]byte(
						`{"columns":["name","setting","unit","vartype","context","source","pending_restart"],`+
							`"rows":[["port","`+c.port+`",null,"integer","postmaster","default","f"]]}`))
			}
			a, err := col.run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			_, err = a.ReadFile("proc/meminfo")
			if (err == nil) != c.seen {
				t.Errorf("the host's memory: %v", err)
			}
			b, err := a.ReadFile("evidence.json")
			if err != nil || strings.Contains(string(b), `"host_seen": true`) != c.seen {
				t.Errorf("%s, %v", b, err)
			}
			if _, err := a.ReadFile("pg/1/settings.json"); err != nil || asked != 1 {
				t.Errorf("asked %d times, %v", asked, err)
			}
			if !c.seen {
				for _, n := range a.Names() {
					if strings.HasPrefix(n, "proc/") || strings.HasPrefix(n, "sys/") {
						t.Errorf("%s of the client is in the evidence", n)
					}
				}
			}
		})
	}
}

func TestConninfoThatFailsIsTheAnswer(t *testing.T) {
	f := fakeOf(t, oneServer)
	c := newCollector(f, Request{Kind: Conninfo, Value: "host=192.0.2.7"})
	c.query = silentServer
	_, err := c.run(context.Background())
	var p *say.Problem
	if !errors.As(err, &p) || p.Code != say.CodeError {
		t.Errorf("%v", err)
	}
}

// A server without a socket is reached by TCP where it shares our network.
func TestConnectByTCP(t *testing.T) {
	t.Setenv("PGUSER", "")
	c := &collector{t: &target.Local{}, root: false}
	for listen, want := range map[string]string{"*": "host='127.0.0.1' port='5433' sslmode='disable' ",
		"::": "host='::1' port='5433' sslmode='disable' "} {
		how, err := c.connectTo(&instance{pid: 1, view: c.t, port: 5433, listen: listen})
		if err != nil || how.Conninfo != want || how.SocketDir != "" {
			t.Errorf("%s: %+v, %v", listen, how, err)
		}
	}
	if how, err := c.connectTo(&instance{pid: 1, view: c.t, port: 5433, listen: "192.0.2.7"}); err == nil {
		t.Errorf("a lock file leads to another host: %+v", how)
	}
	if _, err := c.connectTo(&instance{pid: 1, view: c.t, port: 5433, listen: "*", inside: true}); err == nil {
		t.Error("a container's address is taken for ours")
	}
}

func TestManagers(t *testing.T) {
	for name, c := range map[string]struct{ files, want string }{
		"patroni by its header": {
			"-- srv/b/postgresql.conf --\n# Do not edit this file manually!\n# It will be overwritten by Patroni!\n",
			"patroni"},
		"patroni by its base file": {"-- srv/b/postgresql.base.conf --\n", "patroni"},
		"cloudnative-pg":           {"-- srv/b/custom.conf --\n-- controller/manager --\n", "cloudnative-pg"},
		"custom.conf of a person":  {"-- srv/b/custom.conf --\n-- srv/b/postgresql.conf --\n", ""},
		"ansible":                  {"-- srv/b/postgresql.conf --\n#\n# Ansible managed\n#\n", "ansible"},
		"puppet, in its own spelling": {"-- srv/b/postgresql.conf --\n# This file is managed by Puppet. DO NOT EDIT.\n",
			"puppet"},
		"pg_auto_failover": {"-- srv/b/postgresql-auto-failover.conf --\n", "pg_auto_failover"},
		"nobody":           {"-- srv/b/postgresql.conf --\nport = 5433\n", ""},
	} {
		f := fakeOf(t, oneServer+c.files)
		col := newCollector(f, Request{})
		in := &instance{key: "1", pid: 100, view: f, dataDir: "/srv/b"}
		col.findManager(in)
		if in.manager != c.want || !in.managed {
			t.Errorf("%s: %q, %v", name, in.manager, in.managed)
		}
	}
	f := fakeOf(t, strings.Replace(oneServer, "100 | 1 |",
		"90 | 1 | patroni | 1 | | /usr/bin/python3 /usr/bin/patroni /etc/patroni.yml\n100 | 90 |", 1))
	in := &instance{key: "1", pid: 100, view: f, dataDir: "/srv/b"}
	newCollector(f, Request{}).findManager(in)
	if in.manager != "patroni" {
		t.Errorf("under patroni: %q", in.manager)
	}
}

// Of a crontab only the lines on kernel values are kept, each in its place.
func TestOtherCommandsOfCrontabsStayOutside(t *testing.T) {
	f := fakeOf(t, oneServer+`
-- etc/crontab --
# password hunter2
5 4 * * * backup /srv/dump --password hunter2
@reboot sysctl -p
-- etc/cron.d/tune --
0 3 * * * root PGPASSWORD=hunter2 vacuumdb -a
`)
	c := newCollector(f, Request{})
	c.hostFiles()
	for name, want := range map[string]string{"etc/crontab": "\n\n@reboot sysctl -p\n", "etc/cron.d/tune": ""} {
		if b, err := c.a.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

// Of fstab only the lines of local filesystems are kept, each in its place.
func TestPasswordsOfSharesStayOutside(t *testing.T) {
	f := fakeOf(t, oneServer+`
-- etc/fstab --
# password hunter2
//nas/share /mnt cifs username=u,password=hunter2 0 0
/dev/sda1 / ext4 defaults 0 1
`)
	c := newCollector(f, Request{})
	c.hostFiles()
	if b, err := c.a.ReadFile("etc/fstab"); err != nil || string(b) != "\n\n/dev/sda1 / ext4 defaults 0 1\n" {
		t.Errorf("%q, %v", b, err)
	}
}
