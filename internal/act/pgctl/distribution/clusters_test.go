package distribution

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// TestClustersThatDoNotRun: ALTER SYSTEM wins over postgresql.conf, a configuration without a port has the default, a
// drop-in of a unit moves its data directory, and where initdb was not run nothing is configured.
func TestClustersThatDoNotRun(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{
		"etc/postgresql/15/main/postgresql.conf":            "data_directory = '/srv/main'\nport = 5433\n",
		"srv/main/postgresql.auto.conf":                     "port = 5440\n",
		"etc/postgresql/15/other/postgresql.conf":           "data_directory = '/srv/other'\n",
		"etc/systemd/system/postgresql-17-a.service":        "[Service]\nEnvironment=\"PGDATA=/srv/a b\"\n",
		"srv/a b/PG_VERSION":                                "17\n",
		"srv/a b/postgresql.conf":                           "include_dir = 'conf.d'\n",
		"srv/a b/conf.d/50-pgfettle.conf":                   "port = 5434\n",
		"usr/lib/systemd/system/postgresql-17.service":      "Environment=PGDATA=/var/lib/pgsql/17/data/\n",
		"var/lib/pgsql/17/data/PG_VERSION":                  "17\n",
		"var/lib/pgsql/17/data/postgresql.conf":             "# port = 1\n",
		"var/lib/pgsql/17/data/postgresql.auto.conf":        "port = 5441\n",
		"usr/lib/systemd/system/postgresql-18.service":      "Environment=PGDATA=/var/lib/pgsql/18/data/\n",
		"var/lib/pgsql/18/data/PG_VERSION":                  "18\n",
		"etc/systemd/system/postgresql-18.service.d/1.conf": "[Service]\nEnvironment=PGDATA=/srv/eighteen\n",
		"srv/eighteen/PG_VERSION":                           "18\n",
		"srv/eighteen/postgresql.conf":                      "",
		"usr/lib/systemd/system/postgresql-19.service":      "Environment=PGDATA=/srv/bare\n",
		"srv/bare/PG_VERSION":                               "19\n",
		"usr/lib/systemd/system/postgresql-16.service":      "Environment=PGDATA=/var/lib/pgsql/16/data/\n",
		"usr/lib/systemd/system/postgresql@.service":        "Environment=PG=1\nEnvironment=PGDATA=relative\n",
		"usr/lib/systemd/system/other.service":              "Environment=PGDATA=/srv/a b\n",
		"usr/lib/systemd/system/postgresql-15-gone.service": "Environment=PGDATA=/srv/gone\n",
	} {
		at := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := &target.Local{Root: top}
	ports := map[string]int{}
	for _, c := range Clusters(files) {
		ports[c.Name] = c.Port
	}
	if d := cmp.Diff(map[string]int{"main": 5440, "other": 0}, ports); d != "" {
		t.Error(d)
	}
	want := []Served{
		{Service{Unit: "postgresql-17-a.service", Data: "/srv/a b"}, "17", 5434},
		{Service{Unit: "postgresql-17.service", Data: "/var/lib/pgsql/17/data"}, "17", 5441},
		{Service{Unit: "postgresql-18.service", Data: "/srv/eighteen"}, "18", DefaultPort},
		{Service{Unit: "postgresql-19.service", Data: "/srv/bare"}, "19", 0}, // its configuration is elsewhere
	}
	if d := cmp.Diff(want, ServedClusters(files)); d != "" {
		t.Error(d)
	}
}

// TestWordsOfUnits: PGDATA of the environment, -D with it, alone, in quotes, and joined to it; the program is known
// only where the unit starts it itself.
func TestWordsOfUnits(t *testing.T) {
	for unit, want := range map[string]Service{
		"[Service]\nUser=pg\nEnvironment=PGDATA=/d1\nExecStart=/opt/bin/postgres -D ${PGDATA}\n": {
			Data: "/d1", User: "pg", Program: "/opt/bin/postgres"},
		"Environment=PGDATA=/d1\nExecStart=-/opt/bin/postmaster -D '/d 2' -p 1\n": {Data: "/d 2",
			Program: "/opt/bin/postmaster"},
		"ExecStart=/opt/bin/pg_ctl start -D/d3 -s\n":                         {Data: "/d3"},
		"Environment=A=1 \"PGDATA=/d 4\" PGPORT=5433\nExecStart=/bin/true\n": {Data: "/d 4"},
		"Environment=PGDATA=/d5\nEnvironment=PGDATA=/d6\nExecStart=/bin/x\n": {Data: "/d6"},
		"ExecStart=/bin/true\n":                   {},
		"Environment=PGDATA=d\nExecStart='":       {},
		"ExecStart=\nExecStart=/usr/bin/postgres": {Program: "/usr/bin/postgres"},
	} {
		if d := cmp.Diff(want, serviceOf(unit)); d != "" {
			t.Errorf("%q: %s", unit, d)
		}
	}
}
