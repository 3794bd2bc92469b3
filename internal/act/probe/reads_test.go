package probe

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/test/tier"
)

// laid is a small file of ours in a directory of the test; the test is skipped where its filesystem has no direct I/O.
func laid(t *testing.T, size unit.Bytes) *os.File {
	t.Helper()
	file, err := layout(t.Context(), t.TempDir(), nil, size)
	if err != nil && strings.Contains(err.Error(), "no direct I/O") {
		tier.Missing(t, tier.Kernel, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// TestOwnReads: the file has its size and no two pages alike; each depth counts reads whose
// latencies are of their order; the file is read in order too.
func TestOwnReads(t *testing.T) {
	const size = 8 * unit.MB
	file := laid(t, size)
	b, err := os.ReadFile(file.Name())
	if err != nil || len(b) != int(size) {
		t.Fatal(len(b), err)
	}
	seen := map[string]bool{}
	for page := range slices.Chunk(b, pageSize) {
		seen[string(page[:16])] = true
	}
	if len(seen) != int(size)/pageSize {
		t.Errorf("%d different pages of %d", len(seen), int(size)/pageSize)
	}
	for _, depth := range depths {
		x, err := readRandom(t.Context(), file, size, depth, 20*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		// each of the depth's readers is in a read nearly all of the time, and never in two
		if busy := x.PerSecond * x.Mean; x.Depth != depth || x.PerSecond <= 0 || busy > float64(depth)*1.01 ||
			x.P99 < 0 {
			t.Errorf("%+v: %v under way", x, busy)
		}
	}
	if speed, err := readInOrder(t.Context(), file, size, 20*time.Millisecond); err != nil || speed <= 0 {
		t.Error(speed, err)
	}
}

// TestOwnReadsEnd: an interruption, and a file truncated by others, are reported.
func TestOwnReadsEnd(t *testing.T) {
	const size = 4 * unit.MB
	file := laid(t, size)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readRandom(ctx, file, size, 4, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if _, err := readRandom(t.Context(), file, size, 4, time.Hour); err == nil ||
		!strings.Contains(err.Error(), "became shorter") {
		t.Error(err)
	}
	if _, err := readRandom(t.Context(), file, 0, 1, time.Hour); err == nil {
		t.Error("nothing to read, and no error")
	}
}
