package cli

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/show/web"
)

// docForms are the values of --format of commands whose document has all forms.
var docForms = []string{"text", "json", "html", "markdown"}

const docFormsHelp = "`FORMAT` output format: text, json, html, markdown"

// plainFormsHelp is the help of --format of commands that write text and JSON only.
const plainFormsHelp = "`FORMAT` output format: text, json"

// forms are how one document is written.
type forms struct {
	text, json, markdown func(io.Writer) error
	html                 func(web.View) (web.Page, error)
	taken                int64 // when its facts were collected; 0: they were not
}

// writeForm writes a document to stdout in the form that was asked for.
func (e *Env) writeForm(format string, f forms) error {
	switch format {
	case "json":
		return f.json(e.Stdout)
	case "markdown":
		return f.markdown(e.Stdout)
	case "html":
		return writePage(e, e.Stdout, f.taken, f, func(f forms, v web.View) (web.Page, error) { return f.html(v) })
	}
	return f.text(e.Stdout)
}
