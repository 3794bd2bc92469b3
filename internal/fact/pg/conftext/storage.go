package conftext

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// storageSign is a statement that sets parameters of one table or index, some of which have the names of settings of
// the server, if its list goes on in further lines.
var storageSign = regex.New(`(?i)^[\s#-]*(?:(?:alter|create)\s.*\b)?(?:set|with)\s*\([^()]*$`)

// mostStorage lines are of one list: PostgreSQL knows some thirty such parameters.
const mostStorage = 60

// withoutStorage empties the lines of the parameters of tables.
func withoutStorage(text string) string {
	if low := strings.ToLower(text); !strings.Contains(low, "table") && !strings.Contains(low, "index") {
		return text
	}
	lines, left, found := strings.Split(text, "\n"), 0, false
	for i, l := range lines {
		switch {
		case left == 0 && storageSign.MatchString(l):
			left = mostStorage
		case left == 0:
			continue
		case strings.Contains(withoutNote(l), ")"):
			left = 0
		default:
			left--
		}
		lines[i], found = "", true
	}
	if !found {
		return text
	}
	return strings.Join(lines, "\n")
}
