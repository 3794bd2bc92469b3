package collect

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Evidence that is redacted twice is that of one redaction, byte for byte: for each host of testdata, neighbors,
// stopped servers and what could not be read among them.
func TestRedactedTwice(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	neighbours := 0
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f := newFake(t, ar)
		c := newCollector(f, f.world.request)
		c.query = silentServer
		a, err := c.run(context.Background())
		if err != nil {
			continue // no such target: there is no evidence
		}
		if b, err := a.ReadFile("instances.json"); err == nil && bytes.Contains(b, []byte(`"neighbour": true`)) {
			neighbours++
		}
		once := a.Redact()
		again := once.Redact()
		if got, want := packed(t, again), packed(t, once); got != want {
			t.Errorf("%s: redacted once\n%s", file, differing(want, got))
		}
	}
	if neighbours == 0 {
		t.Error("no host has neighbours: the test proves nothing of them")
	}
}

func packed(t *testing.T, a *evidence.Archive) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := a.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// differing shows the lines that only one of two texts has.
func differing(a, b string) string {
	var out strings.Builder
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for _, l := range la {
		if !slices.Contains(lb, l) {
			out.WriteString("- " + l + "\n")
		}
	}
	for _, l := range lb {
		if !slices.Contains(la, l) {
			out.WriteString("+ " + l + "\n")
		}
	}
	return out.String()
}
