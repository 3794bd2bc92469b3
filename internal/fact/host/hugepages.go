package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
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

// ReadHugePages
func ReadHugePages(fsys fs.FS) known.Fact[[]Pool] { panic("ReadHugePages: to be written") }
