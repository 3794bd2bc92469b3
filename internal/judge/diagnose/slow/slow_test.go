package slow

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/test/golden"
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
	golden.Files(t, "testdata/*.txtar", func(t *testing.T, c *golden.File) map[string][]byte {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		if err := enc.Encode(compareCase(t, c.Archive)); err != nil {
			t.Fatal(err)
		}
		return map[string][]byte{"want.json": b.Bytes()}
	})
}
