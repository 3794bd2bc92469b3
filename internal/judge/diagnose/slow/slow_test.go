package slow

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/test/golden"
	"github.com/rogpeppe/go-internal/txtar"
)

// compareCase reads the files slow and fast of a case, in the order in which a
// person may well give them: the fast one first.
func compareCase(t *testing.T, ar *txtar.Archive) *Report {
	t.Helper()
	plans := map[string]*queryplan.Plan{}
	for _, f := range ar.Files {
		if f.Name != "slow" && f.Name != "fast" {
			continue
		}
		list, err := queryplan.Parse(f.Data)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %d plans, %v", f.Name, len(list), err)
		}
		plans[f.Name] = list[0]
	}
	return Compare("fast", plans["fast"], "slow", plans["slow"])
}

func TestSlowGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(string(ar.Comment)) == "" {
				t.Error("the first line does not say the case")
			}
			d := compareCase(t, ar)
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", " ")
			if err := enc.Encode(d); err != nil {
				t.Fatal(err)
			}
			at := len(ar.Files)
			for i, f := range ar.Files {
				if f.Name == "want.json" {
					at = i
				}
			}
			if at == len(ar.Files) {
				ar.Files = append(ar.Files, txtar.File{Name: "want.json"})
			}
			if golden.Updating() {
				ar.Files[at].Data = b.Bytes()
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(ar.Files[at].Data), b.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
