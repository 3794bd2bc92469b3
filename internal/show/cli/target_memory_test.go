package cli

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// A file of evidence that is too large is refused before it is read: 300 MB took
// 614 MB of memory once. All bytes ever asked for are counted.
func TestLargeEvidenceIsNotRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "large.evidence")
	if err := os.WriteFile(file, []byte(evidence.Format+"\n-- a --\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 300<<20); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", file}, {"plan", file}, {"snapshot", "--redact", file}, {"report", file},
		{"diagnose", "oom", file}} {
		var talk strings.Builder
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		code := Main(t.Context(), args, strings.NewReader(""), io.Discard, &talk, os.Environ())
		runtime.ReadMemStats(&after)
		got := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d kB", args, got>>10)
		// one entry, of what has no size before it is read
		if code != exitError || !strings.Contains(talk.String(), "MB") || got > 40<<20 {
			t.Errorf("%v: %d, %d bytes, %s", args, code, got, talk.String())
		}
	}
}
