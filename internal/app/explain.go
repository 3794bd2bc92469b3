package app

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/judge/search"
)

// FoundPages is how many pages a search lists at most: more than fit on a terminal are not read.
const FoundPages = 12

// SearchPages finds pages by words, the best first. Pages are searched in all languages, whichever the reader's is:
// people look for a symptom in the words in which they saw it. more are pages that only the caller knows.
func SearchPages(query string, more []search.Page) ([]*search.Page, error) {
	pages, err := searchable()
	if err != nil {
		return nil, err
	}
	return search.New(append(pages, more...)).Find(query, FoundPages), nil
}

func searchable() ([]search.Page, error) {
	in := []*say.Catalogue{nil}
	for _, lang := range say.Languages() {
		if lang == say.English {
			continue
		}
		c, err := say.Open(lang)
		if err != nil {
			return nil, err
		}
		in = append(in, c)
	}
	each := func(text string) (out []string) {
		for _, c := range in {
			if t := c.Text(text); !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
		return out
	}
	var pages []search.Page
	for _, c := range slices.Concat(checks.All(), conffile.Kinds()) {
		pages = append(pages, search.Page{Name: c.ID, Titles: each(c.Title),
			Texts: slices.Concat(each(c.Why), each(c.Do))})
	}
	for _, r := range rules.All() {
		pages = append(pages, search.Page{Name: string(r.Address), Titles: each(r.Title),
			Texts: slices.Concat(each(r.Why), each(r.Formula))})
	}
	for _, u := range rules.ReadNotPlanned() {
		pages = append(pages, search.Page{Name: string(u.Address), Texts: each(u.Why)})
	}
	for _, p := range advice.All() {
		page := search.Page{Name: p.ID, Names: p.Names}
		for _, c := range in {
			t := p.In(c)
			page.Titles = append(page.Titles, t.Title)
			page.Texts = append(append(page.Texts, t.Text...), t.Verify)
		}
		pages = append(pages, page)
	}
	return pages, nil
}

// KnobsWithBareName are the knobs whose name ends with a name that was typed without its prefix: swappiness for
// sysctl:vm.swappiness, enabled for thp:enabled. Those that are planned come first; where any is, the others are
// omitted.
func KnobsWithBareName(name string) []knob.Address {
	bare := func(a knob.Address) bool {
		n := a.Name()
		if i := strings.LastIndexAny(n, "./"); i >= 0 {
			n = n[i+1:]
		}
		return strings.EqualFold(n, name)
	}
	var out []knob.Address
	for _, r := range rules.All() {
		if bare(r.Address) {
			out = append(out, r.Address)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, u := range rules.ReadNotPlanned() {
		if bare(u.Address) {
			out = append(out, u.Address)
		}
	}
	return out
}
