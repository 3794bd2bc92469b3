package conf

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// unquote reads a quoted string with its quotes: two quotes are one, and a
// backslash stands before b, f, n, r, t, up to three octal digits, or any other
// character, which then stands for itself. A zero byte ends the server's string.
func unquote(s string) string {
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			switch c := s[i]; {
			case c >= '0' && c <= '7':
				v, n := 0, 0
				for ; n < 3 && i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '7'; n++ {
					v = v<<3 + int(s[i+n]-'0')
				}
				i += n - 1
				b.WriteByte(byte(v))
			case strings.IndexByte("bfnrt", c) >= 0:
				b.WriteByte("\b\f\n\r\t"[strings.IndexByte("bfnrt", c)])
			default:
				b.WriteByte(c)
			}
		case s[i] == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
			b.WriteByte('\'')
		default:
			b.WriteByte(s[i])
		}
	}
	v, _, _ := strings.Cut(b.String(), "\x00")
	return v
}

// quote spells a value as ALTER SYSTEM does: quotes and backslashes doubled.
func quote(v string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(v) + "'"
}

// isName says whether a line can begin with a name and then sets it.
func isName(name string) bool {
	l := parseLine(name + " = ''")
	return name != "" && l.Name == name && !directive(name)
}

// Entry spells a line that sets a value, with its end, as ALTER SYSTEM does. A
// value that a line cannot hold is an error.
func Entry(name, value string) (string, error) {
	if !isName(name) {
		return "", say.Err("{name} is not the name of a setting", "name", say.Quoted(name))
	}
	if strings.ContainsAny(value, "\n\r\x00") {
		return "", say.Err("{name}: a value with a line end or a zero byte", "name", name)
	}
	return name + " = " + quote(value) + "\n", nil
}
