package export

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// shellable refuses changes that a script cannot carry in plain sight: a shell word ends at a NUL, and what acts on a
// terminal would hide the rest of the line from a reader of the script.
func shellable(form string, list []plan.Change) error {
	for _, c := range list {
		for _, v := range []string{string(c.Address), c.To, c.ToBase} {
			if !utf8.ValidString(v) || strings.ContainsFunc(v, typeset.Hidden) {
				return fmt.Errorf(
					"%s: the value of %s holds characters that cannot be seen in a script; pin another one, or use "+
						"--format alter-system", form, typeset.Clean(string(c.Address)))
			}
		}
	}
	return nil
}
