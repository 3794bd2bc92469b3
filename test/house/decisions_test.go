package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDependenciesAreDecided verifies that docs/decisions names every module that go.mod requires for itself: what it
// does for us, and what would make us leave it.
func TestDependenciesAreDecided(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "docs/decisions/*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no decisions: %v", err)
	}
	var decided strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		decided.Write(b)
	}
	b, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(b), -1)
	if len(required) < 5 {
		t.Fatalf("%d direct dependencies: the test looks in the wrong place", len(required))
	}
	version := regexp.MustCompile(`/v\d+$`)
	for _, m := range required {
		name := strings.TrimPrefix(version.ReplaceAllString(m[1], ""), "github.com/")
		// «golang.org/x/sys, x/term» and «jackc/pgx/v5» both name theirs.
		short := regexp.MustCompile(`\b` + regexp.QuoteMeta(strings.TrimPrefix(name, "golang.org/")) + `\b`)
		if !short.MatchString(decided.String()) {
			t.Errorf("%s is in no file of docs/decisions", m[1])
		}
	}
}
