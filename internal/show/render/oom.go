package render

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/act/drill"
)

// OOMSchema names the version of the JSON form.
const OOMSchema = "pgfettle.demo.oom/1"

// OOMText …
func OOMText(w io.Writer, d *drill.OOM, st Style) error { return OOMJSON(w, d) }

// OOMJSON writes what the exercise showed.
func OOMJSON(w io.Writer, d *drill.OOM) error {
	return writeJSON(w, struct {
		Schema string `json:"schema"`
		*drill.OOM
	}{OOMSchema, d})
}
