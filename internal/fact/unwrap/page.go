package unwrap

import (
	"bytes"
	"html"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// tag is a tag of HTML that carries text; no program prints one of these.
	tag = regex.New(`(?i)</?(?:pre|code|p|div|span|br|tr|td|th|li|ul|ol|table|tbody|thead|h[1-6]|b|i|em|strong|font|` +
		`a|tt|samp|body|html|blockquote|kbd)(?:\s[^<>]{0,300})?/?>`)
	breaks  = regex.New(`(?i)^<(?:br|/p|/div|/tr|/li|/h[1-6]|pre|/pre|p|/?blockquote)\b`)
	span    = regex.New(`(?i)</?span(?:\s[^<>]{0,300})?>`)
	cells   = regex.New(`(?i)^</?t[dh]\b`)
	tagSign = regex.New(`(?i)<br ?/?>|</?pre\b|</p>|</code>|<td\b|</span>|</div>`)
	entity  = regex.New(`&(?:quot|gt|lt|amp|nbsp|apos|rsquo|lsquo|ndash|micro|rarr|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});`)
	escaped = regex.New(`&(?:gt|lt|quot|#34|#39|#x27|nbsp|amp);`)
)

// leastSpans of a text are no accident.
const leastSpans = 3

// findPage finds the tags of a page, or of a piece of one, around lines that the reader knows.
func findPage(s *sample) cut {
	// A log quotes a page at times; a page around a log begins with a tag.
	if s.log() && (len(s.lines) == 0 || !tagSign.Match(s.lines[0]) && s.count(tagSign.Match) < len(s.lines)/2) ||
		!s.any(tagSign.Match) {
		return nil
	}
	return func(l line, out func(line)) {
		if ends(l) {
			return
		}
		text := l.text
		if bytes.IndexByte(text, '<') < 0 {
			out(l)
			return
		}
		var b []byte
		from, given := 0, false
		for _, at := range tag.Regexp().FindAllIndex(text, -1) {
			t := text[at[0]:at[1]]
			b = append(b, text[from:at[0]]...)
			from = at[1]
			switch {
			case breaks.Match(t):
				if len(bytes.TrimSpace(b)) > 0 {
					out(line{b, l.number})
					given = true
				}
				b = nil
			case cells.Match(t):
				b = append(b, ' ')
			}
		}
		if b = append(b, text[from:]...); !given || len(bytes.TrimSpace(b)) > 0 {
			out(line{b, l.number})
		}
	}
}

// findEntities finds a text that is written as the source of a page has it: what has to be escaped there is, wherever
// it stands.
func findEntities(s *sample) cut {
	n := s.count(escaped.Match)
	if n == 0 || s.log() && 10*n < len(s.lines) {
		return nil
	}
	// What is escaped in one place and not in another is no source of a page: XML, or a statement with an entity.
	if 2*s.count(func(l []byte) bool {
		return escaped.Match(l) && bytes.ContainsAny(bytes.TrimLeft(l, "> "), "<>")
	}) > n {
		return nil
	}
	return each(func(l []byte) []byte {
		if bytes.IndexByte(l, '&') < 0 || !entity.Match(l) {
			return l
		}
		return unblanked([]byte(html.UnescapeString(string(l))))
	})
}
