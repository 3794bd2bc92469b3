// Package hbaline recognizes lines of pg_hba.conf in a text that is no pg_hba.conf: a mail, a manifest, a ticket.
package hbaline

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// whole is one whole line: nothing else ends with a method.
var whole = regex.New(
	`^(?:local\s+\S+\s+\S+|host(?:ssl|nossl|gssenc|nogssenc)?\s+\S+\s+\S+\s+\S+(?:\s+\d[\d.]+\d)?)\s+` +
		`(?:trust|reject|md5|scram-sha-256|password|gss|sspi|ident|peer|ldap|radius|cert|pam|bsd|oauth)` +
		`(?:\s+"?[\w-]+=(?:"[^"]*"|\S+))*(?:\s*#.*)?$`)

// Is reports whether a line is a rule. What a list of YAML has around it must be gone: Bare.
func Is(line string) bool {
	return (strings.HasPrefix(line, "host") || strings.HasPrefix(line, "local")) && whole.MatchString(line)
}

// Bare is a line without what a list of YAML has around it.
func Bare(line string) string {
	if item, ok := strings.CutPrefix(line, "- "); ok {
		return strings.Trim(strings.TrimSpace(item), `"'`)
	}
	return line
}
