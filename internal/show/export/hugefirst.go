package export

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// poolHolds reports whether the pool, as the host has it or as a plan makes it (grown, 0 if it does not), holds the
// shared memory of every instance that asks for huge pages, and so that of this one.
func (d carried) poolHolds(s *snapshot.Snapshot, key string, grown int64) bool {
	mem, ok := s.Host.Memory.Get()
	if size := hugeSize(d, s, key); size > 0 && ok && size != mem.HugePageSize {
		pools, _ := s.Host.HugePages.Get()
		need, known := sharedMemory(d, s, key)
		return known && unit.Bytes(memory.PoolOf(pools, size).Total)*size >= need // no plan changes such a pool
	}
	pool := grown
	if grown == 0 {
		if !ok {
			return false
		}
		pool = mem.HugeTotal
		for _, c := range d.Changes {
			if c.Address == hugePool {
				pool = wholeNumber(c.ToBase)
			}
		}
	}
	need, known := d.pagesNeeded(s, key)
	return known && pool >= need
}

// pagesNeeded adds up the pages of the default size of all instances that ask for some; false if this one's are not
// known.
func (d carried) pagesNeeded(s *snapshot.Snapshot, key string) (sum int64, known bool) {
	for i := range s.Instances {
		in := &s.Instances[i]
		if v, ok := wanted(d, s, in.Key, hugePages.Name()); ok && v.Value == "off" {
			continue
		}
		for _, sh := range d.Shared {
			if sh.Instance == in.Label() {
				sum += sh.Pages
				known = known || in.Key == key && sh.Pages > 0
			}
		}
	}
	return sum, known
}

// hugeSize is the page size that an instance asks for itself; 0: the kernel's default.
func hugeSize(d carried, s *snapshot.Snapshot, key string) unit.Bytes {
	v, ok := wanted(d, s, key, "huge_page_size")
	if !ok || !number(v.Value) {
		return 0
	}
	return unit.Bytes(wholeNumber(v.Value)) * unit.KB
}

func sharedMemory(d carried, s *snapshot.Snapshot, key string) (unit.Bytes, bool) {
	if in := s.Instance(key); in != nil {
		for _, sh := range d.Shared {
			if sh.Instance == in.Label() {
				return sh.Bytes, true
			}
		}
	}
	return 0, false
}

func wholeNumber(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// hugeFirst says, at the head of a form that has try in place of on, what comes first, in its order, and why. where
// names the machines that have the pool.
func (d carried) hugeFirst(b *strings.Builder, mark string, s *snapshot.Snapshot, key, where string) {
	if !d.tries[key] {
		return
	}
	pages, _ := d.poolPlanned()
	if pages == 0 {
		pages, _ = d.pagesNeeded(s, key)
	}
	pool := "enough huge pages on " + where
	if size := hugeSize(d, s, key); size > 0 {
		pool = "enough huge pages of " + size.String() + " on " + where
	} else if pages > 0 {
		pool = "vm.nr_hugepages = " + strconv.FormatInt(pages, 10) + " on " + where +
			"; read it back, as the kernel may give fewer"
	}
	comment(b, mark,
		"huge_pages is try in here and not on: with on a server does not start without its huge pages, and this "+
			"cannot make sure of them. In this order:", commentWidth)
	comment(b, mark, "1. "+pool+".", commentWidth)
	comment(b, mark, "2. These settings, and the restart.", commentWidth)
	comment(b, mark,
		"3. When SHOW huge_pages_status (PostgreSQL 17 and newer) says on, set huge_pages to on: from then a start "+
			"without the pages fails, where try goes on with ordinary pages and says nothing.", commentWidth)
}
