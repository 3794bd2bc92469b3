package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/judge/result"
)

// Result writes the document of an experiment. A figure that is not known is
// null; no list is.
func Result(w io.Writer, r *result.Result) error {
	d := *r
	d.A.Settings = append([]result.Setting{}, d.A.Settings...)
	d.B.Settings = append([]result.Setting{}, d.B.Settings...)
	d.Blocks = append([]result.Block{}, d.Blocks...)
	for i := range d.Blocks {
		d.Blocks[i].Runs = append([]result.Run{}, d.Blocks[i].Runs...)
	}
	return Write(w, &d)
}
