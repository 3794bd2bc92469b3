package monitor

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// mostJournals limits the journals that are read, the latest first: an apply that was undone is none that a plan
// depends on.
const mostJournals = 20

// LastApplied is the last apply of which something is in force; nil: none that can
// be read.
func LastApplied(t target.Target, dir string) *journal.Journal {
	names, err := t.ReadDir(dir)
	if err != nil {
		return nil
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".jsonl") })
	slices.Sort(names) // an id starts with its time
	slices.Reverse(names)
	for _, n := range names[:min(len(names), mostJournals)] {
		j, err := journalfile.Read(t, dir, strings.TrimSuffix(n, ".jsonl"))
		if err != nil || j.State != journal.Whole && j.State != journal.Partly {
			continue
		}
		return j
	}
	return nil
}
