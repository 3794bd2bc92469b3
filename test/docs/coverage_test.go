package docs

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/test/coverage"
)

// TestEveryCarrierExists: what docs/coverage.md names as the carrier of a
// statement is a check, a knob or a page of the registries, or a command.
func TestEveryCarrierExists(t *testing.T) {
	rows, err := coverage.Rows()
	if err != nil {
		t.Fatal(err)
	}
	commands := commandHelp(t)
	if _, ok := commands["demo oom"]; !ok {
		t.Fatalf("the commands are read wrongly: %d of them", len(commands))
	}
	for _, r := range rows {
		for _, c := range r.Carriers {
			if err := coverage.Find(c, commands); err != nil {
				t.Errorf("statement %d: %v", r.Number, err)
			}
		}
	}
}

// heading is that of a command in docs/commands.md.
var heading = regexp.MustCompile(`(?m)^##+ pgfettle (.+)$`)

// commandHelp returns the help of each command by its path.
func commandHelp(t *testing.T) map[string]string {
	t.Helper()
	text := commandPages(t)
	at := heading.FindAllStringSubmatchIndex(text, -1)
	out := map[string]string{}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		out[strings.TrimSpace(text[m[2]:m[3]])] = text[m[1]:end]
	}
	return out
}
