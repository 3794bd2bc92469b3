package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/act/apply"
)

// StatusSchema names the version of the JSON form.
const StatusSchema = "pgfettle.status/1"

// Status writes every applied value and how it stands.
func Status(w io.Writer, list []apply.Drift) error {
	return Write(w, struct {
		Schema string        `json:"schema"`
		Knobs  []apply.Drift `json:"knobs"`
	}{StatusSchema, append([]apply.Drift{}, list...)})
}
