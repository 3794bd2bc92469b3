package export

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// bare is what postgresql.conf takes without quotes: a whole number with or
// without a unit, a plain decimal, an identifier. Its lexer takes "0.5ms" for
// no token at all, so everything else is quoted.
var bare = regexp.MustCompile(`^(-?[0-9]+[A-Za-z]*|-?[0-9]+\.[0-9]+|[A-Za-z][A-Za-z0-9_]*)$`)

// confValue spells a value for postgresql.conf.
func confValue(v string) string {
	if bare.MatchString(v) {
		return v
	}
	return "'" + confEscape(v) + "'"
}

// confEscape writes what may not stand raw between the quotes of
// postgresql.conf: the file's lexer reads \n, \t and \ooo there, and two quotes
// for one.
func confEscape(v string) string {
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '\'':
			b.WriteString("''")
		case c == '\\':
			b.WriteString(`\\`)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// comment writes a text as comment lines of at most width columns behind mark.
func comment(b *strings.Builder, mark, text string, width int) {
	for _, l := range typeset.Lines(text) {
		for _, w := range typeset.Wrap(l, width-typeset.Width(mark)-1) {
			b.WriteString(strings.TrimRight(mark+" "+w, " ") + "\n")
		}
	}
}
