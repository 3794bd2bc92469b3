package outline

import (
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

func (p Words) Drift(d journal.Drift) string {
	if d.Found != "" {
		return p.Say("show/status/drift", "applied {applied}, now {found}", "applied", Shown(d.Applied), "found", Shown(d.Found))
	}
	return p.Say("show/status/applied", "applied {applied}", "applied", Shown(d.Applied))
}

func (p Words) StatusSummary(list []journal.Drift, n map[journal.Hold]int) string {
	switch {
	case len(list) == 0:
		return p.Say("show/status/none", "Nothing is applied here that was not taken back.")
	case n[journal.Holds] == len(list):
		return p.Many("show/status/all_hold", len(list), "{n} applied value holds.", "All of {n} applied values hold.")
	}
	return p.Many("show/status/some_hold", len(list), "{held} of {n} applied value hold.", "{held} of {n} applied values hold.", "held", n[journal.Holds])
}
