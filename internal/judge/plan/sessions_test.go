package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/checks/configuration"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// TestSettingsOfRolesThatAPlanDecides: the check of ALTER ROLE and ALTER
// DATABASE knows exactly the planned settings that a session may have for itself.
func TestSettingsOfRolesThatAPlanDecides(t *testing.T) {
	var want []string
	for _, r := range rules.All() {
		name, ok := strings.CutPrefix(string(r.Address), "pg:")
		if !ok {
			continue
		}
		for major := 13; major <= 18; major++ {
			if p, ok := params.Lookup(major, name); ok && (p.Context == "user" || p.Context == "superuser") {
				want = append(want, name)
				break
			}
		}
	}
	slices.Sort(want)
	got := slices.Clone(configuration.PlannedForSessions)
	slices.Sort(got)
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("the check knows\n%s\nand plans decide\n%s", strings.Join(got, " "), strings.Join(want, " "))
	}
}
