package probe

import (
	"context"
	"time"
	"unsafe"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

const (
	// memoryMost is larger than the caches of nearly every processor; some of the
	// largest have 384 MB, and show them.
	memoryMost = 256 * unit.MB
	// memoryLeast is less than what tells memory from caches.
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

// walk measures one processor: loads of which each needs the one before, in a
// random order, and reading all of it in order.
func walk(ctx context.Context, size unit.Bytes) *measured.Memory {
	nodes := make([]node, int(size)/int(unsafe.Sizeof(node{})))
	shuffle(nodes)
	const batch = 1 << 20 // loads between two looks at the clock, some tens of milliseconds
	at, loads, began := uint64(0), 0, time.Now()
	for time.Since(began) < time.Second && ctx.Err() == nil {
		for range batch {
			at = nodes[at].next
		}
		loads += batch
	}
	took := time.Since(began)
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&nodes[0])), len(nodes)*line/8)
	var sum uint64
	read, began2 := 0, time.Now()
	for time.Since(began2) < time.Second && ctx.Err() == nil {
		sum += add(words)
		read += len(words) * 8
	}
	took2 := time.Since(began2)
	if ctx.Err() != nil || loads == 0 || read == 0 || sum+at == 1 { // the sum is used, so that the loop is not left out
		return nil
	}
	return &measured.Memory{Size: size, Latency: took.Seconds() / float64(loads), Speed: unit.Bytes(float64(read) / took2.Seconds())}
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
