package workload

import (
	"strconv"
	"strings"
)

// token is a piece of SQL. Of a name the text is as the server folds it.
type token struct {
	kind tokenKind
	text string
	at   int // offset in the statement
	end  int
	n    int // of a parameter
}

type tokenKind uint8

const (
	word   tokenKind = iota // a name or a keyword; in lower case
	quoted                  // a name in quotes
	param                   // $1
	str                     // a string
	number
	op    // = <> ~~ …
	punct // ( ) , . ; [ ] :
)

const operatorRunes = "+-*/<>=~!@#%^&|`?"

// tokens takes a statement apart as far as finding its tables and what its parameters are compared with needs. Comments
// are omitted. A statement that is cut short gives what is there.
func tokens(s string) []token {
	var out []token
	for i := 0; i < len(s); {
		c := s[i]
		start := i
		add := func(k tokenKind, text string) { out = append(out, token{kind: k, text: text, at: start, end: i}) }
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			i++
		case strings.HasPrefix(s[i:], "--"):
			if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
				i += j
			} else {
				i = len(s)
			}
		case strings.HasPrefix(s[i:], "/*"):
			i = comment(s, i)
		case c == '\'':
			i = endOfQuoted(s, i, '\'')
			add(str, s[start:i])
		case c == '"':
			i = endOfQuoted(s, i, '"')
			add(quoted, strings.ReplaceAll(strings.Trim(s[start:i], `"`), `""`, `"`))
		case c == '$' && i+1 < len(s) && digit(s[i+1]):
			for i++; i < len(s) && digit(s[i]); i++ {
			}
			n, err := strconv.Atoi(s[start+1 : i])
			if err != nil {
				n = 0
			}
			out = append(out, token{kind: param, text: s[start:i], at: start, end: i, n: n})
		case digit(c):
			for i < len(s) && (digit(s[i]) || s[i] == '.' || letter(s[i])) {
				i++
			}
			add(number, s[start:i])
		case letter(c):
			for i < len(s) && (letter(s[i]) || digit(s[i]) || s[i] == '$') {
				i++
			}
			add(word, strings.ToLower(s[start:i]))
		case strings.HasPrefix(s[i:], "::"):
			i += 2
			add(op, "::")
		case strings.IndexByte(operatorRunes, c) >= 0:
			for i < len(s) && strings.IndexByte(operatorRunes, s[i]) >= 0 && !strings.HasPrefix(s[i:], "--") &&
				!strings.HasPrefix(s[i:], "/*") {
				i++
			}
			add(op, s[start:i])
		default:
			i++
			add(punct, s[start:i])
		}
	}
	return out
}

