package creating

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/tier"
)

// packaged are the programs of a package of Debian's, with its tools.
func packaged(t *testing.T) scratch.Binaries {
	t.Helper()
	found := installed(t)
	if _, err := os.Stat("/usr/bin/pg_createcluster"); err != nil || found.Dir == "" {
		tier.Missing(t, tier.Servers, "neither postgresql-common nor a server of Debian's: %v", err)
	}
	return found
}

// TestDebian: where postgresql-common is installed its tools make, start and drop the cluster of a package, with our
// settings and lines; a cluster of the same name elsewhere is not theirs to drop.
func TestDebian(t *testing.T) {
	found := packaged(t)
	s := newSite(t, found)
	major := strconv.Itoa(found.Version.Major())
	name := major + "/sales"
	watched := []string{"/etc/postgresql", "/var/lib/postgresql", "/etc/systemd"}
	before := s.Files(watched...)
	args := []string{"create", name, "--memory", "1GB", "--allow", "10.0.0.0/8", "--yes", "--format", "json"}
	p := decode(t, s.pgfettle(0, args...))
	if p.MadeBy != "debian" || p.Data != "/var/lib/postgresql/"+major+"/sales" {
		t.Fatalf("%+v", p)
	}
	ask := func(sql string) string {
		r := s.run(nil, nil, "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "psql", "-X", "-w",
			"-At", "-h", p.Socket, "-p", strconv.Itoa(p.Port), "-d", "postgres", "-c", sql)
		if r.Code != 0 {
			t.Fatal(r)
		}
		return strings.TrimSpace(r.Stdout)
	}
	for _, set := range p.Settings {
		if got := ask("SHOW " + set.Name); got != set.Value {
			t.Errorf("%s is %q, and %q was planned", set.Name, got, set.Value)
		}
	}
	if got := ask("SELECT count(*) FROM pg_hba_file_rules WHERE address = '10.0.0.0'"); got != "2" {
		t.Errorf("%s lines for the network", got)
	}
	if list := s.run(nil, nil, "pg_lsclusters").Stdout; !strings.Contains(list, "sales") ||
		!strings.Contains(list, "online") {
		t.Error(list)
	}
	s.wellConfigured(p)
	s.pgfettle(5, args...) // there is one
	ask("CREATE TABLE t (a int)")
	s.pgfettle(5, "create", "--drop", name, "--yes")
	ask("DROP TABLE t")
	s.run(nil, nil, "pg_ctlcluster", major, "sales", "stop")
	s.run(nil, nil, "pg_dropcluster", major, "sales")
	// somebody's own of that name, in another place
	s.Sh(`mkdir -p /var/lib/postgresql/own && chown postgres: /var/lib/postgresql/own
pg_createcluster -d /var/lib/postgresql/own/x "$0" sales >/dev/null`, major)
	theirs := s.Files("/var/lib/postgresql/own", "/etc/postgresql")
	s.run(nil, nil, binary(t), "undo", "--yes")
	if d := differs(theirs, s.Files("/var/lib/postgresql/own", "/etc/postgresql")); d != "" {
		t.Errorf("another cluster of that name was touched:\n%s", d)
	}
	s.Sh(`pg_dropcluster "$0" sales; rm -rf /var/lib/pgfettle /var/lib/postgresql/own`, major)
	// pg_dropcluster leaves our file in conf.d
	if r := s.pgfettle(5, args...); !strings.Contains(r.Stderr, "the configuration directory") ||
		!strings.Contains(r.Stderr, "conf.d") {
		t.Error(r)
	}
	s.Sh(`rm -r "/etc/postgresql/$0/sales"`, major)
	decode(t, s.pgfettle(0, args...))
	s.pgfettle(0, "create", "--drop", name, "--yes")
	if d := differs(before, s.Files(watched...)); d != "" {
		t.Errorf("the tree is not as before:\n%s", d)
	}
}

// TestWithoutRoot: who is not root makes, uses and removes an instance in directories of their own.
func TestWithoutRoot(t *testing.T) {
	live.On(t, live.Some()[1:2], func(t *testing.T, b scratch.Binaries) {
		s := newSite(t, b)
		s.Sh(`mkdir "$0" && chown "$1:" "$0" && chmod 700 "$0"`, s.top+"/mine", other)
		s.seen = s.Files(s.watched()...)
		s.data, s.sock = s.top+"/mine/pg/one", s.top+"/mine/run"
		args := append(s.args(), "--journal", s.top+"/mine/journal", "--format", "json")
		for n, a := range args {
			if a == owner {
				args[n] = other
			}
		}
		p := decode(t, s.want(0, account(otherID), args...))
		if r := s.psql(account(otherID), nil, "-h", p.Socket, "-p", strconv.Itoa(p.Port), "-U", other, "-c",
			"SHOW data_directory"); strings.TrimSpace(r.Stdout) != s.data {
			t.Error(r)
		}
		s.want(0, account(otherID), "undo", "--yes", "--journal", s.top+"/mine/journal")
		s.Sh(`rm -rf "$0/mine/journal" "$0/mine/lock"`, s.top)
		s.gone()
		// what another account owns is out of reach
		args[3], args = "initdb", append(args, "--datadir", s.top+"/theirs/one")
		if r := s.run(account(otherID), nil, append([]string{binary(t)}, args...)...); r.Code == 0 {
			t.Error(r)
		}
		s.Sh(`rm -rf "$0/mine/journal" "$0/mine/lock"`, s.top)
		s.gone()
	})
}
