package input

import (
	"bytes"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// Tag is a tag of HTML.
	Tag = regex.New(
		`(?i)</?(?:a|abbr|article|b|blockquote|body|br|button|caption|center|cite|code|col|colgroup|dd|del|details|` +
			`div|dl|dt|em|figure|font|footer|form|h[1-6]|head|header|hr|html|i|img|ins|kbd|label|li|link|main|mark|` +
			`meta|nav|ol|p|pre|q|s|samp|section|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|` +
			`thead|time|title|tr|tt|u|ul|var|wbr)(?:\s[^<>]{0,300})?/?>`)
	reBlockTag = regex.New(`(?i)</?(?:pre|code|samp|blockquote|textarea)\b`)
	// TableTag is one that begins a table.
	TableTag  = regex.New(`(?i)<table\b`)
	pageSigns = [][]byte{[]byte("<pre"), []byte("</pre>"), []byte("<code"), []byte("<table"), []byte("<td"),
		[]byte("<br"), []byte("<div"), []byte("</p>"), []byte("<details"), []byte("</summary>")}
)

// isPage says whether a text is the source of a web page, or a piece of one.
func isPage(text []byte) bool {
	if !bytes.Contains(text, []byte("</")) && !bytes.Contains(text, []byte("<br")) &&
		!bytes.Contains(text, []byte("<details")) {
		return false
	}
	lower := bytes.ToLower(text)
	for _, s := range pageSigns {
		if bytes.Contains(lower, s) {
			return true
		}
	}
	return false
}

// marks are what the tags of a line mean for the lines around it.
type marks struct {
	block bool // of preformatted text, which begins or ends here
	first bool // the tag stands before the text of the line
	table bool // a table begins
}

// untagged takes the tags of HTML out of a line.
func untagged(s string) (string, marks) {
	var m marks
	if !strings.Contains(s, "<") {
		return s, m
	}
	m.table = TableTag.MatchString(s)
	if at := reBlockTag.FindStringIndex(s); at != nil {
		m.block = true
		m.first = strings.TrimSpace(Tag.ReplaceAllString(s[:at[0]], "")) == ""
	}
	return Tag.ReplaceAllString(s, ""), m
}
