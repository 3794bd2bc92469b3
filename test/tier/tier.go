// Package tier is the gate of tests that need what not every machine has: real
// servers, a kernel that may be touched, the rights of root. Such a test skips
// and names what is missing, and fails instead where PGFETTLE_REQUIRE names its
// tier: a run that requires all tiers cannot be green from skipping.
package tier

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The tiers that a test may lack something of.
const (
	Servers = "servers" // real servers of each major version
	Kernel  = "kernel"  // values of the kernel that may be changed, and are restored
	System  = "system"  // a whole machine that is booted in an emulator
	Web     = "web"     // a browser that pages are opened in
	Hostile = "hostile" // root, two throwaway accounts that attack it, and a tracer
	Rights  = "rights"  // root: to give files away, to become another user, to read what only root may

	Promtool = "promtool" // the tool of Prometheus that checks metrics and alert rules
	Packages = "packages" // a directory that make dist has filled, and what looks into packages
)

// Word begins the reason of each skip, before the name of the tier: test/progress
// holds what was skipped against what is required.
const Word = "tier "

// Missing ends a test that lacks something.
func Missing(t testing.TB, tier, format string, args ...any) {
	t.Helper()
	if Required(os.Getenv("PGFETTLE_REQUIRE"), tier) {
		t.Fatalf("tier %s is required: "+format, append([]any{tier}, args...)...)
	}
	t.Skipf(Word+tier+": "+format, args...)
}

// Required reports whether a list of tiers, separated by commas, names one.
func Required(list, tier string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(s string) bool { return strings.TrimSpace(s) == tier })
}

// Root lets a test go on that only root can run.
func Root(t testing.TB, what string) {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, Rights, "only root can %s", what)
	}
}
