package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// TestSinks: where notices go, and that what may be a secret is in no name.
func TestSinks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hook")
	if err := os.WriteFile(file, []byte("https://hooks.example.com/SECRET\n# of the team\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &Host{Target: &target.Local{}}
	list, err := h.sinks([]string{"exec:/bin/mail -s 'a b' dba", "webhook:https://example.com/SECRET?x",
		"webhook:@" + file})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"notify exec:/bin/mail", "notify webhook:example.com",
		"notify webhook:hooks.example.com"} {
		if got := list[i].Name(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
