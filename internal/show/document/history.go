package document

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// HistorySchema names the version of the JSON form.
const HistorySchema = "pgfettle.history/1"

// History is what a history has for a span of time: events, or series.
type History struct {
	Schema string          `json:"schema"`
	File   string          `json:"file"`
	From   time.Time       `json:"from"`
	To     time.Time       `json:"to"`
	First  time.Time       `json:"first,omitzero"` // of the samples in the file; zero: there are none
	Last   time.Time       `json:"last,omitzero"`
	Older  bool            `json:"older"`  // more events were in that span, before those shown
	Events []history.Event `json:"events"` // oldest first
	Series []HistorySeries `json:"series"`
}

// HistorySeries is one series in that span.
type HistorySeries struct {
	history.Series
	Unit    string           `json:"unit"`
	Kind    history.Kind     `json:"kind"`
	Help    string           `json:"help"`
	Buckets []history.Bucket `json:"buckets"` // oldest first; none if nothing was sampled
}
