package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

// History writes the document. No array is null.
func History(w io.Writer, d document.History) error {
	d.Schema = document.HistorySchema
	d.Events = append([]store.Event{}, d.Events...)
	d.Series = append([]document.HistorySeries{}, d.Series...)
	for i := range d.Series {
		d.Series[i].Buckets = append([]store.Bucket{}, d.Series[i].Buckets...)
	}
	return Write(w, d)
}
