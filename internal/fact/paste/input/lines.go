// Package input makes plain lines of what was pasted, without what the text was pasted in: fences, tags,
// marks of quotations.
package input

import (
	"html"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
	"github.com/pgfettle/pgfettle/internal/fact/unwrap"
)

// around is what a whole paste may be in. What stands before the lines of a part alone is looked for where the part is
// read; a fence parts what is around it; tags say something of the lines.
var around = &unwrap.Reader{Own: []unwrap.Layer{unwrap.Fence, unwrap.Page, unwrap.Entities, unwrap.Comment,
	unwrap.Times, unwrap.Psql, unwrap.Quotes}}

// Lines makes lines of a text. What is behind the bounds is cut, and said so.
func Lines(text []byte) []part.Line {
	t := around.Text(text)
	inner := t.Lines[:min(len(t.Lines), MaxLines)]
	out := make([]part.Line, len(inner))
	page := isPage(text)
	for i, l := range inner {
		out[i] = part.Line{Raw: l.Text, Number: l.Number}
		clean(&out[i], page)
	}
	for i := range out {
		if strings.HasPrefix(out[i].Text, "`") {
			ticks(out[i:])
		}
		if i > 0 && strings.HasPrefix(out[i].Indented, "+") && strings.HasPrefix(out[i-1].Indented, "-") {
			replaces(&out[i-1], &out[i])
		}
	}
	tighten(out)
	return out
}

// mostTicked is how many lines stand between two backquotes at most.
const mostTicked = 200

// ticks takes off the backquotes around several lines, which a page does not need to be code.
func ticks(lines []part.Line) {
	if strings.Count(lines[0].Text, "`") != 1 {
		return
	}
	for i := 1; i < len(lines) && i < mostTicked; i++ {
		l := &lines[i]
		if l.Is == part.Fence {
			return
		}
		if n := strings.Count(l.Text, "`"); n == 0 {
			continue
		} else if n > 1 || !strings.HasSuffix(l.Text, "`") {
			return
		}
		untick(&lines[0], strings.Replace(lines[0].Indented, "`", "", 1))
		untick(l, strings.TrimSuffix(l.Indented, "`"))
		lines[0].Opens, l.Closes = true, true
		return
	}
}

var reChanged = regex.New(`^[-+] *["']?([a-z]\w{2,62})["']?\s*[:=]`)

// replaces takes the marks off two lines of a diff, of which the second has another value of the same parameter.
func replaces(old, now *part.Line) {
	a, b := reChanged.FindStringSubmatch(old.Indented), reChanged.FindStringSubmatch(now.Indented)
	if a == nil || b == nil || a[1] != b[1] || !setting.Known(a[1]) {
		return
	}
	old.Is = part.Elided
	now.Indented = " " + now.Indented[1:]
	now.Text = strings.TrimLeft(now.Indented, " \t")
}

func untick(l *part.Line, text string) {
	l.Indented = strings.TrimRight(text, " \t")
	l.Text = strings.TrimLeft(l.Indented, " \t")
	if l.Is = roleOf(l.Text); l.Is == part.Blank {
		l.Is = part.Fence
	}
}

// leastSpaced is how many lines stand in a row with one empty line between each two before the empty lines are taken
// for what a page or an editor put there.
const leastSpaced = 6

// tighten moves the empty lines of such a stretch behind it: an empty line ends what is read.
func tighten(lines []part.Line) {
	for i := 0; i < len(lines); {
		n := 0
		for i+2*n < len(lines) && lines[i+2*n].Is == part.Content &&
			(n == 0 || lines[i+2*n-1].Is == part.Blank) {
			n++
		}
		if after := i + 2*n - 1; n > 0 && after < len(lines) && lines[after].Is != part.Blank { // it heads what follows
			n--
		}
		if n < leastSpaced {
			i++
			continue
		}
		end := lines[i+2*n-2].Number
		for k := range n {
			lines[i+k] = lines[i+2*k]
		}
		for k := range n - 1 {
			lines[i+n+k] = part.Line{Number: end, Is: part.Blank}
		}
		i += 2*n - 1
	}
}

func clean(l *part.Line, page bool) {
	s := l.Raw[:min(len(l.Raw), MaxLine)]
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
	s = unstyled(s, l)
	if t := strings.TrimLeft(s, " "); strings.HasPrefix(t, "```") && strings.Trim(t, "` \t") != "" &&
		!reFence.MatchString(strings.TrimRight(t, " ")) {
		s, l.Opens = strings.TrimLeft(t, "`"), true // of a chat: the text stands behind the fence
	}
	if t := strings.TrimRight(s, " \t\x00"); strings.HasSuffix(t, "```") && strings.Trim(t, "` \t") != "" {
		s, l.Closes = strings.TrimRight(t, "`"), true
	}
	l.Indented = strings.TrimRight(s, " \t\x00")
	l.Text = strings.TrimLeft(l.Indented, " \t")
	if strings.HasPrefix(l.Text, `\# `) || strings.HasPrefix(l.Text, `\$ `) { // a prompt that Markdown must not read
		l.Text = l.Text[1:]
		l.Indented = l.Text
	}
	l.Is = roleOf(l.Text)
	switch {
	case marks.table:
		l.Is = part.Content // it is read with its tags
		l.Indented = strings.TrimSpace(l.Raw[:min(len(l.Raw), MaxLine)])
		l.Text = l.Indented
	case marks.block && l.Is == part.Blank:
		l.Is = part.Fence
	case marks.block:
		l.Opens = l.Opens || marks.first
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

func roleOf(t string) part.Role {
	switch {
	case t == "":
		return part.Blank
	case reFence.MatchString(t), reGroup.MatchString(t):
		return part.Fence
	case reRule.MatchString(t):
		return part.Rule
	case reGone.MatchString(strings.ToLower(t)):
		return part.Elided
	}
	return part.Content
}

// MaxLines is how many lines of one input are read.
const MaxLines = 300_000 // of one input

// MaxLine is how many bytes of a line are looked at.
const MaxLine = 64 << 10 // bytes of a line that are looked at
