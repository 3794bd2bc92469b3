package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// SwapKind says what a swap area lives on.
type SwapKind string

// The kinds of swap.
const (
	SwapFile SwapKind = "file"
	SwapDisk SwapKind = "disk"
	SwapZram SwapKind = "zram" // compressed memory: it frees less than its size
)

// Swap is a line of /proc/swaps.
type Swap struct {
	Path     string     `json:"path"`
	Kind     SwapKind   `json:"kind"`
	Size     unit.Bytes `json:"size"`
	Used     unit.Bytes `json:"used"`
	Priority int        `json:"priority"`
}

// ReadSwaps
func ReadSwaps(fsys fs.FS) known.Fact[[]Swap] { panic("ReadSwaps: to be written") }
