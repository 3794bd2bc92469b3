// Package sqlname spells names and texts as SQL takes them, whatever is in them.
package sqlname

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Quote spells a name as an identifier. It is always quoted: which words have a meaning of their own depends on the
// version.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Qualified spells a name with its schema.
func Qualified(schema, name string) string { return Quote(schema) + "." + Quote(name) }

// bare is a name that needs no quotes in a list of names, where keywords have no meaning.
var bare = regex.New(`^[a-z_][a-z0-9_]*$`)

// InList spells a name in a list of names that a setting has, such as temp_tablespaces.
func InList(name string) string {
	if bare.MatchString(name) {
		return name
	}
	return Quote(name)
}

// Literal spells a text as a constant, whatever standard_conforming_strings is.
func Literal(s string) string {
	quoted := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		return "E" + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}
