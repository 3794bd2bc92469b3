package shape

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

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

// outerColumn is a column of another table: a scan writes its own without the table.
var outerColumn = regex.New(`^\(*(?:"[^"]+"|[a-z_]\w*)\.(?:"[^"]+"|[a-z_]\w*)\)*(?:::[\w ]+)?\)*$`)

// InnerSide is the side of an equality that is of the scan's own table, where the other side is a column of another
// one; "" for any other condition.
func InnerSide(cond string) string {
	if !strings.HasPrefix(cond, "(") || !strings.HasSuffix(cond, ")") {
		return ""
	}
	a, b, ok := strings.Cut(cond[1:len(cond)-1], " = ")
	switch {
	case !ok || strings.Contains(b, " = ") || strings.ContainsAny(a+b, "'$"):
		return ""
	case outerColumn.MatchString(b) && !strings.Contains(a, "."):
		return a
	case outerColumn.MatchString(a) && !strings.Contains(b, "."):
		return b
	}
	return ""
}

var (
	literalValue = regex.New(`'(?:[^']|'')*'(?:::[\w" ]+(?:\[\])?)?|\b\d[\d.]*\b|\$\d+`)
	castType     = regex.New(`::(?:"[^"]+"|[a-z_][\w.]*(?: (?:varying|precision|with(?:out)? time zone))?)(?:\[\])?`)
	columnName   = regex.New(`(?:(?:"[^"]+"|[a-z_]\w*)\.)?("[^"]+"|[a-z_]\w*)(\(?)`)
)

// conditionWords are of what a scan looks for.
var conditionWords = map[string]bool{"Filter": true, "Index Cond": true, "Recheck Cond": true,
	"Vectorized Filter": true}

// Asked are the columns that a plan compares with values of the statement.
func Asked(p *queryplan.Plan) map[string]bool {
	out := map[string]bool{}
	p.Root.Walk(func(n *queryplan.Node) {
		for _, w := range n.Words {
			if !conditionWords[w.Name] || !literalValue.MatchString(w.Text) {
				continue
			}
			text := castType.ReplaceAllString(literalValue.ReplaceAllString(w.Text, " "), " ")
			for _, m := range columnName.FindAllStringSubmatch(text, 100) {
				if m[2] == "" && !(m[1] == "true" || m[1] == "false" || m[1] == "null") {
					out[strings.Trim(m[1], `"`)] = true
				}
			}
		}
	})
	return out
}
