// Package say holds text for people: messages with an English form and named arguments, and the catalog of sources that
// the messages depend on.
//
// A message keeps its arguments apart from its words, so another language is a
// file of English → template and needs no code. Placeholders are {name}.
package say

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Template is an English text with {name} placeholders, as it is in the source: always a constant, so that all that
// there are can be listed and translated. Only this package makes one of a string that is not.
type Template string

// Message is one sentence or paragraph for a person. In JSON it is its text, a
// string; one that was read from JSON has its text and no arguments.
type Message struct {
	Text string         // the English template
	Many string         // of N: the English template for any number but one
	N    int64          // of N: the number that chooses the form
	Args map[string]any // Message, List, Span, Number, unit.Bytes and numbers follow the language; others stay

	About string // an address, or another name, that the message is about; "" for none. It is not in the text.

	names      []string  // of Args, in the order in which they were given
	parts      []Message // of All
	sep        string
	literal    bool   // a text without a template
	translated string // what String returns instead of the English; "" for English
}

// Text is a message with a literal text, such as one that was read from a document: no catalog has a translation of it.
func Text(s string) Message { return Message{Text: s, literal: true} }

// Verbatim is a message that is a text as it stands, but in the language of a catalog if that has the text, word for
// word, of another message without arguments.
func Verbatim(s string) Message { return Message{Text: s, literal: strings.Contains(s, "{")} }

// M builds a message from alternating names and values:
// say.M("{used} of {all}", "used", 3, "all", 10). It panics on an odd
// list, which only a wrong program text can produce.
func M(text Template, pairs ...any) Message {
	if len(pairs)%2 != 0 {
		panic("say.M: " + string(text) + ": odd number of names and values")
	}
	m := Message{Text: string(text)}
	if len(pairs) > 0 {
		m.Args = make(map[string]any, len(pairs)/2)
	}
	for i := 0; i < len(pairs); i += 2 {
		m.set(pairs[i].(string), pairs[i+1])
	}
	return m
}

func (m *Message) set(name string, v any) {
	if _, ok := m.Args[name]; !ok {
		m.names = append(m.names, name)
	}
	m.Args[name] = v
}

// Names returns the names of the arguments, in the order in which they were given.
func (m Message) Names() []string { return m.names }

// Templates returns the English templates that the text is made of: one, or those of All.
func (m Message) Templates() []string {
	if len(m.parts) == 0 {
		return []string{m.Text}
	}
	var out []string
	for _, p := range m.parts {
		out = append(out, p.Templates()...)
	}
	return out
}

// N builds a message about a number of things, which chooses between the two
// English templates, or among as many as another language has. {n} is the number.
func N[I int | int64](n I, one, many Template, pairs ...any) Message {
	m := M(one, append(pairs, "n", n)...)
	m.Many, m.N = string(many), int64(n)
	return m
}

// All is several messages as one: whole clauses with sep between them ("; "), or sentences
// with a space. Those that say nothing are not among them. Its arguments are those of all.
func All(sep string, list ...Message) Message {
	var m Message
	for _, p := range list {
		if p.IsZero() {
			continue
		}
		m.parts = append(m.parts, p)
		if m.Args == nil && len(p.names) > 0 {
			m.Args = map[string]any{}
		}
		for _, name := range p.names {
			m.set(name, p.Args[name])
		}
	}
	if len(m.parts) == 1 {
		return m.parts[0]
	}
	m.sep = sep
	return m
}

// marks are what may stand between clauses, which a language may set apart from the text before.
var marks = []Template{":", ";"}

// separator is what stands between clauses in the language of a catalog.
func (c *Catalogue) separator(sep string) string {
	mark := strings.TrimSuffix(sep, " ")
	if !slices.Contains(marks, Template(mark)) {
		return sep
	}
	return c.Text(mark) + sep[len(mark):]
}

// IsZero reports whether there is nothing to say.
func (m Message) IsZero() bool { return m.Text == "" && len(m.parts) == 0 }

// String returns the text with its arguments filled in: in English, or in the
// language that Translated chose.
func (m Message) String() string {
	if m.translated != "" {
		return m.translated
	}
	return m.English()
}

