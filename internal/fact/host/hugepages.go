package host

import (
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Pool is one huge page pool of sys/kernel/mm/hugepages/hugepages-NkB.
type Pool struct {
	Size       unit.Bytes `json:"size"`
	Total      int64      `json:"total"`      // nr_hugepages: persistent pages asked for and given, surplus excluded
	Free       int64      `json:"free"`       // free_hugepages
	Reserved   int64      `json:"reserved"`   // resv_hugepages
	Surplus    int64      `json:"surplus"`    // surplus_hugepages
	Overcommit int64      `json:"overcommit"` // nr_overcommit_hugepages
}

const hugePagesDir = "sys/kernel/mm/hugepages"

// maxPools bounds the sizes: no architecture has more than five (arm64).
const maxPools = 16

// ReadHugePages reads the pools of all page sizes, smallest first. A pool of
// which one number is missing makes the fact missing: half a pool is no count.
func ReadHugePages(fsys fs.FS) known.Fact[[]Pool] {
	names, there := folder(fsys, hugePagesDir, maxPools)
	if !there.Known() {
		return known.Without[[]Pool](there.State(), there.Gap())
	}
	pools := []Pool{}
	for _, n := range names {
		size, err := ParsePoolName(n)
		if err != nil {
			continue
		}
		p := Pool{Size: size}
		for _, to := range []struct {
			file string
			num  *int64
		}{
			{"nr_hugepages", &p.Total}, {"free_hugepages", &p.Free}, {"resv_hugepages", &p.Reserved},
			{"surplus_hugepages", &p.Surplus}, {"nr_overcommit_hugepages", &p.Overcommit},
		} {
			f := evidence.Read(fsys, hugePagesDir+"/"+n+"/"+to.file, ParsePages)
			v, ok := f.Get()
			if !ok {
				return known.Without[[]Pool](f.State(), f.Gap())
			}
			*to.num = v
		}
		pools = append(pools, p)
	}
	sort.Slice(pools, func(i, j int) bool { return pools[i].Size < pools[j].Size })
	return known.Is(pools)
}

// maxPages bounds a number of pages: 2^40 pages of 2 MB are a thousand times
// what x86-64 can address.
const maxPages = 1 << 40

// ParsePages parses a file that holds a number of pages.
func ParsePages(b []byte) (int64, error) {
	n, err := ParseCount(b)
	if err == nil && n > maxPages {
		err = fmt.Errorf("%d pages", n)
	}
	if err != nil {
		return 0, err
	}
	return n, nil
}

// ParsePoolName parses the directory name of a pool: "hugepages-2048kB" is 2 MB.
func ParsePoolName(name string) (unit.Bytes, error) {
	kb, ok := strings.CutPrefix(name, "hugepages-")
	kb, ok2 := strings.CutSuffix(kb, "kB")
	if !ok || !ok2 {
		return 0, fmt.Errorf("%q is not the directory of a pool", Short(name))
	}
	size, err := parseKB(kb)
	if err == nil && size == 0 {
		err = fmt.Errorf("%q is not the directory of a pool", Short(name))
	}
	return size, err
}
