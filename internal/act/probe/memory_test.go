package probe

import (
	"context"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// TestShuffleIsOneCircle: a walk that came back early would stay in a cache.
func TestShuffleIsOneCircle(t *testing.T) {
	nodes := make([]node, 10_007)
	shuffle(nodes)
	at, steps, next := uint64(0), 0, 0
	for {
		if nodes[at].next == at+1 {
			next++
		}
		at = nodes[at].next
		steps++
		if at == 0 || steps > len(nodes) {
			break
		}
	}
	if steps != len(nodes) {
		t.Errorf("back after %d steps of %d", steps, len(nodes))
	}
	if next > 20 { // one is what chance gives
		t.Errorf("%d steps lead to the next line, which a prefetcher foresees", next)
	}
}

// TestWalk verifies that both figures are those of a walk, and that an interrupt ends it.
func TestWalk(t *testing.T) {
	m := walk(t.Context(), memoryLeast)
	if m == nil || m.Size != memoryLeast || m.Latency <= 0 || m.Latency > 1e-4 || m.Speed < unit.MB {
		t.Errorf("%+v", m)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if m := walk(ctx, memoryLeast); m != nil {
		t.Errorf("interrupted, and %+v", m)
	}
}

// TestMemorySize: an eighth of what is available, within bounds.
func TestMemorySize(t *testing.T) {
	for available, want := range map[unit.Bytes]unit.Bytes{100 * unit.MB: 0, 800 * unit.MB: 100 * unit.MB,
		64 * unit.GB: memoryMost} {
		if got := memorySize(host.Memory{Available: available}); got != want {
			t.Errorf("%s of %s, want %s", got, available, want)
		}
	}
}
