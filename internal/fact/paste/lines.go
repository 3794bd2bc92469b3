package paste

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// line is a line of an input, made plain.
type line struct {
	raw  string // as it stands
	text string // without quotation marks, colours and blanks at its end
	t    string // without blanks at its beginning too
	// end is behind the last line that a part that begins here may reach: the next prompt, fence or rule
	end int
	is  role
	// A block of preformatted text begins or ends at this line, which has text of its own:
	// no part reaches over it.
	opens, closes bool
	// without the time that something printed before it
	stamped string
	unstamp bool
	// said by a prompt or a command
	host, command string
}

// role is what a line is before anything is recognized in it.
type role uint8

const (
	content role = iota
	blank
	fence // ``` of Markdown, or the mark of a comment around it
	rule  // ====, ----, ////
	command
	elided // …: lines were left out here
)

// reColour is an escape sequence of a terminal.
var reColour = regex.New("\x1b\\[[0-9;?]*[ -/]*[@-~]|" +
	"\x1b\\][^\x07\x1b]{0,300}(?:\x07|\x1b\\\\)|\x1b[()][A-Z0-9]|\x1b[=>]")

// split makes lines of a text. What is behind the bounds is cut, and said so.
func split(text []byte) []line {
	if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
		text = fromUTF16(text)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	var out []line
	for raw := range bytes.Lines(text) {
		if len(out) == MaxLines {
			break
		}
		raw = bytes.TrimRight(raw, "\r\n")
		out = append(out, line{raw: string(raw)})
	}
	unstamped(out)
	page := isPage(text)
	for i := range out {
		out[i].clean(page)
	}
	undiffed(out)
	return out
}

// fromUTF16 reads what Windows writes with > in PowerShell.
func fromUTF16(text []byte) []byte {
	little := text[0] == 0xff
	var b []byte
	for i := 2; i+1 < len(text); i += 2 {
		r := rune(text[i])<<8 | rune(text[i+1])
		if little {
			r = rune(text[i+1])<<8 | rune(text[i])
		}
		b = utf8.AppendRune(b, r)
	}
	return b
}

var entities = strings.NewReplacer("\u00a0", " ", "\u2007", " ", "\u202f", " ", "\u200b", "")

func (l *line) clean(page bool) {
	s := l.raw[:min(len(l.raw), maxLine)]
	if l.unstamp {
		s = l.stamped[:min(len(l.stamped), maxLine)]
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	if strings.Contains(s, "\x1b") {
		s = reColour.ReplaceAllString(s, "")
	}
	if at := strings.LastIndexByte(s, '\r'); at >= 0 { // what was written over is not seen
		s = s[at+1:]
	}
	var marks marks
	if page {
		s, marks = untagged(s)
	}
	if strings.Contains(s, "&") && strings.Contains(s, ";") {
		s = html.UnescapeString(s)
	}
	s = entities.Replace(s)
	for t := strings.TrimLeft(s, " \t"); strings.HasPrefix(t, ">"); t = strings.TrimLeft(s, " ") {
		s = strings.TrimPrefix(t[1:], " ") // a mail's quotation
	}
	if t := strings.TrimLeft(s, " "); strings.HasPrefix(t, "```") && strings.Trim(t, "` \t") != "" &&
		!reFence.MatchString(strings.TrimRight(t, " ")) {
		s, l.opens = strings.TrimLeft(t, "`"), true // of a chat: the text stands behind the fence
	}
	if t := strings.TrimRight(s, " \t\x00"); strings.HasSuffix(t, "```") && strings.Trim(t, "` \t") != "" {
		s, l.closes = strings.TrimRight(t, "`"), true
	}
	l.text = strings.TrimRight(s, " \t\x00")
	l.t = strings.TrimLeft(l.text, " \t")
	l.is = roleOf(l.t)
	switch {
	case marks.table:
		l.is = content // it is read with its tags
		l.text = strings.TrimSpace(l.raw[:min(len(l.raw), maxLine)])
		l.t = l.text
	case marks.block && l.is == blank:
		l.is = fence
	case marks.block:
		l.opens = l.opens || marks.first
	}
}

var (
	reFence = regex.New(
		"^(?:```+|~~~+)[\\w +.-]*$|^(?:/\\*+|\\*+/)$|^</?(?:pre|code)>$|^\\{(?:code|noformat)[^}]*\\}$|^\\[/?code\\]$")
	reRule = regex.New(`^(?:={4,}|-{4,}|#{4,}|\*{4,}|/{4,}|_{4,}|\+{4,}|~{4,})$`)
	reGone = regex.New(
		`^[\[<(]?(?:\.{2,}|…|(?:\.{3}|…)? ?(?:snip|cut|skipped|truncated|omitted) ?(?:\.{3}|…)?)[\])>]?$`)
)

func roleOf(t string) role {
	switch {
	case t == "":
		return blank
	case reFence.MatchString(t), reGroup.MatchString(t):
		return fence
	case reRule.MatchString(t):
		return rule
	case reGone.MatchString(strings.ToLower(t)):
		return elided
	}
	return content
}

// remark cuts what an author wrote behind a value: "// this", "# this", "-- this", "<-- this".
var reRemark = regex.New(`\s+(?://|#|--|<-+|←|;)\s.*$`)

func bare(s string) string {
	return strings.TrimSpace(reRemark.ReplaceAllString(s, ""))
}
