// Package search finds pages by what a person types: a name without its prefix, a word of the field, or a message
// that a program printed, in any language that the pages are written in.
//
// Words are compared by their stems (Snowball), a word that few pages have counts more than a common one (inverse
// document frequency), and a page whose name or title has a word counts more than one whose text has it.
package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/russian"

	"github.com/pgfettle/pgfettle/internal/fact/pglog/translated"
)

// Page is what can be found.
type Page struct {
	Name   string   // what it is asked for by
	Names  []string // other names and words that it answers to
	Titles []string // its title, in each language
	Texts  []string // the rest of it, in each language
}

// How much a word counts by where it stands. A name is a stronger sign than a title, and a title than a text that
// mentions much; only the order of the three matters.
const (
	inName  = 12
	inTitle = 6
	inText  = 1
	// inPhrase is for a text that has all the words of a query of several in one piece, as a quoted message is.
	inPhrase = 20
)

// mostMeant is how many words a person types who looks for a thing; a message that was copied has more.
const mostMeant = 3

// maxQuery bounds what is looked for, in bytes: a line of a log, with what a person copied around it.
const maxQuery = 2000

// Index is pages, prepared for queries.
type Index struct {
	pages []indexed
	seen  map[string]int // how many pages have a stem
}

type indexed struct {
	page  *Page
	stems map[string]float64 // the weight of each stem of it
	texts []string           // its texts, as plain words with one space around each
}

// New prepares pages.
func New(pages []Page) *Index {
	ix := &Index{seen: map[string]int{}}
	known := map[string][]string{} // the stems of each word: most of the time goes there, and pages share their words
	for i := range pages {
		p := &pages[i]
		e := indexed{page: p, stems: map[string]float64{}}
		add := func(weight float64, words []string) {
			for _, w := range words {
				list, ok := known[w]
				if !ok {
					list = stemsOf(w, true)
					known[w] = list
				}
				for _, s := range list {
					e.stems[s] = max(e.stems[s], weight)
				}
			}
		}
		for _, n := range slices.Concat([]string{p.Name}, p.Names) {
			add(inName, split(n))
		}
		for n, t := range slices.Concat(p.Titles, p.Texts) {
			words := split(t)
			weight := float64(inTitle)
			if n >= len(p.Titles) {
				weight = inText
			}
			add(weight, words)
			e.texts = append(e.texts, joined(words))
		}
		for s := range e.stems {
			ix.seen[s]++
		}
		ix.pages = append(ix.pages, e)
	}
	return ix
}

// Find returns at most most pages, the best first. A page is found that has all the words of the query; where none
// has, or there are many words, one that has more than half of what they weigh. A server message in another language
// is looked for in English.
func (ix *Index) Find(query string, most int) []*Page {
	if len(query) > maxQuery {
		query = query[:maxQuery]
	}
	if m, _, ok := translated.English([]byte(query), ""); ok {
		if found := ix.find(string(m), most); len(found) > 0 {
			return found
		}
	}
	return ix.find(query, most)
}

func (ix *Index) find(query string, most int) []*Page {
	type hit struct {
		page  *Page
		has   float64 // the share of the query's weight that the page has
		score float64
	}
	words := wordsOf(query)
	phrase := plain(query)
	var hits []hit
	full := false
	for _, e := range ix.pages {
		h := hit{page: e.page}
		all, has := 0.0, 0.0
		for _, w := range words {
			weight := 0.0
			rare := math.Log(1 + float64(len(ix.pages)))
			for _, s := range stemsOf(w, false) {
				if n := ix.seen[s]; n > 0 {
					rare = math.Log(1 + float64(len(ix.pages))/float64(n))
				}
				weight = max(weight, e.stems[s])
			}
			all += rare
			if weight > 0 {
				has += rare
			}
			h.score += weight * rare
		}
		if has == 0 {
			continue
		}
		h.has = has / all
		if len(words) > 1 && slices.ContainsFunc(e.texts, func(t string) bool { return strings.Contains(t, phrase) }) {
			h.score += inPhrase * all
		}
		full = full || has == all
		hits = append(hits, h)
	}
	// Of some words all are meant. A message has more: a page may quote the half of it that is always the same.
	strict := full && len(words) <= mostMeant
	hits = slices.DeleteFunc(hits, func(h hit) bool { return strict && h.has < 1 || h.has <= 0.5 })
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.page.Name, b.page.Name))
	})
	var out []*Page
	for _, h := range hits[:min(len(hits), most)] {
		out = append(out, h.page)
	}
	return out
}

// wordsOf are the words of a query, without those that every sentence has.
func wordsOf(query string) []string {
	var out []string
	all := split(query)
	for _, w := range all {
		if !english.IsStopWord(w) && !french.IsStopWord(w) && !russian.IsStopWord(w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// stemsOf are the stems of one word. A name in a page is found by its parts too, as vm.swappiness by swappiness; a
// name that is looked for is meant whole: pg_createcluster is not each page about pg.
func stemsOf(word string, parts bool) []string {
	out := []string{word}
	list := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("._:/-", r) })
	if len(list) > 1 && !parts {
		return out
	}
	for _, part := range list {
		if strings.ContainsFunc(part, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
			out = append(out, part, russian.Stem(part, false))
			continue
		}
		out = append(out, part, english.Stem(part, false), french.Stem(part, false))
	}
	return out
}

// split are the words of a text in lower case; a name with dots, dashes or underscores is one.
func split(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._:/-", r)
	})
	var out []string
	for _, w := range words {
		if w = strings.Trim(w, "._:/-"); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// plain is a text as its words, with a space around each, so that a phrase is found whole.
func plain(text string) string { return joined(split(text)) }

func joined(words []string) string { return " " + strings.Join(words, " ") + " " }
