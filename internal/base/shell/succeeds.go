package shell

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var successes = regex.New(`^(?:(?:/usr)?/bin/)?true(?: +"?%[pfr]"?)*$|^:(?: +"?%[pfr]"?)*$|^exit 0$|^cd \.$|` +
	`^(?i:rem)(?:\s.*)?$|^(?i:cmd /c )?exit(?: /b)? 0$|^(?:/bin/)?(?:ba)?sh -c ["']?(?:true|exit 0|:)["']?$`)

// OnlySucceeds reports whether a line of a setting such as archive_command does nothing and succeeds, in a shell of
// Unix or of Windows.
func OnlySucceeds(line string) bool { return successes.MatchString(strings.TrimSpace(line)) }
