// Package gapwords recognizes the reasons of unknown facts, and what would reveal them, and the notes of experiments,
// when they are shown. Evidence and JSON hold them as English text, which stays as it was written. What a person reads
// is that text again as a message of its template, and so in the language of the reader. A text that no template fits
// is shown as it is: it is a server's, a kernel's, or one of another version of pgfettle.
package gapwords

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

const (
	longest = 2000 // bytes of a text that is examined: ours have some hundred, a server's message may have more
	deepest = 3    // reasons within reasons: a problem, the error in it, and the system's word for that
	joints  = 6    // places at which a text may be two texts: a path and an address have ": " too, and time is bounded
)

// An error that is no message of ours is recognized if a message names it.
func init() { say.Recognize(Of) }

// Of returns an English text as a message that reads the same in English.
func Of(english string) say.Message { return of(english, 0) }

// Arg returns an English text as the argument of a message, which breaks no line.
func Arg(english string) any {
	if !strings.ContainsAny(english, "\n\r\v\f\u0085\u2028\u2029") {
		return Of(english)
	}
	if list, ok := byLine(english, 0); ok && !strings.ContainsAny(english, "\r\v\f\u0085\u2028\u2029") {
		return say.List{Items: list, Sep: `\n`}
	}
	return english // the message spells them out
}

// byLine returns the messages of a text of several lines, as errors have that are joined.
func byLine(text string, depth int) ([]say.Message, bool) {
	lines := strings.Split(text, "\n")
	if len(lines) < 2 || len(lines) > joints || slices.Contains(lines, "") {
		return nil, false
	}
	out := make([]say.Message, len(lines))
	for i, line := range lines {
		out[i] = of(line, depth+1)
	}
	return out, true
}

// In returns an English text in the language of a catalog.
func In(c *say.Catalogue, english string) string {
	if c == nil {
		return english
	}
	return Of(english).In(c)
}

// OfError is the text of an error as a message: its own words, or those of an operating system if they are known.
func OfError(err error) say.Message {
	if say.Speaks(err) {
		return say.OfError(err)
	}
	return Of(err.Error())
}

// Gaps returns gaps with their reasons, and what would reveal them, in the language of a catalog.
func Gaps(c *say.Catalogue, list []known.Gap) []known.Gap {
	if c == nil {
		return list
	}
	out := slices.Clone(list)
	for i, g := range out {
		out[i].Reason, out[i].Reveal = In(c, g.Reason), In(c, g.Reveal)
	}
	return out
}

// Has reports whether there is a template for a text.
func Has(english string) bool {
	_, ok := recognized(english, 0)
	return ok
}

func of(text string, depth int) say.Message {
	if len(text) > longest || depth > deepest {
		return say.Text(text)
	}
	if list, ok := byLine(text, depth); ok {
		return say.All("\n", list...)
	}
	if m, ok := recognized(text, depth); ok {
		return m
	}
	if m, ok := inTwo(text, depth); ok {
		return m
	}
	return say.Verbatim(text)
}

// inTwo treats a text as a message and its detail, as an error joins them, if either is recognized.
func inTwo(text string, depth int) (say.Message, bool) {
	from := 0
	for range joints {
		i := strings.Index(text[from:], ": ")
		if i < 0 {
			break
		}
		first, second := text[:from+i], text[from+i+2:]
		from += i + 2
		a, ok := recognized(first, depth+1)
		b, both := recognized(second, depth+1)
		if !ok && !both || first == "" || second == "" {
			continue
		}
		if !ok {
			a = say.Text(first)
		}
		if !both {
			b = of(second, depth+1)
		}
		m := say.M("{fact}: {reason}", "fact", a, "reason", b)
		if m.English() == text {
			return m, true
		}
	}
	return say.Message{}, false
}

// recognized returns the message of the first template that the text may be made of.
func recognized(text string, depth int) (say.Message, bool) {
	if len(text) > longest || depth > deepest {
		return say.Message{}, false
	}
	all := read()
	if t, ok := all.whole[text]; ok {
		return say.M(t), true
	}
	for _, p := range all.open {
		parts, ok := p.match(text)
		if !ok {
			continue
		}
		pairs := make([]any, 0, 2*len(parts))
		for i, part := range parts {
			v, fits := valueOf(p.names[i], part, depth)
			if ok = ok && fits; ok {
				pairs = append(pairs, p.names[i], v)
			}
		}
		if !ok {
			continue
		}
		if m := say.M(p.text, pairs...); m.English() == text {
			return m, true
		}
	}
	return say.Message{}, false
}

