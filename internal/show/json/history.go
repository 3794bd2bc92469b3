package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

// History writes the document. No array is null.
func History(w io.Writer, d document.History) error {
	d.Schema = document.HistorySchema
	d.Events = append([]history.Event{}, d.Events...)
	d.Series = append([]document.HistorySeries{}, d.Series...)
	for i := range d.Series {
		d.Series[i].Buckets = append([]history.Bucket{}, d.Series[i].Buckets...)
	}
	return Write(w, d)
}
