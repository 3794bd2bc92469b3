// Package await waits for a state, in tests that have another process or the
// kernel to wait for. Within one process there is nothing to wait for: there
// testing/synctest has a clock that a test can rely on.
package await

import (
	"testing"
	"time"
)

// Patience ends a wait for what never comes. It measures nothing: what is waited for takes milliseconds on an idle
// machine, and on one whose CPUs thirty others want as well it has taken a minute.
const Patience = 5 * time.Minute

// pause is the time between two looks: short beside what a test takes, and long
// beside the look.
const pause = 5 * time.Millisecond

// That waits until something is so, and fails the test if it never is. In addition to the answer, look returns what it
// saw, which the message includes.
func That(t testing.TB, what string, look func() (is bool, seen any)) {
	t.Helper()
	for end := time.Now().Add(Patience); ; time.Sleep(pause) {
		is, seen := look()
		if is {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s; last seen: %v", what, Patience, seen)
		}
	}
}
