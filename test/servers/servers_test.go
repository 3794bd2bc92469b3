// Package servers is the tier of tests that need real PostgreSQL servers, 13 to
// 18: every query runs, parameter facts equal the server's, every planned
// configuration starts and holds, shared memory is what the plan said, an
// evidence file judges as the live host does. Probing and experiments have a
// package of their own, test/experiments.
package servers

import "github.com/pgfettle/pgfettle/test/live"

// The servers, as package live gives them.
var (
	each, on                = live.EachAtOnce, live.OnAtOnce
	start, evidenceOf, read = live.Start, live.EvidenceOf, live.Read
	settingsOf, wantProblem = live.SettingsOf, live.WantProblem
	ask, lines              = live.Ask, live.Lines
	binaries                = live.Binaries
)
