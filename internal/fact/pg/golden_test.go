package pg

import (
	"encoding/json"
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

// fromTxtar makes evidence of a golden's files. «missing» lists what could not
// be had, as STATE NAME REASON.
func fromTxtar(t *testing.T, ar *txtar.Archive) *evidence.Archive {
	t.Helper()
	a := evidence.New()
	states := map[string]known.State{"forbidden": known.Forbidden, "absent": known.Absent, "unread": known.Unread}
	for _, f := range ar.Files {
		switch f.Name {
		case "want.json":
		case "missing":
			for line := range strings.Lines(string(f.Data)) {
				p := strings.SplitN(strings.TrimSpace(line), " ", 3)
				a.AddMissing(evidence.Missing{Name: p[1], State: states[p[0]], Reason: p[2]})
			}
		default:
			if err := a.Add(f.Name, f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	return a
}

// answered drops the facts of which a golden has neither an answer nor a reason.
func answered(t *testing.T, a *evidence.Archive, s Server) []byte {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for name, v := range all {
		text, _ := json.Marshal(v)
		if strings.Contains(string(text), `"reason":"no such file"`) {
			delete(all, name)
		}
	}
	out, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

// TestGolden reads the answers of real servers, and of hostile ones.
func TestGolden(t *testing.T) {
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
			a := fromTxtar(t, ar)
			got := answered(t, a, Read(a, "1"))
			at := len(ar.Files)
			for i, f := range ar.Files {
				if f.Name == "want.json" {
					at = i
				}
			}
			if at == len(ar.Files) {
				ar.Files = append(ar.Files, txtar.File{Name: "want.json"})
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
