package advice

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/docs/pages"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// In returns the page in the language of a catalog. It stays in English if there is no translation, or if that was made
// from another English text: an old translation could name another number or another command. p is in English.
func (p Page) In(c *say.Catalogue) Page {
	if c == nil {
		return p
	}
	if t, err := translation(pages.Files, c.Lang, p.ID); err == nil && t.of == p.Hash() {
		return t.over(p)
	}
	return p
}

// Hash identifies the English text that a translation is made from: everything of the page
// that a translation may replace.
func (p Page) Hash() string {
	texts := append([]string{p.Title, p.Read, p.Since, p.Until, p.Verify}, p.Text...)
	sum := sha256.Sum256([]byte(strings.Join(texts, "\n")))
	return hex.EncodeToString(sum[:4]) // enough to distinguish two versions of one page
}

// translated is a translation as its file has it: the texts, and the hash of the English page.
type translated struct {
	Page
	of string
}

// over returns a page with the texts of its translation; what that omits stays.
func (t translated) over(p Page) Page {
	for to, text := range map[*string]string{
		&p.Title: t.Title, &p.Read: t.Read, &p.Since: t.Since, &p.Until: t.Until, &p.Verify: t.Verify} {
		if text != "" {
			*to = text
		}
	}
	p.Text = t.Text
	return p
}

// translation reads LANG/ID.md, which is written as a page is. Its front matter has "of", the hash of the English page,
// then the title and what else is translated of read, since, until and verify. The error is fs.ErrNotExist if there is
// no such file, else it names the line.
func translation(folder fs.FS, lang, id string) (translated, error) {
	name := path.Join(lang, id+".md")
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return translated{}, err
	}
	var t translated
	words := map[string]*string{"of": &t.of, "title": &t.Title, "read": &t.Read, "since": &t.Since,
		"until": &t.Until, "verify": &t.Verify}
	var line int
	t.Text, line, err = parse(string(text), func(name, value string) error { return setWord(words, name, value) })
	if err == nil && (t.of == "" || t.Title == "" || len(t.Text) == 0) {
		line, err = 1, errors.New("a translation has of, a title, and a text")
	}
	if err != nil {
		return translated{}, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return t, nil
}

// Translations is how far the translation of the pages into a language is.
type Translations struct {
	Done    int
	Missing []Page  // without a translation
	Stale   []Page  // whose English text was edited since
	Wrong   []error // files that cannot be read, or belong to no page
}

// TranslationsOf compares the translations in the directory of a language with the pages.
func TranslationsOf(folder fs.FS, lang string, english []Page) Translations {
	var out Translations
	files, err := fs.Glob(folder, path.Join(lang, "*.md"))
	if err != nil {
		out.Wrong = append(out.Wrong, err)
	}
	for _, p := range english {
		files = slices.DeleteFunc(files, func(f string) bool { return f == path.Join(lang, p.ID+".md") })
		switch t, err := translation(folder, lang, p.ID); {
		case errors.Is(err, fs.ErrNotExist):
			out.Missing = append(out.Missing, p)
		case err != nil:
			out.Wrong = append(out.Wrong, err)
		case t.of != p.Hash():
			out.Stale = append(out.Stale, p)
		default:
			out.Done++
		}
	}
	for _, f := range files {
		out.Wrong = append(out.Wrong, fmt.Errorf("%s: there is no page of this name", f))
	}
	return out
}