// endOfQuoted is the end of a text in quotes, where two quotes stand for one.
func endOfQuoted(s string, i int, quote byte) int {
	for i++; i < len(s); i++ {
		if s[i] == quote {
			if i+1 < len(s) && s[i+1] == quote {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(s)
}

// comment is the end of one that may hold others.
func comment(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth++
			i += 2
		case strings.HasPrefix(s[i:], "*/"):
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(s)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// is reports whether a token is one of some keywords.
func (t token) is(words ...string) bool {
	if t.kind != word {
		return false
	}
	for _, w := range words {
		if t.text == w {
			return true
		}
	}
	return false
}

func (t token) punct(s string) bool { return t.kind == punct && t.text == s }

func (t token) name() bool { return t.kind == word || t.kind == quoted }

// source is a table of a statement and the name that it goes by there.
type source struct {
	schema, table, alias string
}

// notAlias are words that may follow a table and are no alias of it.
var notAlias = []string{"where", "join", "inner", "left", "right", "full", "cross", "natural", "on", "using", "group",
	"order", "having", "limit",
	"offset", "fetch", "for", "union", "intersect", "except", "set", "returning", "window", "tablesample", "values",
	"select", "default"}

// sources are the tables that a statement names after FROM, JOIN, UPDATE and INTO.
func sources(ts []token) []source {
	var out []source
	for i := 0; i < len(ts); i++ {
		if !ts[i].is("from", "join", "update", "into", "using") || ts[i].is("using") && i+
			1 < len(ts) && ts[i+1].punct("(") {
			continue // the last is a list of columns
		}
		for i++; i < len(ts); i++ {
			if ts[i].is("only", "lateral") || ts[i].punct("(") {
				continue
			}
			if !ts[i].name() || ts[i].is("select", "with", "values") {
				i--
				break
			}
			s := source{table: ts[i].text}
			if i+2 < len(ts) && ts[i+1].punct(".") && ts[i+2].name() {
				s.schema, s.table = s.table, ts[i+2].text
				i += 2
			}
			s.alias = s.table
			if i+1 < len(ts) && ts[i+1].punct("*") {
				i++
			}
			if i+1 < len(ts) && ts[i+1].is("as") {
				i++
			}
			if i+1 < len(ts) && ts[i+1].name() && !ts[i+1].is(notAlias...) {
				i++
				s.alias = ts[i].text
			}
			out = append(out, s)
			if i+1 >= len(ts) || !ts[i+1].punct(",") {
				break
			}
			i++ // the comma; the loop goes on behind it
		}
	}
	return out
}

// use is what a parameter stands for in a statement.
type use struct {
	qualifier, column string // what it is compared with; "": nothing that is a column
	limit, offset     bool
	low, high         bool // an end of a range
}

// useOf finds out what the parameter at a place of the tokens stands for.
func useOf(ts []token, at int) use {
	i, list := at-1, false
	// what stands between an operator and its operand: brackets, the other elements
	// of a list, casts
	for i >= 0 {
		switch {
		case ts[i].punct("(") || ts[i].punct(",") || ts[i].punct("[") || ts[i].kind == param || ts[i].kind == str ||
			ts[i].kind == number:
			i--
		case ts[i].is("any", "some", "all", "array", "row"):
			i--
		case ts[i].is("in"):
			list = true
			i--
			if i >= 0 && ts[i].is("not") {
				i--
			}
			goto found
		case ts[i].kind == word && i >= 2 && ts[i-1].text == "::":
			i -= 2
		default:
			goto found
		}
	}
found:
	if i < 0 {
		return useAfter(ts, at)
	}
	var u use
	switch {
	case ts[i].is("limit"), ts[i].is("first", "next") && i > 0 && ts[i-1].is("fetch"):
		return use{limit: true}
	case ts[i].is("offset"):
		return use{offset: true}
	case ts[i].is("and") && i >= 2:
		// BETWEEN low AND high: back over the lower end
		j := i - 1
		for j >= 0 && (ts[j].kind == param || ts[j].kind == number || ts[j].kind == str || ts[j].punct("(") ||
			ts[j].punct(")") || ts[j].text == "::" || ts[j].kind == word && j >= 1 && ts[j-1].text == "::") {
			j--
		}
		if j < 0 || !ts[j].is("between") {
			return useAfter(ts, at)
		}
		u.high, i = true, j-1
	case ts[i].is("between"):
		u.low, i = true, i-1
	case ts[i].is("like", "ilike"):
		i--
	case ts[i].kind == op && comparison(ts[i].text):
		u.low, u.high = strings.HasPrefix(ts[i].text, ">"), strings.HasPrefix(ts[i].text, "<") && ts[i].text != "<>"
		i--
	case list: // the column stands right before IN
	default:
		return useAfter(ts, at)
	}
	if i >= 0 && ts[i].is("not") {
		i--
	}
	u.qualifier, u.column = columnBefore(ts, i)
	if u.column == "" {
		return useAfter(ts, at)
	}
	return u
}

// useAfter looks for an operator and a column behind a parameter: $1 = t.id.
func useAfter(ts []token, at int) use {
	i := at + 1
	for i+1 < len(ts) && ts[i].text == "::" {
		i += 2
	}
	if i+1 >= len(ts) || ts[i].kind != op || !comparison(ts[i].text) || !ts[i+1].name() {
		return use{}
	}
	u := use{low: strings.HasPrefix(ts[i].text, "<") && ts[i].text != "<>", high: strings.HasPrefix(ts[i].text, ">"),
		column: ts[i+1].text}
	if i+3 < len(ts) && ts[i+2].punct(".") && ts[i+3].name() {
		u.qualifier, u.column = ts[i+1].text, ts[i+3].text
		i += 2
	}
	if i+2 < len(ts) && ts[i+2].punct("(") { // a function
		return use{}
	}
	return u
}

// columnBefore reads t.id or id that ends at a token.
func columnBefore(ts []token, i int) (qualifier, column string) {
	for i >= 2 && ts[i].kind == word && ts[i-1].text == "::" { // id::text LIKE $1
		i -= 2
	}
	if i < 0 || !ts[i].name() || ts[i].is("where", "and", "or", "not", "on", "end", "when", "then", "else", "select") {
		return "", ""
	}
	if i >= 2 && ts[i-1].punct(".") && ts[i-2].name() {
		return ts[i-2].text, ts[i].text
	}
	return "", ts[i].text
}

func comparison(o string) bool {
	switch o {
	case "=", "<>", "!=", "<", ">", "<=", ">=", "~~", "~~*", "!~~":
		return true
	}
	return false
}
