package cli

import (
	"html/template"
	"io"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// docForms are the values of --format of commands whose document has all forms.
var docForms = []string{"text", "json", "html", "markdown"}

const docFormsHelp = "text, json, html (a page that needs nothing beside it) or markdown"

// forms are how one document is written.
type forms struct {
	title                string // of its page
	text, json, markdown func(io.Writer) error
	html                 func(web.View) (template.HTML, error)
}

// writeForm writes a document to stdout in the form that was asked for.
func (e *Env) writeForm(format string, f forms) error {
	switch format {
	case "json":
		return f.json(e.Stdout)
	case "markdown":
		return f.markdown(e.Stdout)
	case "html":
		view, lang := web.View{Words: e.words}, say.English
		if e.words != nil {
			lang = e.words.Lang
		}
		body, err := f.html(view)
		if err != nil {
			return err
		}
		return web.Write(e.Stdout, web.Page{Title: f.title, Lang: lang, Body: body, Standalone: true, Made: "pgfettle " + Version})
	}
	return f.text(e.Stdout)
}
