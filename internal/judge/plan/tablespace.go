package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// TablespaceOptions are those that a server has, 13 to 19.
var TablespaceOptions = []string{"seq_page_cost", "random_page_cost", "effective_io_concurrency",
	"maintenance_io_concurrency"}

// TablespaceValue is what a number of the server may be spelled with. All else stays out of
// the statement.
var TablespaceValue = regexp.MustCompile(`^[0-9A-Za-z.+ -]{1,100}$`)

// TablespaceSQL is the statement that gives a tablespace an option, or takes it out.
func TablespaceSQL(name, option, value string) (string, error) {
	if !slices.Contains(TablespaceOptions, option) || value != knob.Unset && !TablespaceValue.MatchString(value) ||
		name == "" || strings.ContainsRune(name, 0) {
		return "", fmt.Errorf("invalid value %q for the tablespace option %q", value, option)
	}
	alter := `ALTER TABLESPACE "` + strings.ReplaceAll(name, `"`, `""`) + `" `
	if value == knob.Unset {
		return alter + "RESET (" + option + ");", nil
	}
	return alter + "SET (" + option + " = '" + value + "');", nil
}
