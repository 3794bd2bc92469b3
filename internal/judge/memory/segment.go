package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Segment is the main shared memory segment of a server as it is.
type Segment struct {
	Size  unit.Bytes // if estimated, never below the truth, unless an unknown library asks for more
	Least unit.Bytes // what it certainly takes: to say that something is too small for it
}

// Exact reports whether the server said the size; else it is estimated.
func (s Segment) Exact() bool { return s.Size == s.Least }

// estimateOver is by how much an estimate may be above the truth: the promise
// of EstimateShared.
const estimateOver = 0.03

// SegmentOf returns the size of a server's segment: shared_memory_size (15+, in
// whole MB), else the sum of pg_shmem_allocations, which 13 and 14 show to
// superusers only, else the estimate of its settings. shared_buffers alone
// would be a few percent too little, and one huge page too few is none at all.
func SegmentOf(in *snapshot.Instance) known.Fact[Segment] {
	set, ok := in.Server.Settings.Get()
	if !ok {
		return known.Without[Segment](in.Server.Settings.State(), in.Server.Settings.Gap())
	}
	if p, ok := in.Start.Program.Get(); ok && p.Shared > 0 { // said for the files of a server that does not run
		return known.Is(Segment{p.Shared, p.Shared})
	}
	if b, ok := set.Bytes("shared_memory_size"); ok && b > 0 {
		return known.Is(Segment{b, b})
	}
	if parts, ok := in.Server.Shmem.Get(); ok && len(parts) > 0 {
		var sum unit.Bytes
		for _, p := range parts {
			sum += p.Size
		}
		return known.Is(Segment{sum, sum})
	}
	version, ok := in.Server.Version.Get()
	if !ok {
		return known.Without[Segment](in.Server.Version.State(), in.Server.Version.Gap())
	}
	p, ok := SharedOf(set, nil)
	if !ok {
		return known.Missed[Segment](known.Gap{Fact: "pg/" + in.Key + "/shmem",
			Reason: "the server shows neither the size of its shared memory nor the settings that determine it"})
	}
	size := EstimateShared(version.Major(), p)
	return known.Is(Segment{size, max(size.Scale(1/(1+estimateOver)), p.SharedBuffers)})
}
