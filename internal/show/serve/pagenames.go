package serve

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// places are the pages that the navigation leads to, in its order.
var places = []struct {
	path string
	name say.Message
}{
	{"/", say.M("Overview")}, {"/findings", say.M("Findings")}, {"/plan", say.M("Plan")},
	{"/plan/for", say.M("Plan for another host")}, {"/memory", say.M("Memory")}, {"/history", say.M("History")},
	{"/experiments", say.M("Experiments")}, {pastePath, say.M("Read pasted text")}, {"/explain", say.M("Explain")},
}

// nameOf is what the navigation calls a page.
func nameOf(path string) say.Message {
	for _, p := range places {
		if p.path == path {
			return p.name
		}
	}
	return say.Message{}
}

// pageNamed is the name of a page in quotation marks, as an argument of a message.
type pageNamed string

// In returns it in the language of a catalog.
func (p pageNamed) In(c *say.Catalogue) string { return say.Quoted(nameOf(string(p)).In(c)).In(c) }

// nav is the navigation of a page.
func (t *tongue) nav(here string) (out []web.Link) {
	for _, p := range places {
		out = append(out, web.Link{Href: p.path, Text: t.Word(p.name), Current: p.path == here})
	}
	return out
}
