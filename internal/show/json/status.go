package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// StatusSchema names the version of the JSON form.
const StatusSchema = "pgfettle.status/1"

// Status writes every applied value and how it stands.
func Status(w io.Writer, list []journal.Drift) error {
	return Write(w, struct {
		Schema string          `json:"schema"`
		Knobs  []journal.Drift `json:"knobs"`
	}{StatusSchema, append([]journal.Drift{}, list...)})
}
