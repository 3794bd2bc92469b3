package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

func TestResolve(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data=1") // a directory is a directory, whatever its name looks like
	file := filepath.Join(dir, "host.evidence")
	for _, err := range []error{os.Mkdir(data, 0o700), os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("17\n"),
		0o600), os.WriteFile(file, nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const failure = collect.Kind(-1)
	for _, c := range []struct {
		name, arg string
		vars      []string
		kind      collect.Kind
		value     string
		file      string
		err       string
	}{
		{"nothing is this host", "", nil, collect.Here, "", "", ""},
		{"a PG* variable names a server", "", []string{"PGHOST=db1"}, collect.Conninfo, "", "", ""},
		{"an empty one does not", "", []string{"PGHOST="}, collect.Here, "", "", ""},
		{"a user alone does not", "", []string{"PGUSER=me"}, collect.Here, "", "", ""},
		{"a service does", "", []string{"PGSERVICE=prod"}, collect.Conninfo, "", "", ""},
		{"a data directory", data, []string{"PGHOST=db1"}, collect.DataDir, data, "", ""},
		{"an evidence file", file, nil, 0, "", file, ""},
		{"stdin", "-", nil, 0, "", "-", ""},
		{"a conninfo", "host=db1 port=5433", nil, collect.Conninfo, "host=db1 port=5433", "", ""},
		{"a URI", "postgresql://db1/postgres", nil, collect.Conninfo, "postgresql://db1/postgres", "", ""},
		{"another folder", dir, nil, failure, "", "", "has no PG_VERSION"},
		{"a device", os.DevNull, nil, failure, "", "", "neither a directory nor a regular file"},
		{"nothing that exists", "db1", nil, failure, "", "", "does not exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			req, name, err := (&Host{Vars: c.vars}).Resolve(c.arg)
			switch {
			case c.err != "":
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
			case err != nil:
				t.Error(err)
			case c.file != "":
				if req != nil || name != c.file {
					t.Errorf("request %v, file %q", req, name)
				}
			case req == nil || req.Kind != c.kind || req.Value != c.value || name != "":
				t.Errorf("request %+v, file %q", req, name)
			}
		})
	}
}

// TestNamedCluster: who names a cluster as Debian's tools do is shown its data directory.
func TestNamedCluster(t *testing.T) {
	root := t.TempDir()
	conf := filepath.Join(root, "etc/postgresql/17/sales/postgresql.conf")
	if err := os.MkdirAll(filepath.Dir(conf), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(conf, []byte("data_directory = '/srv/sales'\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, hint := range map[string]string{"17/sales": "/srv/sales", "17/other": "conninfo"} {
		_, _, err := (&Host{Target: &target.Local{Root: root}}).Resolve(name)
		p, ok := errors.AsType[*say.Problem](err)
		if !ok || !strings.Contains(p.Hint.String(), hint) {
			t.Errorf("%s: %+v, want a hint with %q", name, err, hint)
		}
	}
}