// valueOf returns the value of a placeholder as an argument that follows the language, and whether it is valid there.
func valueOf(name, part string, depth int) (any, bool) {
	switch {
	case name == "reason":
		return of(part, depth+1), true
	case name == "time":
		d, err := time.ParseDuration(part)
		return say.Duration(d), err == nil
	case name == "account" || name == "owner":
		if uid, ok := strings.CutPrefix(part, "user "); ok {
			return say.M("user {uid}", "uid", uid), true
		}
	case name == "word": // of short texts, which what others say may begin with
		return part, !strings.Contains(part, " ")
	case name == "path" || name == "dir":
		return part, strings.HasPrefix(part, "/")
	case slices.Contains(amounts, name):
		figure, _, _ := strings.Cut(part, " ")
		return say.Number(part), strings.Trim(figure, "0123456789.,e+") == ""
	case name == "span":
		return spanOf(part)
	}
	if s, err := strconv.Unquote(part); err == nil && part[0] == '"' && say.Quoted(s).String() == part {
		return say.Quoted(s), true
	}
	return part, true
}

// amounts are the placeholders for a number, perhaps with its unit.
var amounts = []string{"n", "most", "days", "size", "limit", "free", "spare", "share", "count"}

// span is a duration in its units: "1 h", "20 min".
type span []say.Number

// spanOf reads one, and reports whether it is one.
func spanOf(text string) (span, bool) {
	words := strings.Fields(text)
	var out span
	for ; len(words) > 1; words = words[2:] {
		if strings.Trim(words[0], "0123456789") != "" {
			return nil, false
		}
		out = append(out, say.Number(words[0]+" "+words[1]))
	}
	return out, len(words) == 0 && len(out) > 0
}

func (s span) String() string { return s.In(nil) }

// In returns it in the language of a catalog.
func (s span) In(c *say.Catalogue) string {
	parts := make([]string, len(s))
	for i, n := range s {
		parts[i] = n.In(c)
	}
	return strings.Join(parts, " ")
}

// template is a text with placeholders, in its parts.
type template struct {
	text  say.Template
	words []string // before, between and behind the placeholders
	names []string
	own   int // bytes of words
}

// match returns the value of each placeholder, each as short as possible. It is linear in the text.
func (t *template) match(text string) ([]string, bool) {
	last := t.words[len(t.words)-1]
	rest, ok := strings.CutPrefix(text, t.words[0])
	if !ok {
		return nil, false
	}
	if rest, ok = strings.CutSuffix(rest, last); !ok {
		return nil, false
	}
	parts := make([]string, 0, len(t.names))
	for _, w := range t.words[1 : len(t.words)-1] {
		part, after, found := strings.Cut(rest, w)
		if !found || part == "" {
			return nil, false
		}
		parts, rest = append(parts, part), after
	}
	return append(parts, rest), rest != ""
}

type templates struct {
	whole map[string]say.Template
	// those that begin with text of their own first, as others would take it for a name: "malformed: x is not a
	// number"; and then the most text first
	open []*template
}

// kinds are all templates.
var kinds = [][]say.Template{files, ofHost, ofInstances, answers, connections, logs, measurements, probing,
	measuredTexts,
	refusals, facts, events, planFacts, steps, ofValues, ofServers, ofCreation, ofWriting, ofPrograms, ofStored,
	damage, moves, exercises, reveals, systems, malformed, disturbances,
	notes, pasted,
	statements}

var read = sync.OnceValue(func() *templates {
	all := &templates{whole: map[string]say.Template{}}
	for _, list := range kinds {
		for _, t := range list {
			if p := parts(t); len(p.names) > 0 {
				all.open = append(all.open, p)
			} else {
				all.whole[string(t)] = t
			}
		}
	}
	slices.SortStableFunc(all.open, func(a, b *template) int {
		if begins := len(a.words[0]) > 0; begins != (len(b.words[0]) > 0) {
			return map[bool]int{true: -1, false: 1}[begins]
		}
		return b.own - a.own
	})
	return all
})

func parts(t say.Template) *template {
	p := &template{text: t}
	rest := string(t)
	for {
		before, after, ok := strings.Cut(rest, "{")
		name, behind, closed := strings.Cut(after, "}")
		if !ok || !closed {
			break
		}
		p.words, p.names, rest = append(p.words, before), append(p.names, name), behind
		p.own += len(before)
	}
	p.words = append(p.words, rest)
	p.own += len(rest)
	return p
}

// capital is a message that begins a sentence, in every language.
type capital struct{ say.Message }

// Capital returns an English text as an argument that begins a sentence.
func Capital(english string) any { return capital{Of(english)} }

// In returns it in the language of a catalog.
func (t capital) In(c *say.Catalogue) string {
	s := t.Message.In(c)
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
