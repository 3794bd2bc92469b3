package typeset

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count spells a number of things: "1 change", "3 changes".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Digits(n) + " " + many
}

// Digits groups a whole number from five digits on, as say does.
func Digits(n int) string {
	s := strconv.Itoa(n)
	if len(s) < 5 {
		return s
	}
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Capital begins a text with a capital.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// Sentence makes one of a clause.
func Sentence(s string) string {
	if s == "" {
		return ""
	}
	return Capital(s) + "."
}
