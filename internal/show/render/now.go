package render

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
)

// NowJSON writes what a host and an instance do at this moment as JSON. No array
// is null.
func NowJSON(w io.Writer, d *diagnose.NowReport) error { return writeJSON(w, d) }

// BarCells divides the cells of a bar among amounts, so that they fill it and none
// that is not zero is without a cell.
func BarCells(amounts []unit.Bytes, cells int) []int { return share(amounts, max(cells, 0)) }
