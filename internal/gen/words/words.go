// Package words finds every text that pgfettle can say to a person, with its id,
// so that the catalogues of other languages can be compared with them. Words that
// stand in the literals of checks and rules are asked of the program itself; the
// templates of what was seen, of reasons and of the faces are read from the
// source, because they stand where they are used.
package words

import (
	"io/fs"
	"slices"
	"sort"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// Text is one English text with the id of its message.
type Text struct {
	ID      string
	English string
	Many    string // of a message about a number
}

// Kind is the sort of text that people count: "check/title", "rule/reason", "show".
func (t Text) Kind() string {
	first, rest, _ := strings.Cut(t.ID, "/")
	if first == "show" || first == "value" {
		return first
	}
	last := rest[strings.LastIndexByte(rest, '/')+1:]
	if strings.HasPrefix(last, "{") {
		last = "argument"
	}
	return first + "/" + last
}

// values are what arguments of any message may be, with a number for {n}: the
// words of Span, Count and PercentOf in judge/check/words.go, and parts and counts
// that several rules tell.
var values = []string{"{n} s", "{n} min", "{n} h", "{n} days", "{n} million", "{n} billion", "{n} workers",
	"an unknown share", "a sixteenth", "an eighth"}

// folders are where templates stand, below the root of the checkout: each list is read as
// one package, as a check says its texts through the helpers of the engine.
var folders = [][]string{
	{"internal/judge/check", "internal/judge/check/*", "internal/judge/checks/*"},
	{"internal/judge/conffile"}, {"internal/judge/rule", "internal/judge/sizing", "internal/judge/rules/*"},
	{"internal/show/document"}, {"internal/show/outline"}, {"internal/show/outline/pages"},
	{"internal/show/outline/reports"},
	{"internal/show/cli"}, {"internal/show/html"}, {"internal/show/web"},
}

// All returns every text of the checkout, sorted by id and English, and the
// places of templates that cannot be read from the source: those are shown in
// English.
func All(checkout fs.FS) (texts []Text, unread []string, err error) {
	for _, c := range append(checks.All(), conffile.Kinds()...) {
		id := "check/" + c.ID
		texts = append(texts, Text{ID: id + "/title", English: c.Title}, Text{ID: id + "/why", English: c.Why},
			Text{ID: id + "/do", English: c.Do})
	}
	for _, r := range rules.All() {
		id := "rule/" + string(r.Address)
		texts = append(texts, Text{ID: id + "/title", English: r.Title}, Text{ID: id + "/why", English: r.Why},
			Text{ID: id + "/formula", English: r.Formula})
	}
	for _, v := range values {
		texts = append(texts, Text{ID: "value", English: v})
	}
	for _, dir := range folders {
		found, not, err := inFolder(checkout, dir)
		if err != nil {
			return nil, nil, err
		}
		texts, unread = append(texts, found...), append(unread, not...)
	}
	texts = slices.DeleteFunc(texts, func(t Text) bool { return strings.TrimSpace(t.English) == "" })
	sort.Slice(texts, func(i, j int) bool { return sortsBefore(texts[i], texts[j]) })
	return slices.Compact(texts), unread, nil
}

func sortsBefore(a, b Text) bool {
	if a.ID != b.ID {
		return a.ID < b.ID
	}
	return a.English < b.English
}

// Report is how a catalogue stands to the texts of the program.
type Report struct {
	Missing []Text      // not translated: English is shown
	Stale   []say.Entry // made from an English text that has been edited since: English is shown
	Unknown []say.Entry // of an id that no text has
	Wrong   []say.Entry // with other placeholders than its English text
	Done    map[string]int
	Of      map[string]int // by kind
}

// Compare sets a catalogue against all texts.
func Compare(c *say.Catalogue, texts []Text) Report {
	r := Report{Done: map[string]int{}, Of: map[string]int{}}
	ids, has, done := map[string]bool{}, map[Text]bool{}, map[Text]bool{}
	for _, t := range texts {
		ids[t.ID], has[t] = true, true
		r.Of[t.Kind()]++
	}
	for _, e := range c.Entries {
		t := Text{e.ID, e.English, e.Many}
		switch {
		case !ids[e.ID]:
			r.Unknown = append(r.Unknown, e)
			continue
		case !has[t]:
			r.Stale = append(r.Stale, e)
		default:
			done[t] = true
			r.Done[t.Kind()]++
		}
		for _, f := range e.Forms {
			if !slices.Equal(say.Placeholders(f), say.Placeholders(e.English+e.Many)) {
				r.Wrong = append(r.Wrong, e)
				break
			}
		}
	}
	for _, t := range texts {
		if !done[t] {
			r.Missing = append(r.Missing, t)
		}
	}
	return r
}
