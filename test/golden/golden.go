// Package golden reads the cases of tests, which docs/fixtures.md describes. Those of
// checks and rules stand several in a file (Cases). A case of a reader of evidence is a
// txtar archive of its own, whose first line says it in plain words, whose files are the
// evidence, and whose file want.json is what the reader makes of it. The flag -update
// rewrites what is wanted.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

var update = flag.Bool("update", false, "rewrite the goldens of testdata")

// Updating says whether goldens are to be rewritten, for tests with a form of
// their own.
func Updating() bool { return *update }

// want is the file that holds what is expected.
const want = "want.json"

// Each runs a reader over the cases of testdata of the test's own package. name
// is that of the case's file without its ending.
func Each(t *testing.T, read func(t *testing.T, name string, a *evidence.Archive) []byte) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(string(ar.Comment)) == "" {
				t.Error("the first line does not say the case")
			}
			got := read(t, name, Evidence(t, ar))
			at := len(ar.Files)
			for i, f := range ar.Files {
				if f.Name == want {
					at = i
				}
			}
			if at == len(ar.Files) {
				ar.Files = append(ar.Files, txtar.File{Name: want})
			}
			if *update {
				ar.Files[at].Data = got
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(ar.Files[at].Data), string(got)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// states are the words of the file «missing».
var states = map[string]known.State{"forbidden": known.Forbidden, "absent": known.Absent, "unread": known.Unread}

// Evidence makes evidence of a case's files. The file «missing» lists what could
// not be had, as STATE NAME REASON; \0 in the command line of a process is a NUL
// byte.
func Evidence(t *testing.T, ar *txtar.Archive) *evidence.Archive {
	t.Helper()
	a := evidence.New()
	for _, f := range ar.Files {
		switch {
		case f.Name == want:
		case f.Name == "missing":
			for line := range strings.Lines(string(f.Data)) {
				m, err := ParseMissing(line)
				if err != nil {
					t.Fatal(err)
				}
				a.AddMissing(m)
			}
		default:
			data := f.Data
			if strings.HasSuffix(f.Name, "/cmdline") && f.Name != "proc/cmdline" {
				data = bytes.ReplaceAll(bytes.TrimSuffix(data, []byte("\n")), []byte(`\0`), []byte{0})
			}
			if err := a.Add(f.Name, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	return a
}
