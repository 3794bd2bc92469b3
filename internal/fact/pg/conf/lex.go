package conf

// kind of a token, as the server's guc-file.l has them.
type kind int

const (
	end        kind = iota // of the line
	identifier             // {LETTER}{LETTER_OR_DIGIT}*
	qualified              // two identifiers with a dot between
	quoted                 // '…'
	bareword               // an identifier's letters with - . _ : / in it
	number                 // whole, with a unit, or with a point, without one
	equals
	fault
)

type token struct {
	kind kind
	text string
}

// lexer takes one line without its end apart. Of several tokens that begin at
// one place the longest counts, and of equally long ones the first in the order
// of the constants, as in every lex program.
type lexer struct {
	text string
	at   int
}

func (l *lexer) next() token {
	for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\t' || l.text[l.at] == '\r') {
		l.at++
	}
	if l.at == len(l.text) || l.text[l.at] == '#' {
		l.at = len(l.text)
		return token{kind: end}
	}
	k, n := fault, 1
	rest := l.text[l.at:]
	switch c := rest[0]; {
	case c == '=':
		k = equals
	case c == '\'':
		if m := stringLength(rest); m > 0 {
			k, n = quoted, m
		}
	case letter(c):
		k, n = word(rest)
	case c == '+' || c == '-' || c == '.' || digit(c):
		if m := numberLength(rest); m > 0 {
			k, n = number, m
		}
	}
	l.at += n
	return token{k, rest[:n]}
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func hexDigit(c byte) bool {
	return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unitLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func inWord(c byte) bool { return letter(c) || digit(c) }

func inBareword(c byte) bool {
	return inWord(c) || c == '-' || c == '.' || c == ':' || c == '/'
}

// run returns how many bytes from i on are of a class.
func run(s string, i int, class func(byte) bool) int {
	n := 0
	for i+n < len(s) && class(s[i+n]) {
		n++
	}
	return n
}

// word reads what begins with a letter.
func word(s string) (kind, int) {
	k, n := identifier, run(s, 0, inWord)
	if n+1 < len(s) && s[n] == '.' && letter(s[n+1]) {
		k, n = qualified, n+1+run(s, n+1, inWord)
	}
	if m := run(s, 0, inBareword); m > n {
		k, n = bareword, m
	}
	return k, n
}

// stringLength returns the length of a quoted string, 0 where it does not end.
// Where a doubled quote is followed by no further end, the first of the two
// was the end.
func stringLength(s string) int {
	n := 0
	for i := 1; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i += 2
		case s[i] == '\\':
			return n
		case s[i] == '\'':
			n = i + 1
			if i+1 == len(s) || s[i+1] != '\'' {
				return n
			}
			i += 2
		default:
			i++
		}
	}
	return n
}

// numberLength returns the length of a whole number with a unit, or of one with
// a point, whichever is longer; 0 where there is neither.
func numberLength(s string) int {
	i := 0
	if s[0] == '+' || s[0] == '-' {
		i = 1
	}
	whole := run(s, i, digit)
	n := 0
	if whole > 0 {
		n = i + whole + run(s, i+whole, unitLetter)
		if s[i] == '0' && i+1 < len(s) && s[i+1] == 'x' {
			if h := run(s, i+2, hexDigit); h > 0 {
				n = max(n, i+2+h+run(s, i+2+h, unitLetter))
			}
		}
	}
	if p := i + whole; p < len(s) && s[p] == '.' {
		m := p + 1 + run(s, p+1, digit)
		if m < len(s) && (s[m] == 'e' || s[m] == 'E') {
			e := m + 1
			if e < len(s) && (s[e] == '+' || s[e] == '-') {
				e++
			}
			if d := run(s, e, digit); d > 0 {
				m = e + d
			}
		}
		n = max(n, m)
	}
	return n
}
