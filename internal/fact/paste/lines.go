package paste

import (
	"html"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/unwrap"
)

// line is a line of an input, made plain.
type line struct {
	raw    string // as it stands, without what the text was pasted in
	number int    // of the line of the input that it was in, from 1
	text   string // without tags and blanks at its end
	t      string // without blanks at its beginning too
	// end is behind the last line that a part that begins here may reach: the next prompt, fence or rule
	end int
	is  role
	// A block of preformatted text begins or ends at this line, which has text of its own:
	// no part reaches over it.
	opens, closes bool
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

// around is what a whole paste may be in. What stands before the lines of a part alone is looked for where the part is
// read; a fence parts what is around it; tags say something of the lines.
var around = &unwrap.Reader{Own: []unwrap.Layer{unwrap.Fence, unwrap.Page, unwrap.Entities, unwrap.Comment,
	unwrap.Times, unwrap.Psql, unwrap.Quotes}}

// split makes lines of a text. What is behind the bounds is cut, and said so.
func split(text []byte) []line {
	t := around.Text(text)
	inner := t.Lines[:min(len(t.Lines), MaxLines)]
	out := make([]line, len(inner))
	page := isPage(text)
	for i, l := range inner {
		out[i] = line{raw: l.Text, number: l.Number}
		out[i].clean(page)
	}
	for i := range out {
		if strings.HasPrefix(out[i].t, "`") {
			ticks(out[i:])
		}
		if i > 0 && strings.HasPrefix(out[i].text, "+") && strings.HasPrefix(out[i-1].text, "-") {
			replaces(&out[i-1], &out[i])
		}
	}
	tighten(out)
	return out
}

// mostTicked is how many lines stand between two backquotes at most.
const mostTicked = 200

// ticks takes off the backquotes around several lines, which a page does not need to be code.
func ticks(lines []line) {
	if strings.Count(lines[0].t, "`") != 1 {
		return
	}
	for i := 1; i < len(lines) && i < mostTicked; i++ {
		l := &lines[i]
		if l.is == fence {
			return
		}
		if n := strings.Count(l.t, "`"); n == 0 {
			continue
		} else if n > 1 || !strings.HasSuffix(l.t, "`") {
			return
		}
		lines[0].untick(strings.Replace(lines[0].text, "`", "", 1))
		l.untick(strings.TrimSuffix(l.text, "`"))
		lines[0].opens, l.closes = true, true
		return
	}
}

var reChanged = regex.New(`^[-+] *["']?([a-z]\w{2,62})["']?\s*[:=]`)

// replaces takes the marks off two lines of a diff, of which the second has another value of the same parameter.
func replaces(old, now *line) {
	a, b := reChanged.FindStringSubmatch(old.text), reChanged.FindStringSubmatch(now.text)
	if a == nil || b == nil || a[1] != b[1] || !isParam(a[1]) {
		return
	}
	old.is = elided
	now.text = " " + now.text[1:]
	now.t = strings.TrimLeft(now.text, " \t")
}

func (l *line) untick(text string) {
	l.text = strings.TrimRight(text, " \t")
	l.t = strings.TrimLeft(l.text, " \t")
	if l.is = roleOf(l.t); l.is == blank {
		l.is = fence
	}
}

// leastSpaced is how many lines stand in a row with one empty line between each two before the empty lines are taken
// for what a page or an editor put there.
const leastSpaced = 6

// tighten moves the empty lines of such a stretch behind it: an empty line ends what is read.
func tighten(lines []line) {
	for i := 0; i < len(lines); {
		n := 0
		for i+2*n < len(lines) && lines[i+2*n].is == content &&
			(n == 0 || lines[i+2*n-1].is == blank) {
			n++
		}
		if after := i + 2*n - 1; n > 0 && after < len(lines) && lines[after].is != blank { // it heads what follows
			n--
		}
		if n < leastSpaced {
			i++
			continue
		}
		end := lines[i+2*n-2].number
		for k := range n {
			lines[i+k] = lines[i+2*k]
		}
		for k := range n - 1 {
			lines[i+n+k] = line{number: end, is: blank}
		}
		i += 2*n - 1
	}
}

func (l *line) clean(page bool) {
	s := l.raw[:min(len(l.raw), maxLine)]
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
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
	s = strings.ReplaceAll(s, "\u00a0", " ") // that an entity was
	if t := strings.TrimLeft(s, " "); strings.HasPrefix(t, "```") && strings.Trim(t, "` \t") != "" &&
		!reFence.MatchString(strings.TrimRight(t, " ")) {
		s, l.opens = strings.TrimLeft(t, "`"), true // of a chat: the text stands behind the fence
	}
	if t := strings.TrimRight(s, " \t\x00"); strings.HasSuffix(t, "```") && strings.Trim(t, "` \t") != "" {
		s, l.closes = strings.TrimRight(t, "`"), true
	}
	l.text = strings.TrimRight(s, " \t\x00")
	l.t = strings.TrimLeft(l.text, " \t")
	if strings.HasPrefix(l.t, `\# `) || strings.HasPrefix(l.t, `\$ `) { // a prompt that Markdown must not read
		l.t = l.t[1:]
		l.text = l.t
	}
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
	// what runners of jobs write around the output of a step
	reGroup = regex.New(`^(?:##\[(?:group|endgroup|section|command)\]|::(?:group|endgroup)::|section_(?:start|en` +
		`d):\d+:)(.*)$`)
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
