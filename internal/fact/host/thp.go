package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// THP is sys/kernel/mm/transparent_hugepage: the word in brackets of each file.
type THP struct {
	Enabled      known.Fact[string]            `json:"enabled"`      // always, madvise, never
	Defrag       known.Fact[string]            `json:"defrag"`       // always, defer, defer+madvise, madvise, never
	ShmemEnabled known.Fact[string]            `json:"shmemEnabled"` // always, within_size, advise, never, deny, force
	Khugepaged   known.Fact[string]            `json:"khugepaged"`   // khugepaged/defrag: 0 or 1
	Sizes        known.Fact[map[string]string] `json:"sizes"`        // hugepages-NkB → enabled (6.8+)
}

// ReadTHP
func ReadTHP(fsys fs.FS) THP { panic("ReadTHP: to be written") }
