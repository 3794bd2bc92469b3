package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Segment is the main shared memory segment of a server as it is.
type Segment struct {
	Size  unit.Bytes
	Exact bool // the server said so; false: estimated from its settings
}

// estimateOver is by how much an estimate may be above the truth: the promise
// of EstimateShared.
const estimateOver = 0.03

// Least returns what the segment certainly takes. To say that something is too
// small for it, an estimate has to be taken at its lower end.
func (s Segment) Least() unit.Bytes {
	if s.Exact {
		return s.Size
	}
	return s.Size.Scale(1 / (1 + estimateOver))
}

// SegmentOf returns the size of a server's segment: shared_memory_size (15+, in
// whole MB), else the sum of pg_shmem_allocations, which 13 and 14 show to
// superusers only, else the estimate of its settings. shared_buffers alone
// would be a few percent too little, and one huge page too few is none at all.
func SegmentOf(in *snapshot.Instance) known.Fact[Segment] {
	set, ok := in.Server.Settings.Get()
	if !ok {
		return known.Without[Segment](in.Server.Settings.State(), in.Server.Settings.Gap())
	}
	if b, ok := set.Bytes("shared_memory_size"); ok && b > 0 {
		return known.Is(Segment{b, true})
	}
	if parts, ok := in.Server.Shmem.Get(); ok && len(parts) > 0 {
		var sum unit.Bytes
		for _, p := range parts {
			sum += p.Size
		}
		return known.Is(Segment{sum, true})
	}
	version, ok := in.Server.Version.Get()
	if !ok {
		return known.Without[Segment](in.Server.Version.State(), in.Server.Version.Gap())
	}
	p, ok := SharedOf(set, nil)
	if !ok {
		return known.Missed[Segment](known.Gap{Fact: "pg/" + in.Key + "/shmem", Reason: "the server shows neither the size of its shared memory nor the settings that make it"})
	}
	return known.Is(Segment{EstimateShared(version.Major(), p), false})
}
