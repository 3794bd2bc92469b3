package shape

import "strings"

// Equality reports whether a join filter compares one column of each side; casts do not count.
func Equality(cond string) bool {
	a, b, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(cond, "("), ")"), " = ")
	column := func(s string) bool {
		s, _, _ = strings.Cut(s, "::")
		s = strings.Trim(s, "()")
		return s != "" && !strings.ContainsAny(s, " '(),=") &&
			(s[0] == '"' || s[0] == '_' || s[0] >= 'a' && s[0] <= 'z')
	}
	return ok && column(a) && column(b)
}

// Pattern reports whether a condition is a search within texts that no ordinary index serves.
func Pattern(cond string) bool {
	for _, op := range []string{" ~~* ", " !~~", " ~* ", " ~ "} {
		if strings.Contains(cond, op) {
			return true
		}
	}
	_, rest, ok := strings.Cut(cond, " ~~ '")
	return ok && (strings.HasPrefix(rest, "%") || strings.HasPrefix(rest, "_"))
}

// Prefix reports whether a condition is a search for the beginning of a text.
func Prefix(cond string) bool {
	_, rest, ok := strings.Cut(cond, " ~~ '")
	return ok && rest != "" && !strings.ContainsAny(rest[:1], "%_'")
}
