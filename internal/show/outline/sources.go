package outline

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// publishers are names that are too long to be in every paragraph.
var publishers = map[string]string{
	"PostgreSQL Global Development Group": "PostgreSQL",
	"The Linux kernel":                    "Linux",
}

// sourceTitles spells sources for people: the titles, in the given order,
// those of one publisher together under its name.
func (p Words) sourceTitles(sources []say.Source) string {
	var order []string
	titles := map[string][]string{}
	for _, s := range say.SourcesIn(sources, p.catalog) {
		by := s.Publisher
		if short, ok := publishers[by]; ok {
			by = short
		}
		if _, ok := titles[by]; !ok {
			order = append(order, by)
		}
		titles[by] = append(titles[by], s.Title)
	}
	var out []string
	for _, by := range order {
		t := strings.Join(titles[by], p.Semicolon())
		if by != "" {
			t = by + p.Colon() + t
		}
		out = append(out, t)
	}
	return strings.Join(out, " · ")
}
