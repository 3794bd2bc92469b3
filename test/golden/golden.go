// Package golden reads the cases of tests, which docs/fixtures.md describes. Those of checks and rules stand several in
// a file (Cases). Any other case is a separate txtar archive, whose first line says it in plain words, whose sections
// are what is read, and whose sections want, want.json, and want/… are what is made of it (Files). The flag -update
// rewrites what is wanted.
package golden

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

var update = flag.Bool("update", false, "rewrite the goldens of testdata")

// Updating reports whether goldens are to be rewritten, for tests with a form of their own.
func Updating() bool { return *update }

// want is the file that holds what is expected.
const want = "want.json"

// Files runs a test on each of the files that a pattern names, and holds what it makes of them against what the file
// wants: the sections want, want.json, or those below want/. A section that does not exist yet is made with -update.
// The test of a file gets its other sections, and the names of those that it wants.
func Files(t *testing.T, pattern string, read func(t *testing.T, c *File) map[string][]byte) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases %s: %v", pattern, err)
	}
	for _, file := range files {
		c := &File{Name: strings.TrimSuffix(filepath.Base(file), ".txtar"), Given: map[string][]byte{}}
		t.Run(c.Name, func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(string(ar.Comment)) == "" {
				t.Error("the first line does not say the case")
			}
			c.Archive = ar
			at := map[string]int{}
			for i, f := range ar.Files {
				if f.Name == "want" || f.Name == want || strings.HasPrefix(f.Name, "want/") {
					at[f.Name] = i
					c.Wants = append(c.Wants, f.Name)
					continue
				}
				c.Given[f.Name] = f.Data
			}
			got := read(t, c)
			for _, name := range slices.Sorted(maps.Keys(got)) {
				i, ok := at[name]
				switch {
				case *update && !ok:
					ar.Files = append(ar.Files, txtar.File{Name: name, Data: got[name]})
				case *update:
					ar.Files[i].Data = got[name]
				case !ok:
					t.Errorf("%s is not wanted:\n%s", name, got[name])
				default:
					if d := cmp.Diff(string(ar.Files[i].Data), string(got[name])); d != "" {
						t.Errorf("%s (-want +got):\n%s", name, d)
					}
				}
			}
			for _, name := range c.Wants {
				if _, ok := got[name]; !ok {
					t.Errorf("%s was not made", name)
				}
			}
			if len(got) == 0 {
				t.Error("nothing is wanted")
			}
			if *update && !t.Failed() {
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// File is a file that holds one case.
type File struct {
	Name    string            // without its ending
	Given   map[string][]byte // what is read, by its name
	Wants   []string          // the names of what is wanted, in their order
	Archive *txtar.Archive
}

// Each runs a reader of evidence over the cases of testdata of the test's own package. name
// is that of the case's file without its ending.
func Each(t *testing.T, read func(t *testing.T, name string, a *evidence.Archive) []byte) {
	t.Helper()
	Files(t, "testdata/*.txtar", func(t *testing.T, c *File) map[string][]byte {
		return map[string][]byte{want: read(t, c.Name, Evidence(t, c.Archive))}
	})
}

// states are the words of the file «missing».
var states = map[string]known.State{"forbidden": known.Forbidden, "absent": known.Absent, "unread": known.Unread}

// Evidence makes evidence of a case's files. The file «missing» lists what is unavailable, as STATE NAME REASON; \0 in
// the command line of a process is a NUL byte.
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
