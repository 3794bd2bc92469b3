package goldens

import (
	"bytes"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/gen/jsonschema"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/export/instances"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/test/golden"
)

// created plans an instance on a described host with another one, in the layout of a distribution.
func created(t *testing.T, o creation.Order, bin string, tool, redHat bool) *creation.Plan {
	t.Helper()
	a, err := snapshot.Describe("ram=64GB,cpus=16,storage=nvme,pg=17,disk=500GB")
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	at := creation.Site{Root: true, Tool: tool, RedHat: redHat, Systemd: true, NFT: true, Firewalld: redHat,
		Programs: []creation.Programs{{Bin: bin, Version: unit.Version(170011), ICU: true,
			BaseBackup: bin + "/pg_basebackup"}},
		Accounts: map[string]newcluster.Account{"postgres": {Name: "postgres", Group: "postgres", UID: 26, GID: 26}},
		Locales:  known.Is([]string{"C", "C.utf8", "fr_FR.utf8"}), SocketDir: "/var/run/postgresql",
		Ports: map[int]string{5432: "the instance has it"}, Clusters: map[string]string{}}
	l, err := creation.Lay(o, at)
	if err != nil {
		t.Fatal(err)
	}
	data := creation.Folder{Path: l.Data, Missing: []string{filepath.Dir(l.Data), l.Data}, Device: "8:1"}
	socket := creation.Folder{Path: l.Socket, Exists: true, Is: true}
	var wal *creation.Folder
	if l.WAL != "" {
		wal = &creation.Folder{Path: l.WAL, Missing: []string{l.WAL}, Device: "8:17"}
	}
	p, err := plan.Make(creation.Beside(s, l, data, wal), rules.All(), rule.Options{Profile: rule.OLTP,
		Memory: 24 * unit.GB})
	if err != nil {
		t.Fatal(err)
	}
	out, err := creation.Make(l, "0123456789abcdef", data, socket, wal, p, nil, 24*unit.GB)
	if err != nil {
		t.Fatal(err)
	}
	out.Trial = creation.Trial{By: "PostgreSQL 17.11 in " + bin}
	return out
}

// TestCreate holds the plan of a new instance to its goldens: as text, as JSON and its schema, and in the forms of
// other programs.
func TestCreate(t *testing.T) {
	sales := creation.Order{Name: "sales", WALDir: "/wal/17/sales", Kernel: true, Firewall: creation.Firewalld,
		Allow:    []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32")},
		Password: true}
	plans := map[string]*creation.Plan{
		"debian": created(t, creation.Order{}, "/usr/lib/postgresql/17/bin", true, false),
		"standby": created(t, creation.Order{Name: "copy", Primary: &creation.Primary{Conninfo: "host='db0' " +
			"user='repl'",
			Passfile: "/var/lib/pgsql/.pgpass", Where: "db0:5432", Role: "repl", System: "7712935843349953643",
			Version: 170009, Superuser: "postgres", Roles: []string{"postgres"}, Bytes: known.Is(80 * unit.GB),
			Settings: map[string]string{"max_connections": "300", "max_worker_processes": "8", "max_wal_senders": "10",
				"max_prepared_transactions": "0", "max_locks_per_transaction": "64", "wal_level": "replica",
				"max_replication_slots": "10", "max_slot_wal_keep_size": "20GB", "wal_segment_size": "64MB",
				"data_checksums": "off", "data_directory_mode": "0700", "TimeZone": "Europe/Paris"},
			Databases: []creation.Database{{Name: "template1", Encoding: "UTF8", Collate: "fr_FR.UTF-8",
				CType: "fr_FR.UTF-8", Provider: "c"}}}}, "/usr/pgsql-17/bin", false, true),
		"rpm": created(t, sales, "/usr/pgsql-17/bin", false, true),
	}
	golden.Files(t, filepath.Join("testdata", "create", "*.txtar"), func(t *testing.T,
		c *golden.File) map[string][]byte {
		out := map[string][]byte{}
		for _, want := range c.Wants {
			var b bytes.Buffer
			var err error
			name := strings.TrimPrefix(want, "want/")
			if f, ok := instances.Find(name); ok {
				err = f.Write(&b, plans[c.Name])
			} else if name == "json" {
				err = json.Write(&b, plans[c.Name])
				valid(t, "create", b.Bytes())
			} else {
				o := outline.Create(plans[c.Name], "db1", nil)
				everyForm(t, name, o)
				err = term.Write(&b, o, style(t, name))
			}
			if err != nil {
				t.Fatal(err)
			}
			out[want] = b.Bytes()
		}
		return out
	})
}

// TestCreateSchemasAreCurrent holds the published schemas to the types that they are made of.
func TestCreateSchemasAreCurrent(t *testing.T) {
	for kind, d := range map[string]jsonschema.Document{
		"create": {Title: "pgfettle create --format json", Type: reflect.TypeFor[creation.Plan](),
			Version: creation.Schema,
			Description: "An instance that is to be made, and what is done for it. Amounts are bytes where nothing " +
				"else is " +
				"said."},
		"instances": {Title: "pgfettle create --list --format json", Type: reflect.TypeFor[creation.List](),
			Version: creation.ListSchema, Description: "The instances of a host."},
	} {
		d.File, d.Module, d.Source = kind+".schema.json", "github.com/pgfettle/pgfettle", os.DirFS("../../..")
		d.Enums = map[string][]any{
			"check.Severity":  {check.Info, check.Notice, check.Warning, check.Critical},
			"creation.Start":  {creation.Auto, creation.Manual, creation.Disabled},
			"creation.State":  {creation.Runs, creation.Stopped, ""},
			"newcluster.Hand": {newcluster.Debian, newcluster.RPM, newcluster.InitDB},
			"knob.Effect":     {"now", "reload", "restart", "reboot"},
			"knob.Risk":       {knob.Low, knob.Medium, knob.High},
		}
		want, err := jsonschema.Render(d)
		if err != nil {
			t.Fatal(err)
		}
		if golden.Updating() {
			if err := os.WriteFile(schemaFile(kind), want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(schemaFile(kind))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("schema/%s.schema.json is not what the types say: go test ./internal/show/goldens -run "+
				"TestCreate "+
				"-update", kind)
		}
	}
}
