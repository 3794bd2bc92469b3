// Package say holds text for people: messages with an id, an English form and
// named arguments, and the catalogue of sources that the messages rest on.
//
// A message keeps its arguments apart from its words, so another language is a
// file of id and English → template and needs no code. Placeholders are {name}.
package say

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Message is one sentence or paragraph for a person. In JSON it is its text, a
// string; one that was read from JSON has its text and no arguments.
type Message struct {
	ID   string         // such as "check/huge_pages_short/seen"; unique among templates
	Text string         // the English template, with {name} placeholders
	Many string         // of N: the English template for any number but one
	N    int64          // of N: the number that chooses the form
	Args map[string]any // values; Message, fmt.Stringer, string, bool, integers and floats

	translated string // what String returns instead of the English; "" for English
}

// Text is a message that is a text as it stands, such as one that was read from a
// document: no catalog has a translation of it.
func Text(s string) Message { return Message{Text: s} }

// M builds a message from alternating names and values:
// say.M("seen", "{used} of {all}", "used", 3, "all", 10). It panics on an odd
// list, which only a wrong program text can produce.
func M(id, text string, pairs ...any) Message {
	if len(pairs)%2 != 0 {
		panic("say.M: " + id + ": odd number of names and values")
	}
	m := Message{ID: id, Text: text}
	if len(pairs) > 0 {
		m.Args = make(map[string]any, len(pairs)/2)
	}
	for i := 0; i < len(pairs); i += 2 {
		m.Args[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

// IsZero says whether there is nothing to say.
func (m Message) IsZero() bool { return m.Text == "" }

// N builds a message about a number of things, which chooses between the two
// English templates, or among as many as another language has. {n} is the number.
func N(id string, n int64, one, many string, pairs ...any) Message {
	m := M(id, one, append(pairs, "n", n)...)
	m.Many, m.N = many, n
	return m
}

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

// Equal says whether two messages read the same.
func (m Message) Equal(o Message) bool { return m.String() == o.String() }

// MarshalText writes the text.
func (m Message) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a text, as Text.
func (m *Message) UnmarshalText(b []byte) error {
	*m = Text(string(b))
	return nil
}

// In returns the text in the language of the catalogue; English where the
// catalogue is nil or does not have it. Arguments that are words themselves are
// told in that language too, where the catalogue has them.
func (m Message) In(c *Catalogue) string {
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
		name := t[i+1 : j]
		switch v := m.Args[name].(type) {
		case nil:
			b.WriteString(t[i : j+1])
		case Message:
			b.WriteString(v.In(c))
		case string:
			b.WriteString(oneLine(c.value(ArgID(m.ID, name), v)))
		default:
			b.WriteString(show(v))
		}
		t = t[j+1:]
	}
}

// oneLine spells out what would break a line: an argument may be a name that any
// user has chosen, and what stands behind the break would pass for our words.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\n\r\v\f\u0085\u2028\u2029") {
		return s
	}
	return breaks.Replace(s)
}

var breaks = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\v", `\v`, "\f", `\f`, "\u0085", `\u0085`, "\u2028", `\u2028`,
	"\u2029", `\u2029`)

// ArgID is the id under which a catalogue holds the words that an argument of a
// message may be: those of all templates of one check are told alike.
func ArgID(id, name string) string {
	if i := strings.LastIndexByte(id, '/'); i >= 0 {
		id = id[:i]
	}
	return id + "/{" + name + "}"
}

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