// English returns the English text with its arguments filled in.
func (m Message) English() string { return m.In(nil) }

// Translated returns the message with its text in the language of a catalog, which
// String and JSON then have. Its English stays known.
func (m Message) Translated(c *Catalogue) Message {
	if c != nil {
		m.translated = m.In(c)
	}
	return m
}

// Equal reports whether two messages read the same.
func (m Message) Equal(o Message) bool { return m.String() == o.String() }

// MarshalText writes the text.
func (m Message) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a text, as Text.
func (m *Message) UnmarshalText(b []byte) error {
	*m = Text(string(b))
	return nil
}

// In returns the text in the language of the catalog; English if the catalog is nil or does not have it.
func (m Message) In(c *Catalogue) string {
	switch {
	case len(m.parts) > 0:
		list := make([]string, len(m.parts))
		for i, p := range m.parts {
			list[i] = p.In(c)
		}
		return strings.Join(list, c.separator(m.sep))
	case m.literal:
		return m.Text
	}
	t := c.template(m)
	if !strings.Contains(t, "{") {
		return t
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(t, '{')
		j := strings.IndexByte(t, '}')
		if i < 0 || j < i {
			b.WriteString(t)
			return b.String()
		}
		b.WriteString(t[:i])
		if v, ok := m.Args[t[i+1:j]]; ok && v != nil {
			b.WriteString(argument(v, c))
		} else {
			b.WriteString(t[i : j+1])
		}
		t = t[j+1:]
	}
}

// Fill returns a text that no language changes, such as a command, with arguments filled in.
func Fill(text string, args map[string]any) string { return Message{Text: text, Args: args}.In(nil) }

// argument returns a value in the language of a catalog. A string is a name, a value, or a foreign text, and stays.
func argument(v any, c *Catalogue) string {
	switch v := v.(type) {
	case speaker: // Message, List, Span, Number
		return v.In(c)
	case string:
		return oneLine(v)
	case []byte: // of a server's answer
		return oneLine(string(v))
	case error:
		return ErrorIn(v, c)
	case unit.Bytes, int, int64, float64:
		return c.number(show(v))
	}
	return show(v)
}

// Value returns a name, a value or an amount as a message of the language has it: for a cell of a table, which is no
// sentence.
func (c *Catalogue) Value(v any) string { return argument(v, c) }

// speaker is what a language changes.
type speaker interface{ In(c *Catalogue) string }

// oneLine spells out what would break a line: an argument may be a name that any user has chosen, and the text after
// the break would pass for our words.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\n\r\v\f\u0085\u2028\u2029") {
		return s
	}
	return breaks.Replace(s)
}

var breaks = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\v", `\v`, "\f", `\f`, "\u0085", `\u0085`, "\u2028", `\u2028`,
	"\u2029", `\u2029`)

// Placeholders returns the sorted names that a template uses.
func Placeholders(t string) []string {
	seen := map[string]bool{}
	for {
		i := strings.IndexByte(t, '{')
		if i < 0 {
			break
		}
		j := strings.IndexByte(t[i:], '}')
		if j < 0 {
			break
		}
		seen[t[i+1:i+j]] = true
		t = t[i+j+1:]
	}
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// Spell returns a value as messages show it.
func Spell(v any) string { return show(v) }

func show(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int:
		return thousands(int64(v))
	case int64:
		return thousands(v)
	}
	return fmt.Sprint(v)
}

// thousands groups digits from five on, so that 8337 stays and 100000 is 100,000.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	if len(s) > 4 {
		var b strings.Builder
		for i, c := range s {
			if i > 0 && (len(s)-i)%3 == 0 {
				b.WriteByte(',')
			}
			b.WriteRune(c)
		}
		s = b.String()
	}
	if neg {
		return "-" + s
	}
	return s
}

// Strings returns the texts of messages.
func Strings(list []Message) []string {
	out := make([]string, len(list))
	for i, m := range list {
		out[i] = m.String()
	}
	return out
}

// AllIn returns messages with their texts in the language of a catalog, as Translated.
func AllIn(list []Message, c *Catalogue) []Message {
	out := make([]Message, len(list))
	for i, m := range list {
		out[i] = m.Translated(c)
	}
	return out
}
