package configuration

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// The shares of a sequence's way that were used up. At three quarters there is
// time to change the type of a large column in steps; at nine tenths it is a
// task for this month; what has one part in a hundred left may stop tonight.
const (
	sequenceNotice   = 0.75
	sequenceWarning  = 0.90
	sequenceCritical = 0.99
)

// SequencesExhausted takes the end of the column that a sequence belongs to
// where that comes before the sequence's own: a bigint sequence of an integer
// column ends at 2147483647.
var SequencesExhausted = check.Check{
	ID:       "sequences_exhausted",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "A sequence comes to its end",
	Why: "When a sequence has reached its greatest value, or the column that takes its default from it cannot hold " +
		"the next one, every INSERT fails. Changing integer into bigint rewrites the table and " +
		"its indexes under a lock that keeps everybody out: hours for a large one, unless it was prepared.",
	Do: "Make the column bigint before that: on a small table ALTER TABLE … ALTER COLUMN … TYPE bigint; on a large " +
		"one with a new column that a trigger keeps equal, a backfill in batches and a " +
		"swap, and the same for the columns that refer to it. The sequence of a serial column has a type of its " +
		"own: ALTER SEQUENCE … AS bigint; besides (one of an identity column follows by itself). Gaps that ON " +
		"CONFLICT or rollbacks burn are a usual cause of the pace.",
	Sources: []string{"pg-numeric-types"},
	Judge: func(c *check.Case) {
		list, ok := check.InDatabases(c, "sequences", c.Instance.Server.Deep.Sequences)
		if !ok {
			return
		}
		var found check.ByDatabase
		sev := check.Notice
		for _, s := range list {
			if s.Most <= 0 {
				continue
			}
			used := float64(s.Last) / float64(s.Most)
			switch {
			case used < sequenceNotice:
				continue
			case used >= sequenceCritical:
				sev = check.Critical
			case used >= sequenceWarning:
				sev = max(sev, check.Warning)
			}
			text := say.Template("{sequence} ({last} of {most}, {share})")
			if s.Table != "" {
				text = "{sequence} of {column} ({last} of {most}, {share})"
			}
			found.Add(c, s.In, text, "sequence", s.Schema+"."+s.Name, "column", s.Table+"."+s.Column,
				"last", fmt.Sprint(s.Last), "most", fmt.Sprint(s.Most), "share",
				say.Number(fmt.Sprintf("%d %%", int(100*used))))
		}
		if found.Any() {
			c.FoundAs(sev, "{found}.", "found", found.List(", "))
		}
	},
}
