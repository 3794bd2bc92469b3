package input

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// How an author sets off a part of an output that he speaks of, in forums and in Markdown.
var (
	reFont  = regex.New(`(?i)\[/?(?:font|color|size)(?:=[^\[\]]{1,60})?\]`)
	reTaken = regex.New(`(?i)\[(?:b|i|u|s|highlight|mark)\](.{0,200}?)\[/(?:b|i|u|s|highlight|mark)\]`)
	// numbers in bold, in one column or in several
	reBold = regex.New(`\*\*( *-?\d[\d.,]*[KMGTkmg]?i?B?%?(?: +-?\d[\d.,]*[KMGTkmg]?i?B?%?)* *)\*\*`)
	// the head of a table, each of its words in bold
	reBoldHead = regex.New(`^\s*(?:\*\*[^*\s]{1,30}\*\*\s*){3,}$`)
)

// unstyled takes such marks out of a line. What stands in a font of its own is a block.
func unstyled(s string, l *part.Line) string {
	if strings.Contains(s, "**") {
		if reBoldHead.MatchString(s) {
			s = strings.ReplaceAll(s, "**", "")
		}
		s = reBold.ReplaceAllString(s, "$1")
	}
	if !strings.Contains(s, "[") {
		return s
	}
	if at := reFont.FindStringIndex(s); at != nil {
		closes := s[at[0]+1] == '/'
		opens := !closes && strings.TrimSpace(s[:at[0]]) == ""
		ends := strings.HasSuffix(strings.ToLower(strings.TrimRight(s, " \t")), "[/font]")
		if !opens || !ends { // else each line has tags of its own, and is no block
			l.Opens, l.Closes = l.Opens || opens, l.Closes || ends
		}
		s = reFont.ReplaceAllString(s, "")
	}
	return reTaken.ReplaceAllString(s, "$1")
}
