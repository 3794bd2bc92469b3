package sizing

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// outside is what of the shared memory in huge pages a cgroup's limit does not bound: all of it, unless the hierarchy
// is mounted with memory_hugetlb_accounting. The limit is the measure of the instance all the same: shared_buffers is
// taken from it, and of what is there already only what is more than that counts as outside, so that work_mem does not
// jump at the size from which huge pages are wanted. The host's memory bounds it.
type outside struct {
	is      bool
	nominal unit.Bytes // the shared memory of the profile's full share, with the tolerance
	share   unit.Bytes // what the host leaves to the instance
}

// outsideLimit reports whether huge pages are outside what bounds the instance.
func OutsideLimit(c *rule.Case, b rule.Basis) bool {
	return b.Limited && b.Host.Share > 0 && c.Instance != nil && !memory.HugeCharged(c.Instance)
}

func outsideOf(c *rule.Case, b rule.Basis, conns int) outside {
	if !OutsideLimit(c, b) {
		return outside{}
	}
	nominal, ok := estimate(c, WithTolerance(fullBuffers(c, b), BuffersNear), conns)
	return outside{ok, nominal, b.Host.Share}
}

// Charged returns the parts of which the sum is compared with the share: of shared memory in huge pages outside the
// limit no more than the nominal, but so much that no more is left than the host has.
func (l layout) Charged(p memory.Parts, page unit.Bytes) memory.Parts {
	if !l.outside.is || page != l.huge || page <= l.base {
		return p
	}
	left := l.outside.share - p.Sum()
	p.Shared = min(p.Shared, l.outside.nominal)
	p.Shared += max(l.share-p.Sum()-left, 0)
	return p
}

// keptOutside returns the most that a shared_buffers can be that is already in huge pages outside the limit: two fifths
// of what the host has, as of a server without a limit. ok is false if there is nothing to keep.
func keptOutside(c *rule.Case, b rule.Basis) (most unit.Bytes, ok bool) {
	if !OutsideLimit(c, b) || !rule.OnHugePages(c.Instance) {
		return 0, false
	}
	present, ok := c.Bytes(knob.PG("shared_buffers"))
	if nominal := nominalBuffers(c, b); !ok || present <= nominal {
		return 0, false
	}
	return min(present, readable(b.Host.Part.Scale(buffersKeptTo))), true
}
