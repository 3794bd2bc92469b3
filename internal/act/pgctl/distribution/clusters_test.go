package distribution

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// TestPortsOfWhatDoesNotRun: ALTER SYSTEM wins over postgresql.conf, a configuration without a port has the default,
// and where initdb was not run nothing is configured.
func TestPortsOfWhatDoesNotRun(t *testing.T) {
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
	if d := cmp.Diff(map[int]string{5434: "/srv/a b", 5432: "/var/lib/pgsql/17/data"}, Ports(files)); d != "" {
		t.Error(d)
	}
}
