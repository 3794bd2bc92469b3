// Package words finds every text that pgfettle can say to a person, so that the catalogs of
// other languages can be compared with them. A text is a constant of the type say.Template:
// Go's own type checker finds them, wherever they are in the source. The texts in the literals
// of checks and rules, and those of the help, are asked of the program.
package words

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/docs/pages"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/cli"
)

// Text is one English text.
type Text struct {
	English string
	Many    string   // of a message about a number
	In      []string // the packages that say it, below internal/, sorted
}

// Kind is the room of the program that a text is counted with: "judge/checks", "show/cli".
func (t Text) Kind() string {
	parts := strings.Split(t.In[0], "/")
	return strings.Join(parts[:min(len(parts), 2)], "/")
}

// All returns every text of the checkout in a directory, sorted by package and English, and the places of templates
// that are not constants, which cannot be translated.
func All(checkout string) (texts []Text, loose []string, err error) {
	all, loose, err := templates(checkout, "./internal/...", "./cmd/...")
	if err != nil {
		return nil, nil, err
	}
	for _, c := range checks.All() {
		all.add("judge/checks", c.Title, c.Why, c.Do)
	}
	for _, c := range conffile.Kinds() {
		all.add("judge/conffile", c.Title, c.Why, c.Do)
	}
	for _, r := range rules.All() {
		all.add("judge/rules", r.Title, r.Why, r.Formula)
	}
	all.add("base/unit", unit.Faults()...)
	for _, t := range cli.HelpTexts() {
		all.add("show/cli", t)
	}
	for _, u := range rules.ReadNotPlanned() {
		all.add("judge/rules", u.Why)
	}
	return all.sorted(), loose, nil
}

// Pages returns how many pages of explain are in each language.
func Pages() map[string]int {
	english := advice.All()
	out := map[string]int{say.English: len(english)}
	for _, lang := range say.Languages() {
		if lang != say.English {
			out[lang] = advice.TranslationsOf(pages.Files, lang, english).Done
		}
	}
	return out
}

// found is the texts that were found, by their English in both forms.
type found map[[2]string]*Text

func (f found) add(in string, list ...string) {
	for _, english := range list {
		f.addBoth(in, english, "")
	}
}

func (f found) addBoth(in, english, many string) {
	if strings.TrimSpace(english) == "" {
		return
	}
	key := [2]string{english, many}
	if f[key] == nil {
		f[key] = &Text{English: english, Many: many}
	}
	if !slices.Contains(f[key].In, in) {
		f[key].In = append(f[key].In, in)
		slices.Sort(f[key].In)
	}
}

func (f found) sorted() []Text {
	out := make([]Text, 0, len(f))
	for _, t := range f {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b Text) int {
		return slices.Compare([]string{a.In[0], a.English, a.Many}, []string{b.In[0], b.English, b.Many})
	})
	return out
}

// Report is how a catalog stands to the texts of the program.
type Report struct {
	Missing []Text      // not translated: English is shown
	Unknown []say.Entry // made of an English text that is no longer there
	Wrong   []say.Entry // with other placeholders than its English text
	Done    map[string]int
	Of      map[string]int // by kind
}

// Compare sets a catalog against all texts.
func Compare(c *say.Catalogue, texts []Text) Report {
	r := Report{Done: map[string]int{}, Of: map[string]int{}}
	has, done := map[[2]string]Text{}, map[[2]string]bool{}
	for _, t := range texts {
		has[[2]string{t.English, t.Many}] = t
		r.Of[t.Kind()]++
	}
	for _, e := range c.Entries {
		key := [2]string{e.English, e.Many}
		t, ok := has[key]
		if !ok {
			r.Unknown = append(r.Unknown, e)
			continue
		}
		done[key] = true
		r.Done[t.Kind()]++
		for _, f := range e.Forms {
			if !slices.Equal(say.Placeholders(f), say.Placeholders(e.English+e.Many)) {
				r.Wrong = append(r.Wrong, e)
				break
			}
		}
	}
	for _, t := range texts {
		if !done[[2]string{t.English, t.Many}] {
			r.Missing = append(r.Missing, t)
		}
	}
	return r
}
