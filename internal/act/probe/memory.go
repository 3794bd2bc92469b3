package probe

import (
	"context"
	"time"
	"unsafe"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

const (
	// memoryMost is larger than the caches of nearly every CPU; some of the largest have 384 MB, and show them.
	memoryMost = 256 * unit.MB
	// memoryLeast is the least that distinguishes memory from caches.
	memoryLeast = 64 * unit.MB
	// memoryTime is what both walks take together, with filling.
	memoryTime = 3 * time.Second
	// line is a cache line: one load of each.
	line = 64
)

// node fills a cache line.
type node struct {
	next uint64
	_    [line/8 - 1]uint64
}

// walk measures one CPU: loads of which each depends on the previous one, in random order, and reading all of it in
// order. Of many short rounds the best one counts: in the others, other processes used the CPU or the memory.
func walk(ctx context.Context, size unit.Bytes) *measured.Memory {
	nodes := make([]node, int(size)/int(unsafe.Sizeof(node{})))
	shuffle(nodes)
	const loads = 1 << 17 // some ten milliseconds
	at := uint64(0)
	latency := best(ctx, func() {
		for range loads {
			at = nodes[at].next
		}
	})
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&nodes[0])), len(nodes)*line/8)
	const piece = int(32*unit.MB) / 8 // larger than the caches that are private to a CPU
	var sum uint64
	from := 0
	pass := best(ctx, func() {
		sum += add(words[from : from+piece])
		from = (from + piece) % (len(words) - piece)
	})
	// The sums are used, so that the loops are not optimized away.
	if ctx.Err() != nil || latency <= 0 || pass <= 0 || sum == 1 && at == 1 {
		return nil
	}
	return &measured.Memory{Size: size, Latency: latency.Seconds() / loads,
		Speed: unit.Bytes(float64(piece) * 8 / pass.Seconds())}
}

// best runs something for a second, and returns what the quickest run took; 0 if it was interrupted before the first.
func best(ctx context.Context, run func()) (least time.Duration) {
	for began := time.Now(); time.Since(began) < time.Second && ctx.Err() == nil; {
		at := time.Now()
		run()
		if took := time.Since(at); least == 0 || took < least {
			least = took
		}
	}
	return least
}

// shuffle makes one circle through all nodes in a random order (Sattolo). The
// generator is Knuth's linear one: no more randomness is needed than a prefetcher
// can foresee.
func shuffle(nodes []node) {
	for i := range nodes {
		nodes[i].next = uint64(i)
	}
	x := uint64(88172645463325252)
	for i := len(nodes) - 1; i > 0; i-- {
		x = x*6364136223846793005 + 1442695040888963407
		j := (x >> 33) % uint64(i)
		nodes[i].next, nodes[j].next = nodes[j].next, nodes[i].next
	}
}

// add sums with four sums side by side: one alone waits for each addition.
func add(w []uint64) uint64 {
	var a, b, c, d uint64
	for i := 0; i+4 <= len(w); i += 4 {
		v := w[i : i+4 : i+4]
		a, b, c, d = a+v[0], b+v[1], c+v[2], d+v[3]
	}
	return a + b + c + d
}
