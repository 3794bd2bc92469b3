package collect

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// rewrite puts what was got in place of what was wanted.
func rewrite(t *testing.T, file string, ar *txtar.Archive, got map[string][]byte) {
	t.Helper()
	ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") })
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if len(got[name]) > 0 {
			ar.Files = append(ar.Files, txtar.File{Name: name, Data: got[name]})
		}
	}
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}
