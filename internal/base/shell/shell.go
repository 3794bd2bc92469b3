// Package shell spells words for a POSIX shell.
package shell

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// plainWord is what no POSIX shell takes for anything but itself.
var plainWord = regex.New(`^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$`)

// Quote spells one word for a POSIX shell.
func Quote(v string) string {
	if plainWord.MatchString(v) {
		return v
	}
	return "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
}
