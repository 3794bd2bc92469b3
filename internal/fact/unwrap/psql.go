package unwrap

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	rule   = regex.New(`^-{3,}(?:\+-+)*$`)
	rows   = regex.New(`^\(\d+ rows?\)$`)
	goesOn = regex.New(` *\+$`)
)

// findPsql finds a column in the aligned form of psql: a head, a rule, and lines of which all but the last of a value
// end with a plus.
func findPsql(s *sample) cut {
	if s.Labeled == nil {
		return nil // others read tables themselves
	}
	underRule, on, all := false, 0, 0
	for _, l := range s.lines {
		switch {
		case rule.Match(l):
			underRule = true
		case underRule && l[0] == ' ':
			if all++; l[len(l)-1] == '+' {
				on++
			}
		}
	}
	if on == 0 || 2*on < all {
		return nil
	}
	return func(l line, out func(line)) {
		t := l.text
		switch {
		case ends(l), rule.Match(t), rows.Match(t):
		case len(t) == 0 || t[0] != ' ':
			out(l)
		default:
			t = t[1:]
			if at := goesOn.FindIndex(t); at != nil {
				t = t[:at[0]]
			} else {
				t = bytes.TrimRight(t, " ")
			}
			out(line{t, l.number})
		}
	}
}
