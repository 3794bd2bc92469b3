package template_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/template"
)

// TestCopiesAreAsInitdbMakes verifies that a copy is what initdb makes, on every version: the same files with the same
// modes, a configuration that differs only in its location, a server that starts, and its own system identifier, as the
// server itself reports it. pg_controldata is not available; a wrong checksum or WAL header ends the start.
func TestCopiesAreAsInitdbMakes(t *testing.T) {
	live.Each(t, func(t *testing.T, b scratch.Binaries) {
		fresh, err := scratch.New(t.Context(), b, scratch.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = fresh.Remove() })
		ids := map[string]bool{}
		for range 2 {
			i, err := template.New(t.Context(), b, scratch.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = i.Remove() })
			if got, want := tree(t, i), tree(t, fresh); !maps.Equal(got, want) {
				t.Errorf("files %v\nof initdb %v", got, want)
			}
			if err := i.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			c, err := pgconn.Connect(t.Context(), i.ConnString())
			if err != nil {
				t.Fatal(err)
			}
			ids[strings.TrimSpace(live.Lines(t, c, "SELECT system_identifier FROM pg_control_system()"))] = true
			_ = c.Close(t.Context())
			log, err := i.ReadLog(1 << 20)
			if err != nil || strings.Contains(log, "not properly shut down") {
				t.Errorf("%v: %s", err, log)
			}
		}
		if len(ids) != 2 {
			t.Errorf("identifiers %v of two servers", ids)
		}
	})
}

// tree is each file of a data directory with its mode, its owner's rights and, where a
// person reads it, its text.
func tree(t *testing.T, i *scratch.Instance) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(i.DataDir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		text := st.Mode().String()
		if strings.HasSuffix(path, ".conf") {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += strings.ReplaceAll(string(b), i.Folder, "FOLDER")
		}
		if name := strings.TrimPrefix(path, i.DataDir); name != "/pg_stat/pgstat.stat" { // see kept
			all[name] = text
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
