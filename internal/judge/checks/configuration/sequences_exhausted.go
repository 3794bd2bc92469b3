package configuration

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// The used fraction of a sequence. At 75% there is time to change the type of a
// large column in steps; at 90% it is a task for this month; with 1% left, it may
// be exhausted tonight.
const (
	sequenceNotice   = 0.75
	sequenceWarning  = 0.90
	sequenceCritical = 0.99
)

// SequencesExhausted uses the maximum of the column that owns the sequence if that
// is lower than the sequence's own: a bigint sequence of an integer column ends at
// 2147483647.
var SequencesExhausted = check.Check{
	ID:       "sequences_exhausted",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Sequence close to exhaustion",
	Why: "When a sequence has reached its maximum, or the type of its column cannot hold the next value, every " +
		"INSERT that uses it fails. Changing integer to bigint rewrites the table and its indexes under an " +
		"ACCESS EXCLUSIVE lock. For a large table this blocks all access for hours, unless it was prepared.",
	Do: "Change the column to bigint before the sequence is exhausted. For a small table (blocks all access to " +
		"it), run ALTER TABLE TABLE_NAME ALTER COLUMN COLUMN_NAME TYPE bigint;\nFor a large table, add a new column " +
		"that a trigger keeps in sync, backfill it in batches, and swap the columns. Do the same for the columns " +
		"that reference it. The sequence of a serial column has its own type: ALTER SEQUENCE SEQUENCE_NAME AS " +
		"bigint;\nThat of an identity column follows automatically. Gaps from ON CONFLICT or rollbacks are a " +
		"frequent cause of fast growth.",
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
				say.Number(fmt.Sprintf("%d%%", int(100*used))))
		}
		if found.Any() {
			c.FoundAs(sev, "{found}.", "found", found.List(", "))
		}
	},
}
