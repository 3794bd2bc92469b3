package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// TestUnplanned: each knob that is read and not planned exists, has a reason of one line, is there once, and is decided
// by no rule.
func TestUnplanned(t *testing.T) {
	seen := map[knob.Address]bool{}
	for _, r := range rules.All() {
		seen[r.Address] = true
	}
	for _, u := range rules.ReadNotPlanned() {
		if seen[u.Address] {
			t.Errorf("%s appears twice, or a rule decides it", u.Address)
		}
		seen[u.Address] = true
		if _, err := knob.Parse(string(u.Address)); err != nil {
			t.Error(err)
		}
		if len(u.Why) < 15 || strings.ContainsAny(u.Why, "\n|") || strings.HasSuffix(u.Why, ".") {
			t.Errorf("%s: %q is not a clause that says why", u.Address, u.Why)
		}
		switch u.Address.Prefix() {
		case "pg":
			if !slices.ContainsFunc(params.Majors(), func(m int) bool {
				_, ok := params.Lookup(m, u.Address.Name())
				return ok
			}) {
				t.Errorf("no version has %s", u.Address)
			}
		case "sysctl":
			if !slices.Contains(host.SysctlNames, u.Address.Name()) {
				t.Errorf("%s is not read at all", u.Address)
			}
		}
	}
	// Every kernel parameter that is collected is planned, or has a reason why not, except those that only restrict
	// what can be seen.
	for _, n := range host.SysctlNames {
		if !seen[knob.Sysctl(n)] && n != "kernel.dmesg_restrict" && n != "kernel.perf_event_paranoid" {
			t.Errorf("%s is collected, and nobody says why it is not planned", n)
		}
	}
}
