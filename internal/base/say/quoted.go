package say

import "strconv"

// Quoted is a name or a value in quotation marks, which are those of the language. What would
// break them or the line is spelled out.
type Quoted string

// quotes are the marks of a language, if they are not the straight ones.
var quotes = map[string][2]string{"fr": {"«" + noBreak, noBreak + "»"}, "ru": {"«", "»"}}

// In returns it in the language of a catalog.
func (q Quoted) In(c *Catalogue) string {
	s := strconv.Quote(string(q))
	if c == nil {
		return s
	}
	marks, ok := quotes[c.Lang]
	if !ok {
		return s
	}
	return marks[0] + s[1:len(s)-1] + marks[1]
}

// String returns it in English.
func (q Quoted) String() string { return q.In(nil) }
