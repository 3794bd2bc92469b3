package conf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// lists are the settings whose value is a list of quoted names
// (GUC_LIST_QUOTE), of all versions together: the servers tier asks each. SQL takes one string for one name, commas and
// all: SET
// shared_preload_libraries = 'a,b' would name one library "a,b" and keep the
// server from starting.
var lists = []string{
	"local_preload_libraries", "oauth_validator_libraries", "output_plugin_libraries", "search_path",
	"session_preload_libraries", "shared_preload_libraries",
	"temp_tablespaces", "unix_socket_directories",
}

// IsList says whether a setting's value is a list of quoted names.
func IsList(name string) bool { return slices.Contains(lists, lower(name)) }

// SplitList reads the text of such a setting: names separated by commas, in
// double quotes where they hold anything unusual.
func SplitList(v string) []string {
	var out []string
	var at strings.Builder
	open, wasQuoted := false, false
	put := func() {
		s := at.String()
		if !wasQuoted {
			s = strings.TrimSpace(s)
		}
		if s != "" || wasQuoted {
			out = append(out, s)
		}
		at.Reset()
		wasQuoted = false
	}
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '"' && open && i+1 < len(v) && v[i+1] == '"':
			at.WriteByte('"')
			i++
		case c == '"':
			if !open && strings.TrimSpace(at.String()) == "" {
				at.Reset()
			}
			open, wasQuoted = !open, true
		case c == ',' && !open:
			put()
		case wasQuoted && !open && (c == ' ' || c == '\t'): // between the closing quote and the comma
		default:
			at.WriteByte(c)
		}
	}
	put()
	return out
}

// FlattenList spells a list as ALTER SYSTEM writes it into its file: ", "
// between the names, double quotes round those that are no plain identifiers.
// A name that is also a reserved word of SQL is quoted by the server and not
// here; no library or folder is called so.
func FlattenList(v string) string {
	var out []string
	for _, name := range SplitList(v) {
		plain := name != "" && (name[0] >= 'a' && name[0] <= 'z' || name[0] == '_')
		for i := 0; plain && i < len(name); i++ {
			c := name[i]
			plain = c >= 'a' && c <= 'z' || c == '_' || digit(c)
		}
		if !plain {
			name = SQLName(name)
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// Spelled returns a value as ALTER SYSTEM would write it.
func Spelled(name, value string) string {
	if IsList(name) {
		return FlattenList(value)
	}
	return value
}

// SQL spells a step as a statement. A list without names cannot be set by SQL,
// which would make it one name that is empty; that is an error.
func (s Step) SQL() (string, error) {
	id := SQLName(lower(s.Name))
	if a, b, ok := strings.Cut(lower(s.Name), "."); ok {
		id = SQLName(a) + "." + SQLName(b)
	}
	if !isName(s.Name) {
		return "", say.Err("{name} is not the name of a setting", "name", say.Quoted(s.Name))
	}
	if s.Value == nil {
		return "ALTER SYSTEM RESET " + id, nil
	}
	v, ok := SQLValue(s.Name, *s.Value)
	if !ok {
		return "", say.Err("{name}: an empty list cannot be set with ALTER SYSTEM", "name", s.Name)
	}
	return "ALTER SYSTEM SET " + id + " = " + v, nil
}

// SQLValue spells what stands behind the = of ALTER SYSTEM SET or SET: a string,
// or one string for each name of a list. ok is false for a list without names,
// which SQL cannot spell.
func SQLValue(name, value string) (text string, ok bool) {
	if !IsList(name) {
		return SQLString(value), true
	}
	names := SplitList(value)
	for i, n := range names {
		names[i] = SQLString(n)
	}
	return strings.Join(names, ", "), len(names) > 0
}

// SQLName spells a name of SQL in double quotes, whatever it holds.
func SQLName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// SQLString spells a string constant of SQL, right under both settings of
// standard_conforming_strings.
func SQLString(v string) string {
	if !strings.ContainsFunc(v, func(r rune) bool { return r == '\\' || r < 0x20 || r == 0x7f }) {
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteString("E'")
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '\'':
			b.WriteString("''")
		case c == '\\':
			b.WriteString(`\\`)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
