package goldens

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
	"github.com/pgfettle/pgfettle/test/hosts"
)

// TestDiagnoseMemory holds the text of each host, that no line of it but a
// command or a table is wider than asked, and that the JSON is what its schema says.
func TestDiagnoseMemory(t *testing.T) {
	list, err := hosts.Crowds()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		t.Run(c.Name, func(t *testing.T) {
			d := memory.Diagnose(c.Snapshot, hosts.Buffers(c.Snapshot))
			var b bytes.Buffer
			if err := term.Write(&b, reports.Memory(d, nil), term.Style{Width: 100}); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.String(), "\x1b") {
				t.Error("an escape sequence without colours")
			}
			file := filepath.Join("testdata", "diagnose_memory", c.Name+".txt")
			if flag.Lookup("update").Value.String() == "true" {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			b.Reset()
			if err := term.Write(&b, reports.Memory(d, nil), term.Style{Width: 60, Color: true}); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			if !strings.Contains(text, "\x1b[") {
				t.Error("no colours where they were asked for")
			}
			for l := range strings.Lines(text) {
				if picture := strings.HasPrefix(l, "  |"); picture && typeset.Width(uncoloured(l)) > 61 {
					t.Errorf("the picture is wider than the page: %q", l)
				}
			}
			b.Reset()
			if err := json.Memory(&b, d); err != nil {
				t.Fatal(err)
			}
			valid(t, "diagnose-memory", b.Bytes())
		})
	}
}

// uncoloured takes the colors out of a line.
func uncoloured(s string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "\x1b[")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		_, s, _ = strings.Cut(rest, "m")
	}
}
