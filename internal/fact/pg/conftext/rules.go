package conftext

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pg/hbaline"
)

// Rule is a line of pg_hba.conf that a text has among its settings.
type Rule struct {
	Line   int
	Fields []string // type, databases, users, address, mask, method, options; without quotation marks
}

// mostRules is about what people paste.
const mostRules = 1000

// rulesIn are the lines of pg_hba.conf in a text.
func rulesIn(lines []line) (out []Rule) {
	for _, l := range lines {
		t := hbaline.Bare(strings.TrimSpace(unmark(l.text)))
		if len(out) >= mostRules || !hbaline.Is(t) {
			continue
		}
		t, _, _ = strings.Cut(t, "#")
		r := Rule{Line: l.n}
		for f := range strings.FieldsSeq(t) {
			r.Fields = append(r.Fields, strings.Trim(f, `"`))
		}
		out = append(out, r)
	}
	return out
}
