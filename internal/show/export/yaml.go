package export

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// yamlString spells a string of YAML, always in double quotes: off, 1e3, 0x10,
// ~ and 12:30 would be no strings without them. What acts on a terminal is
// written as an escape.
func yamlString(v string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range v {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case typeset.Hidden(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case typeset.Hidden(r) && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case typeset.Hidden(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// utf8Only refuses changes that YAML cannot carry: it knows text alone, and a
// value that came out altered would be worse than none.
func utf8Only(form string, list []plan.Change) error {
	for _, c := range list {
		if !utf8.ValidString(string(c.Address)) || !utf8.ValidString(c.To) || !utf8.ValidString(c.ToBase) {
			return fmt.Errorf("%s: the value of %s is no UTF-8, which YAML cannot hold", form,
				typeset.Clean(string(c.Address)))
		}
	}
	return nil
}
