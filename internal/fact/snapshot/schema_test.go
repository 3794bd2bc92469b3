package snapshot_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	generate "github.com/pgfettle/pgfettle/internal/gen/jsonschema"
	"github.com/pgfettle/pgfettle/test/golden"
)

const (
	root       = "../../.."
	schemaFile = root + "/schema/snapshot.schema.json"
)

// rewrite looks the flag -update up, which the package golden defines.
func rewrite() bool { return flag.Lookup("update").Value.String() == "true" }

// TestSchemaIsCurrent holds the published schema to the types that it is made of.
func TestSchemaIsCurrent(t *testing.T) {
	want, err := generate.Render(generate.Document{
		Title: "snapshot of a host and its PostgreSQL instances",
		Description: "What is known at one moment. A fact is {\"is\": value}, or says that it is absent, forbidden " +
			"or unread, and why. Amounts of memory are bytes.",
		Type:    reflect.TypeFor[snapshot.Snapshot](),
		Version: snapshot.Schema,
		File:    "snapshot.schema.json",
		Module:  "github.com/pgfettle/pgfettle",
		Source:  os.DirFS(root),
		Enums: map[string][]any{
			"snapshot.PlaceRole": {snapshot.DataPlace, snapshot.WALPlace, snapshot.TablespacePlace},
			"host.SwapKind":      {host.SwapFile, host.SwapDisk, host.SwapZram},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if rewrite() {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the types say: run make generate", schemaFile)
	}
}

// archives are the evidence of described hosts, of a whole host from a file, and
// of every golden of the readers of hosts and servers.
func archives(t *testing.T) map[string]*evidence.Archive {
	t.Helper()
	out := map[string]*evidence.Archive{}
	for _, spec := range []string{
		"ram=1GB", "ram=64GB,swap=2GB,cpus=16,sockets=2,storage=nvme,disk=2000GB,pg=17",
		"ram=64GB,swap=2GB,pg=14,cgroup=16GB,container=docker", "ram=8GB,cpus=4,storage=san,pg=18,set.io_method=worker",
	} {
		a, err := snapshot.Describe(spec)
		if err != nil {
			t.Fatal(err)
		}
		out[spec] = a
	}
	text, err := os.ReadFile("../evidence/testdata/acme.evidence")
	if err != nil {
		t.Fatal(err)
	}
	if out["acme"], err = evidence.Parse(text); err != nil {
		t.Fatal(err)
	}
	out["acme, redacted"] = out["acme"].Redact()
	for _, pattern := range []string{"../host/testdata/*.txtar", "../pg/testdata/server.*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := golden.Evidence(t, ar)
			for name, text := range map[string]string{
				"evidence.json": `{"tool":"test","taken_at":1,"host_seen":true,"root":true}`,
				"instances.json": `[{"key":"1","data_directory":"/srv/pg","port":5432,"running":true,"pid":100,` +
					`"processes":[100]}]`,
			} {
				if err := a.Add(name, []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			out[file] = a
		}
	}
	return out
}

// TestSnapshotsAreWhatTheSchemaSays validates snapshots of all kinds of evidence.
func TestSnapshotsAreWhatTheSchemaSays(t *testing.T) {
	s, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range archives(t) {
		snap, err := snapshot.Read(a)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := snapshot.Encode(snap)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name != "acme" {
			continue
		}
		// And it does say something.
		for old, bad := range map[string]string{
			`"schema":"pgfettle.snapshot/1"`: `"schema":"pgfettle.snapshot/9"`,
			`"host_seen":true`:               `"host_seen":"yes"`,
			`"unread":{"fact":`:              `"unread":{"feat":`,
			`{"is":`:                         `{"was":`,
		} {
			text := strings.Replace(string(b), old, bad, 1)
			if text == string(b) {
				t.Fatalf("%s: no %s", name, old)
			}
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if s.Validate(v) == nil {
				t.Errorf("%s: with %s the schema takes it", name, bad)
			}
		}
	}
}
