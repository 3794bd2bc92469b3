package memory

import (
	"math/bits"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Demands returns the states that work_mem has to survive: instances whose Parts must not exceed what the instance may
// have. A session keeps what it sorted and hashed while it waits for a CPU, for a lock or for its client (an open
// cursor), so it is every connection that may be open, each with a whole query of the load. Few large reports
// (Load.Reports) are what is expected at work of them (i.Active), and every connection with one node.
func (l Load) Demands(i Instance) []Instance {
	if l.Reports {
		return []Instance{i, i.OneNodeEach()}
	}
	return []Instance{i.AllAtWork()}
}

// AllAtWork returns the instance with a query at work in every connection.
func (i Instance) AllAtWork() Instance {
	i.Active = i.Connections
	return i
}

// OneNodeEach returns the instance with one node at work in every connection and
// parallel worker: a hash, which takes the most.
func (i Instance) OneNodeEach() Instance {
	i.Sorts, i.Hashes = 0, 1
	return i.AllAtWork()
}

const (
	// WorkMemFloor is what work_mem is not planned below: the server's own default.
	// A join of 60,000 rows took 58 ms with it, 253 ms with 576 kB and 298 ms with
	// 64 kB, and a smaller one does not make room for many more sessions.
	WorkMemFloor = 4 * unit.MB
	// workMemLeast is the smallest work_mem that a server accepts.
	workMemLeast = 64 * unit.KB
)

// WorkMemFor returns the work_mem that can be held so many times at once in the memory that remains, in readable steps:
// an eighth of the power of two below. It is 0 if nothing is left.
func WorkMemFor(left unit.Bytes, claims float64) unit.Bytes {
	if left <= 0 || claims <= 0 {
		return 0
	}
	each := left.Scale(1 / claims)
	if each < workMemLeast {
		return 0
	}
	top := unit.Bytes(1) << (bits.Len64(uint64(each)) - 1)
	return each.RoundDown(max(top/8, workMemLeast))
}

// WorkMemThatFits returns the work_mem with which the instance takes no more than share, everything else as it is; 0 if
// there is none.
func (i Instance) WorkMemThatFits(share unit.Bytes) unit.Bytes {
	i.WorkMem = 0
	return WorkMemFor(share-i.Parts().Sum(), i.Claims())
}

// ConnectionsThatFit returns how many connections, of those that may be open, can
// be at work as the load demands, each state within what fits allows. Those that
// are not open take no page tables and no private memory.
func (l Load) ConnectionsThatFit(i Instance, fits func(Instance) bool) int {
	lo, hi := 0, i.Connections+1
	for lo+1 < hi {
		mid := (lo + hi) / 2
		n := i
		n.Connections, n.Active = mid, min(i.Active, mid)
		ok := true
		for _, d := range l.Demands(n) {
			ok = ok && fits(d)
		}
		if ok {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
