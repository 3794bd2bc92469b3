package json

import (
	"encoding/json"
	"io"

	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// Peaks writes the peaks of a history on one line: another pgfettle reads it.
func Peaks(w io.Writer, p *history.Peaks) error {
	b, err := json.Marshal(p)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}
