package pages

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/search"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Found lists the pages that a search found, the best first.
func Found(query string, found []*search.Page, in *say.Catalogue) outline.Outline {
	p := newPage(in)
	p.o.Heading(2, p.Say("Pages about {words}", "words", typeset.Clean(query)))
	var rows outline.Rows
	for _, f := range found {
		rows.List = append(rows.List, outline.RowOf(name(f.Name), document.FoundTitle(f, in)))
	}
	p.o.Add(rows)
	if i := slices.IndexFunc(found, func(f *search.Page) bool { return !strings.Contains(f.Name, " ") }); i >= 0 {
		p.o.Para(p.Say("To read one: pgfettle explain {name}", "name", found[i].Name)) // and no command
	}
	return p.o
}
