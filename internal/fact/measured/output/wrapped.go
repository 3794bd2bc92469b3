package output

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// tag is a tag of HTML that carries text of programs; no program prints one of these.
	tag = regex.New(`(?i)</?(?:pre|code|p|div|span|br|tr|td|th|li|ul|ol|table|tbody|thead|h[1-6]|b|i|em|strong|font|` +
		`a|tt|samp|body|html|blockquote|kbd)(?:\s[^<>]{0,300})?/?>`)
	breaks = regex.New(`(?i)^<(?:br|/p|/div|/tr|/li|/h[1-6]|pre|/pre|p)\b`)
	// fence is what forums and trackers put around a text: «[CODE]», «{noformat}», three backticks.
	fence = regex.New("(?i)\\[/?(?:code|pre|quote|spoiler|output)(?:=[^\\]]{0,60})?\\]|" +
		"\\{(?:code|noformat|quote)(?::[^}]{0,80})?\\}|(?:```|~~~)")
	language = regex.New(`^[\w+.-]{0,20}\s*$`)
	hunk     = regex.New(`^@@ .{1,80} @@`)
	diffed   = regex.New("^\\s*(?:```|~~~)\\s?diff\\b")
)

// decoded makes UTF-8 of UTF-16, which PowerShell writes into files.
func decoded(b []byte) []byte {
	if len(b) < 4 {
		return b
	}
	var order binary.ByteOrder
	switch {
	case b[0] == 0xFF && b[1] == 0xFE, b[1] == 0 && b[3] == 0 && b[0] != 0 && b[2] != 0:
		order = binary.LittleEndian
	case b[0] == 0xFE && b[1] == 0xFF, b[0] == 0 && b[2] == 0 && b[1] != 0 && b[3] != 0:
		order = binary.BigEndian
	default:
		return b
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		units = append(units, order.Uint16(b[i:]))
	}
	return []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\uFEFF"))
}

// untagged takes off tags of HTML, where the text is of a page.
func untagged(text string) string {
	if !holds(text, "<br", "<BR", "<pre", "<PRE", "</p>", "</code>", "<td", "</span>", "</div>") {
		return text
	}
	return tag.Regexp().ReplaceAllStringFunc(text, func(t string) string {
		switch {
		case breaks.MatchString(t):
			return "\n"
		case strings.HasPrefix(t, "<td"), strings.HasPrefix(t, "</td"), strings.HasPrefix(t, "<th"):
			return " "
		}
		return ""
	})
}

// unfenced gives a line of its own to each mark that stands directly before or behind a text.
func unfenced(text string) string {
	if !holds(text, "```", "~~~", "[code", "[CODE", "[Code", "[pre", "{code", "{noformat", "[quote", "[QUOTE",
		"[output") {
		return text
	}
	var b strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		at := fence.Regexp().FindAllStringIndex(line, 8)
		from := 0
		for _, m := range at {
			before, after := line[from:m[0]], line[m[1]:]
			b.WriteString(before)
			if before != "" && strings.TrimSpace(before) != "" && !strings.HasSuffix(before, "\n") {
				b.WriteByte('\n')
			}
			b.WriteString(line[m[0]:m[1]])
			if after != "" && !language.MatchString(after) {
				b.WriteByte('\n')
			}
			from = m[1]
		}
		b.WriteString(line[from:])
	}
	return b.String()
}

// undiffed makes two texts of the hunks of a diff: what was there before, and then what came.
func undiffed(lines []string) []string {
	out := make([]string, 0, len(lines))
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if len(l) < 3 || !hunk.MatchString(l) && !diffed.MatchString(l) {
			out = append(out, l)
			continue
		}
		out = append(out, l)
		var before, after []string
		gone, come := 0, 0
		k := i + 1
		for ; k < len(lines); k++ {
			l := lines[k]
			if l == "" {
				before, after = append(before, l), append(after, l)
				continue
			}
			if c := l[0]; c != ' ' && c != '+' && c != '-' && c != '\\' || strings.HasPrefix(l, "--- ") ||
				strings.HasPrefix(l, "+++ ") {
				if !hunk.MatchString(l) {
					break
				}
				continue // the next hunk of the same file
			}
			rest := l[1:]
			switch l[0] {
			case '-':
				before, gone = append(before, rest), gone+told(rest)
			case '+':
				after, come = append(after, rest), come+told(rest)
			case ' ':
				before, after = append(before, rest), append(after, rest)
			}
		}
		if gone+come == 0 {
			continue // no diff of what programs print: its lines stay as they are
		}
		if gone > 0 {
			out = append(out, before...)
		}
		if come > 0 {
			out = append(out, after...)
		}
		i = k - 1
	}
	return out
}

func told(l string) int {
	if starts(l) {
		return 1
	}
	return 0
}

// soft is the end of a line of quoted-printable that goes on in the next.
var soft = regex.New(`=[ \t]{0,4}\r?\n`)

// unquoted decodes quoted-printable, in which raw mails write = as =3D.
func unquoted(text string) string {
	if strings.Count(text, "=3D") < 2 {
		return text
	}
	text = soft.Regexp().ReplaceAllString(text, "")
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '=' && i+2 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

var numbered = regex.New(`&#(?:[xX][0-9a-fA-F]{1,6}|[0-9]{1,7});`)

// numeric replaces entities that are numbers: «&#x2F;», «&#8217;».
func numeric(l string) string {
	if !strings.Contains(l, "&#") {
		return l
	}
	return numbered.Regexp().ReplaceAllStringFunc(l, func(e string) string {
		digits, base := e[2:len(e)-1], 10
		if digits[0] == 'x' || digits[0] == 'X' {
			digits, base = digits[1:], 16
		}
		n, err := strconv.ParseUint(digits, base, 32)
		if err != nil || n < 32 || n > unicode.MaxRune {
			return e
		}
		return string(rune(n))
	})
}
