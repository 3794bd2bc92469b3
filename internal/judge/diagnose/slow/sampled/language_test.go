package sampled

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/test/translated"
)

// TestIn verifies that each text of a sample and of a profile follows the language.
func TestIn(t *testing.T) {
	e := calm()
	e.Waits = append(e.Waits, live.Wait{Backend: "client backend", State: "active", Type: "Lock", Event: "tuple",
		Seen: 300})
	e.Blockers = []live.Blocker{{PID: 4711, Waiters: 9, State: "idle in transaction", Since: 600, Query: "UPDATE t"}}
	e.Perf = []live.Symbol{{Percent: 8.64, Command: "postgres", Name: "s_lock"}}
	e.Missing = []known.Gap{{Fact: "perf", Reason: "not installed"}}
	d := Judge("x", e)
	if len(d.Verdicts) < 2 || len(d.Functions) == 0 || len(d.Missing) == 0 {
		t.Fatalf("%+v", d)
	}
	translated.Whole(t, d, func(d *Sample, c *say.Catalogue) *Sample { return d.In(c) })

	p, err := live.ParseProfile([]byte("postgres;main;s_lock 55\npostgres;main;x;handle_mm_fault_[k] 20\nodd\n"))
	if err != nil {
		t.Fatal(err)
	}
	profile := JudgeProfile("perf.txt", p)
	if len(profile.Verdicts) == 0 || len(profile.Groups) == 0 || len(profile.Callers) == 0 ||
		len(profile.Missing) == 0 {
		t.Fatalf("%+v", profile)
	}
	translated.Whole(t, profile, func(d *Profile, c *say.Catalogue) *Profile { return d.In(c) })
}
