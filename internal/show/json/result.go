package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// Result writes the document of an experiment. A figure that is not known is
// null; no list is.
func Result(w io.Writer, r *experiment.Result) error {
	d := *r
	d.A.Settings = append([]experiment.Setting{}, d.A.Settings...)
	d.B.Settings = append([]experiment.Setting{}, d.B.Settings...)
	d.Blocks = append([]experiment.Block{}, d.Blocks...)
	for i := range d.Blocks {
		d.Blocks[i].Runs = append([]experiment.Run{}, d.Blocks[i].Runs...)
	}
	return Write(w, &d)
}
