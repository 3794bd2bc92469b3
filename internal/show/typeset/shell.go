package typeset

import (
	"regexp"
	"strings"
)

// plainWord is what no POSIX shell takes for anything but itself.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$`)

// ShellQuote spells one word for a POSIX shell.
func ShellQuote(v string) string {
	if plainWord.MatchString(v) {
		return v
	}
	return "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
}
