package conftext

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Rule is a line of pg_hba.conf that a person has put beside the settings.
type Rule struct {
	Line   int
	Fields []string // type, databases, users, address, mask, method, options; without quotation marks
}

// ruleLine is one whole line: nothing else ends with a method.
var ruleLine = regex.New(
	`^(?:local\s+\S+\s+\S+|host(?:ssl|nossl|gssenc|nogssenc)?\s+\S+\s+\S+\s+\S+(?:\s+\d[\d.]+\d)?)\s+` +
		`(?:trust|reject|md5|scram-sha-256|password|gss|sspi|ident|peer|ldap|radius|cert|pam|bsd|oauth)` +
		`(?:\s+"?[\w-]+=(?:"[^"]*"|\S+))*` +
		`(?:\s*#.*)?$`)

// mostRules is about what people paste.
const mostRules = 1000

// rulesIn are the lines of pg_hba.conf in a text.
func rulesIn(lines []line) (out []Rule) {
	for _, l := range lines {
		t := strings.TrimSpace(unmark(l.text))
		if item, ok := strings.CutPrefix(t, "- "); ok {
			t = strings.Trim(strings.TrimSpace(item), `"'`)
		}
		if len(out) >= mostRules || !strings.HasPrefix(t, "host") && !strings.HasPrefix(t, "local") ||
			!ruleLine.MatchString(t) {
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
