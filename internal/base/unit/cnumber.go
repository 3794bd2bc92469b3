package unit

import (
	"math"
	"strconv"
	"strings"
)

// Blanks is what C's isspace takes.
const Blanks = " \t\n\v\f\r"

// CNumber reads the number at the beginning of a text as C's strtol with base 0
// and strtod do, and returns what follows it. Whole is for integers: 0x1F is
// hexadecimal and 010 octal, unless a point or an exponent makes it a real.
func CNumber(text string, whole bool) (n float64, rest string, ok bool) {
	s := strings.TrimLeft(text, Blanks)
	if whole {
		i := 0
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		base, digits := 10, i
		switch {
		case i+2 < len(s) && s[i] == '0' && (s[i+1] == 'x' || s[i+1] == 'X') && value(s[i+2]) < 16:
			base, digits = 16, i+2
		case i < len(s) && s[i] == '0':
			base = 8
		}
		end := digits
		for end < len(s) && value(s[end]) < base {
			end++
		}
		if end == digits {
			ok = strings.HasPrefix(s[i:], ".") && realAt(s, &n, &rest)
			return n, rest, ok
		}
		if v, err := strconv.ParseInt(s[digits:end], base, 64); err == nil &&
			(end == len(s) || s[end] != '.' && s[end] != 'e' && s[end] != 'E') {
			if i > 0 && s[0] == '-' {
				v = -v
			}
			return float64(v), s[end:], true
		}
	}
	ok = realAt(s, &n, &rest)
	return n, rest, ok
}

// value is that of a digit, 99 for what is none.
func value(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}

// realAt is strtod: the longest beginning that is a number. NaN, and what is too
// large or too small for a double, is none to the server.
func realAt(s string, n *float64, rest *string) bool {
	end := realLength(s)
	if end == 0 {
		return false
	}
	text := s[:end]
	if low := strings.ToLower(text); strings.Contains(low, "0x") && !strings.Contains(low, "p") {
		text += "p0" // Go asks for the exponent that C omits
	}
	v, err := strconv.ParseFloat(text, 64)
	tiny := v != 0 && math.Abs(v) < 0x1p-1022
	if err != nil || math.IsNaN(v) || tiny || v == 0 && strings.Trim(mantissa(text), "+-0.xX") != "" {
		return false
	}
	*n, *rest = v, s[end:]
	return true
}

func mantissa(s string) string {
	if strings.ContainsAny(s, "xX") {
		m, _, _ := strings.Cut(strings.ToLower(s), "p")
		return m
	}
	m, _, _ := strings.Cut(strings.ToLower(s), "e")
	return m
}

// realLength returns the length of the number at the beginning of a text.
func realLength(s string) int {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	for _, w := range []string{"infinity", "inf", "nan"} {
		if len(s)-i >= len(w) && strings.EqualFold(s[i:i+len(w)], w) {
			return i + len(w)
		}
	}
	limit, exp := 10, "eE"
	if i+2 < len(s) && s[i] == '0' && (s[i+1] == 'x' || s[i+1] == 'X') &&
		(value(s[i+2]) < 16 || s[i+2] == '.' && i+3 < len(s) && value(s[i+3]) < 16) {
		i, limit, exp = i+2, 16, "pP"
	}
	digits := 0
	for ; i < len(s) && value(s[i]) < limit; i++ {
		digits++
	}
	if i < len(s) && s[i] == '.' {
		j := i + 1
		for ; j < len(s) && value(s[j]) < limit; j++ {
			digits++
		}
		if digits > 0 {
			i = j
		}
	}
	if digits == 0 {
		return 0
	}
	if i < len(s) && strings.IndexByte(exp, s[i]) >= 0 {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if k := j; k < len(s) && value(s[k]) < 10 {
			for ; k < len(s) && value(s[k]) < 10; k++ {
			}
			i = k
		}
	}
	return i
}
