package say

import (
	"fmt"
	"strconv"
	"strings"
)

// ReadCatalogue reads the gettext file of a language: the strict part of the
// format that the files of this program use. Each entry has msgid,
// perhaps msgid_plural, and msgstr in all forms; texts may go over several quoted
// lines; lines with # are for translators. The error names the line.
func ReadCatalogue(lang, text string) (*Catalogue, error) {
	rule, ok := pluralsOf[lang]
	if !ok {
		return nil, fmt.Errorf("%s.po: the plural forms of this language are not known here", lang)
	}
	r := &reader{c: &Catalogue{Lang: lang, of: map[string]*Entry{}}, rule: rule}
	for i, line := range strings.Split(text, "\n") {
		r.line = i + 1
		if err := r.read(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("%s.po:%d: %w", lang, r.line, err)
		}
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("%s.po:%d: %w", lang, r.line, err)
	}
	if !r.headSeen {
		return nil, fmt.Errorf("%s.po: no head with the plural forms", lang)
	}
	for i := range r.c.Entries {
		e := &r.c.Entries[i]
		if first := r.c.of[e.English]; first != nil {
			return nil, fmt.Errorf("%s.po:%d: %q is in line %d too", lang, e.Line, e.English, first.Line)
		}
		r.c.of[e.English] = e
	}
	return r.c, nil
}

// reader collects one entry after the other.
type reader struct {
	c        *Catalogue
	rule     plurals
	line     int
	now      Entry
	into     *string // what a further quoted line belongs to
	headSeen bool
}

func (r *reader) read(line string) error {
	switch {
	case line == "":
		return r.end()
	case line[0] == '#':
		return nil
	case line[0] == '"':
		if r.into == nil {
			return fmt.Errorf("a text that belongs to nothing")
		}
		return r.add(line)
	}
	key, rest, _ := strings.Cut(line, " ")
	if r.now.Line == 0 {
		r.now.Line = r.line
	}
	switch {
	case key == "msgid":
		r.into = &r.now.English
	case key == "msgid_plural":
		r.into = &r.now.Many
	case key == "msgstr" || key == fmt.Sprintf("msgstr[%d]", len(r.now.Forms)):
		r.now.Forms = append(r.now.Forms, "")
		r.into = &r.now.Forms[len(r.now.Forms)-1]
	default:
		return fmt.Errorf("%q is not known here", key)
	}
	if *r.into != "" {
		return fmt.Errorf("%s stands twice in one entry", key)
	}
	return r.add(strings.TrimSpace(rest))
}

func (r *reader) add(quoted string) error {
	s, err := strconv.Unquote(quoted)
	if err != nil || quoted[0] != '"' {
		return fmt.Errorf("not a quoted text: %s", quoted)
	}
	*r.into += s
	return nil
}

// end closes an entry.
func (r *reader) end() error {
	e := r.now
	r.now, r.into = Entry{}, nil
	if e.Line == 0 {
		return nil
	}
	if e.English == "" && len(e.Forms) == 1 {
		if !strings.Contains(e.Forms[0], "\nPlural-Forms: "+r.rule.head+"\n") {
			return fmt.Errorf("the head must have Plural-Forms: %s", r.rule.head)
		}
		r.headSeen = true
		return nil
	}
	want := 1
	if e.Many != "" {
		want = r.rule.forms
	}
	if len(e.Forms) != want {
		return fmt.Errorf("%q: %d forms, where there must be %d", e.English, len(e.Forms), want)
	}
	for _, text := range append([]string{e.English}, e.Forms...) {
		if strings.TrimSpace(text) == "" {
			return fmt.Errorf("%q: an empty text", e.English)
		}
	}
	r.c.Entries = append(r.c.Entries, e)
	return nil
}

// WritePO returns the entries as a gettext file of the language, in the order in
// which they are given.
func WritePO(lang string, entries []Entry) string {
	var b strings.Builder
	b.WriteString("msgid \"\"\nmsgstr \"\"\n")
	for _, h := range []string{"Language: " + lang, "MIME-Version: 1.0", "Content-Type: text/plain; charset=UTF-8",
		"Content-Transfer-Encoding: 8bit", "Plural-Forms: " + pluralsOf[lang].head} {
		b.WriteString(quotePO(h+"\n") + "\n")
	}
	for _, e := range entries {
		b.WriteByte('\n')
		if len(e.In) > 0 {
			b.WriteString("#: " + strings.Join(e.In, " ") + "\n")
		}
		b.WriteString("msgid " + quotePO(e.English) + "\n")
		if e.Many == "" {
			b.WriteString("msgstr " + quotePO(e.Forms[0]) + "\n")
			continue
		}
		b.WriteString("msgid_plural " + quotePO(e.Many) + "\n")
		for i, f := range e.Forms {
			b.WriteString("msgstr[" + strconv.Itoa(i) + "] " + quotePO(f) + "\n")
		}
	}
	return b.String()
}

func quotePO(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}
