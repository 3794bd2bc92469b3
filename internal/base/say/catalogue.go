package say

import (
	"embed"
	"path"
	"slices"
	"sort"
	"strings"
)

// The catalogs are gettext files: one a language, read with the tools that
// translators have, each entry with the English that it was made from (msgid) and
// the translation (msgstr).
//
//go:embed catalogue/*.po
var files embed.FS

// English is the language that the program itself is written in.
const English = "en"

// Catalogue is the texts of one language; nil is English. A translation belongs to one English text, letter for letter:
// when that text is edited, English is shown until the translation is revised. An old translation under a new text
// could name another number, or another command.
type Catalogue struct {
	Lang    string
	Entries []Entry
	of      map[string]*Entry // by their English
}

// Entry is one translated text.
type Entry struct {
	English string   // what was translated
	Many    string   // of a message about a number: its other English form
	Forms   []string // one, or as many as the language has plural forms
	Line    int      // in the file
	In      []string // the packages that say it, for WritePO
}

// plurals is the rule of a language, as Unicode CLDR has it for whole numbers,
// and its spelling in the head of a gettext file.
type plurals struct {
	forms int
	head  string
	of    func(n int64) int
}

var pluralsOf = map[string]plurals{
	"fr": {2, "nplurals=2; plural=(n > 1);", func(n int64) int {
		if n > 1 {
			return 1
		}
		return 0
	}},
	"ru": {3, "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);",
		func(n int64) int {
			switch one, ten := n%10, n%100; {
			case one == 1 && ten != 11:
				return 0
			case one >= 2 && one <= 4 && (ten < 12 || ten > 14):
				return 1
			}
			return 2
		}},
}

// Languages returns the languages that there are texts of, English among them,
// sorted.
func Languages() []string {
	out := []string{English}
	list, _ := files.ReadDir("catalogue") // embedded: it is there
	for _, f := range list {
		out = append(out, strings.TrimSuffix(f.Name(), ".po"))
	}
	sort.Strings(out)
	return out
}

// complete are the languages that have every text of the program, as far as people see it. A locale chooses only
// among these; a test of internal/gen/words holds that their catalogs lack nothing.
var complete = []string{"fr", "ru"}

// Complete reports whether a language has every text of the program.
func Complete(lang string) bool { return lang == English || slices.Contains(complete, lang) }

// PluralForms is how many forms a message about a number has.
func (c *Catalogue) PluralForms() int { return pluralsOf[c.Lang].forms }

// Open returns the catalog of a language; nil for English. The error is a fault of the file, which a test of this
// package finds first.
func Open(lang string) (*Catalogue, error) {
	if lang == English {
		return nil, nil
	}
	text, err := files.ReadFile(path.Join("catalogue", lang+".po"))
	if err != nil {
		return nil, err
	}
	return ReadCatalogue(lang, string(text))
}

// LanguageOf returns the language that the environment asks for: the first that is set of LC_ALL, LC_MESSAGES and LANG,
// as POSIX orders them. It is English if that names none, or one that is not complete.
func LanguageOf(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v := getenv(name)
		if v == "" {
			continue
		}
		lang, _, _ := strings.Cut(v, ".") // fr_FR.UTF-8, fr_FR@euro
		lang, _, _ = strings.Cut(lang, "@")
		lang, _, _ = strings.Cut(lang, "_")
		lang = strings.ToLower(lang)
		for _, l := range Languages() {
			if l == lang && Complete(l) {
				return l
			}
		}
		return English
	}
	return English
}

// Text returns the translation of a text without placeholders, or the English.
func (c *Catalogue) Text(english string) string {
	if e := c.entry(english); e != nil {
		return e.Forms[0]
	}
	return english
}

func (c *Catalogue) entry(english string) *Entry {
	if c == nil {
		return nil
	}
	return c.of[english]
}

// template returns the template of a message that fits its number.
func (c *Catalogue) template(m Message) string {
	e := c.entry(m.Text)
	switch {
	case e != nil && m.Many == "" && e.Many == "":
		return e.Forms[0]
	case e != nil && m.Many == e.Many && m.Many != "":
		return e.Forms[pluralsOf[c.Lang].of(max(m.N, -m.N))]
	case m.Many != "" && m.N != 1:
		return m.Many
	}
	return m.Text
}
