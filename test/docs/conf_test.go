package docs

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/show/cli"
)

// TestEveryKindIsDocumented verifies that docs/conf.md names each judgment on files, and none that does not exist.
func TestEveryKindIsDocumented(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "docs/conf.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Count(string(b), "\n| `conf_")
	for _, k := range conffile.Kinds() {
		if !strings.Contains(string(b), "\n| `"+k.ID+"` |") {
			t.Errorf("docs/conf.md has no row for %s", k.ID)
		}
	}
	if rows != len(conffile.Kinds()) {
		t.Errorf("docs/conf.md has %d rows for %d kinds", rows, len(conffile.Kinds()))
	}
}

// TestHookRuns verifies that the command line of the pre-commit hook, with names of files behind it, ends with 3 for a
// bad file and with 0 for a good one.
func TestHookRuns(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var line []string
	for l := range strings.Lines(string(b)) {
		l = strings.TrimSpace(l)
		if entry, ok := strings.CutPrefix(l, "entry: pgfettle "); ok {
			line = append(strings.Fields(entry), line...)
		}
		if args, ok := strings.CutPrefix(l, "args: ["); ok {
			line = append(line, strings.Split(strings.TrimSuffix(args, "]"), ", ")...)
		}
	}
	good := filepath.Join(t.TempDir(), "postgresql.conf")
	if err := os.WriteFile(good, []byte("work_mem = 8MB\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		files []string
		want  int
	}{{[]string{good}, 0}, {[]string{good, "testdata/postgresql.conf"}, 3}} {
		var out, errs bytes.Buffer
		if code := cli.Main(context.Background(), append(append([]string{}, line...), c.files...),
			strings.NewReader(""), &out, &errs, nil); code != c.want {
			t.Errorf("pgfettle %v %v ends with %d, want %d: %s", line, c.files, code, c.want, errs.String())
		}
	}
}
