package memory

import "github.com/pgfettle/pgfettle/internal/fact/snapshot"

// Load is what is assumed of the sessions at the peak where nothing was
// measured.
type Load struct {
	// Sorts and Hashes are how many sort-like and hash-like nodes of one query
	// hold their memory at the same time: an index look-up has none, a report
	// with a join, an aggregate and an ORDER BY has two hashes and a sort.
	Sorts, Hashes float64
	// PerCPU is how many sessions per processor are at work at once: facts.md 4d
	// takes 2 to 4. Beyond that the processors are saturated and more sessions
	// only wait, whatever max_connections allows.
	PerCPU float64
}

// Mixed is the load of an instance of which nobody said what it is for: short
// queries and reports.
var Mixed = Load{Sorts: 1, Hashes: 1, PerCPU: 3}

// Active returns how many sessions of an instance are at work at once at the
// peak: what the load assumes of so many processors, more where more are at
// work now, at least one, and never more than there are connections.
func (l Load) Active(in *snapshot.Instance, cpus, connections int) int {
	now := int64(0)
	if a, ok := in.Server.Activity.Get(); ok {
		now = min(a.States["active"].Count, int64(connections))
	}
	return min(max(int(now), int(l.PerCPU*float64(cpus)), 1), connections)
}
