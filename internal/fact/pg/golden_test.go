package pg

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/test/golden"
)

// answered drops the facts of which a golden has neither an answer nor a reason.
func answered(t *testing.T, s Server) []byte {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	drop := func(facts map[string]any) {
		for name, v := range facts {
			text, _ := json.Marshal(v)
			if strings.Contains(string(text), `"reason":"no such file"`) {
				delete(facts, name)
			}
		}
	}
	if deep, ok := all["deep"].(map[string]any); ok {
		if drop(deep); len(deep) == 0 {
			delete(all, "deep")
		}
	}
	drop(all)
	out, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

// TestGolden reads the answers of real servers, and of hostile ones.
func TestGolden(t *testing.T) {
	golden.Each(t, func(t *testing.T, _ string, a *evidence.Archive) []byte {
		return answered(t, Read(a, "1"))
	})
}
