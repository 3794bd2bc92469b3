package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// Load is what is assumed of the sessions at the peak if nothing was measured.
type Load struct {
	// Sorts and Hashes are how many sort-like and hash-like nodes of one query
	// hold their memory at the same time: an index look-up has none, a report
	// with a join, an aggregate and an ORDER BY has two hashes and a sort.
	Sorts, Hashes float64
	// PerCPU is how many sessions per CPU are expected to run at once: 2 to
	// 4. Beyond that the processors are saturated. It bounds the speed and not the
	// memory: sessions that wait for a CPU, a lock or their client still hold what they have sorted and hashed.
	PerCPU float64
	// Reports: few sessions with large queries. Its work_mem is held against the
	// sessions that are expected at work, and against one node in every connection;
	// that of any other load against a whole query in every connection.
	Reports bool
	// TempTables is the share of the sessions at work that use temporary tables,
	// from 0 to 1: temp_buffers are allocated when a session touches its first
	// one, and by no other session. 1C makes them in nearly every query; of
	// reports and batch jobs some do; short web and OLTP transactions do not.
	TempTables float64
}

// reportsShare is the share of the connections that are expected to run reports at
// once, at the least.
const reportsShare = 0.1

// Mixed is the load of an instance whose workload was not specified: short queries and reports, of which one in ten
// goes through a temporary table.
var Mixed = Load{Sorts: 1, Hashes: 1, PerCPU: 3, TempTables: 0.1}

// activeMemory is how much memory there has to be for each session that is assumed to be at work. With its base, page
// tables and one small sort each takes about 10 MB, and the shared memory, the file cache and the maintenance have
// their parts of the memory too: a machine of 4 GB that is given 64 CPUs by its host does not run 192 queries at once.
const activeMemory = 64 * unit.MB

// Active returns how many sessions of an instance are expected at work at once at the peak: what the load assumes of so
// many CPUs and so much memory (the instance's part; 0: not known, and no bound), more if more are active now, were at
// the peak of a history, or on average, at least one, and never more than there are connections.
func (l Load) Active(in *snapshot.Instance, cpus, connections int, part unit.Bytes) int {
	return int(l.AtWork(in, cpus, connections, part))
}

// AtWork is Active before it is rounded down to whole sessions. With it a sum
// over the sessions grows evenly with the memory, without the steps that would
// let a megabyte more of it leave less to others.
func (l Load) AtWork(in *snapshot.Instance, cpus, connections int, part unit.Bytes) float64 {
	now := min(float64(mostSeen(in)), float64(connections))
	measured := min(PeakOverMean*MeanActive(in), float64(connections))
	assumed := float64(int(l.PerCPU * float64(cpus)))
	if part > 0 {
		assumed = min(assumed, float64(part)/float64(activeMemory))
	}
	if l.Reports {
		// Regardless of the memory: work_mem is sized by them.
		assumed = max(float64(int(l.PerCPU*float64(cpus))), reportsShare*float64(connections))
	}
	return min(max(now, measured, assumed, 1), float64(connections))
}

// openDays is for how long a history must have been taken before its peak of open
// sessions says more than max_connections: a week has its busy days.
const openDays = 7

// OpenOverPeak is how many times the peak that was seen may come: a pool that reconnects before its old sessions are
// gone has twice as many.
const OpenOverPeak = 2

// OpenOf returns how many sessions may be open at once: max_connections, or twice the peak of a history of at least a
// week if that is fewer.
func OpenOf(in *snapshot.Instance, connections int) int {
	h, ok := in.History.Get()
	if !ok || h.Open == nil || h.Days < openDays || h.Open.Value < 1 {
		return connections
	}
	most := max(h.Open.Value, float64(SeenOpen(in)))
	return int(min(float64(connections), OpenOverPeak*most))
}

// SeenOpen is how many sessions were seen open at once: now, or at the peak of a history of any length; 0 if not
// observed.
func SeenOpen(in *snapshot.Instance) int {
	n := int64(0)
	if a, ok := in.Server.Activity.Get(); ok {
		n = a.Clients
	}
	if h, ok := in.History.Get(); ok && h.Open != nil {
		n = max(n, int64(min(h.Open.Value, mostNumber)))
	}
	return int(n)
}

// mostSeen is how many sessions were seen at work at once: now, or at the peak
// of a history.
func mostSeen(in *snapshot.Instance) int64 {
	n := int64(0)
	if a, ok := in.Server.Activity.Get(); ok {
		n = a.States["active"].Count
	}
	if h, ok := in.History.Get(); ok && h.Active != nil {
		n = max(n, int64(h.Active.Value))
	}
	return n
}

// PeakOverMean is how many times the mean of whole days the peak is taken for: work of eight hours of the twenty-four
// is three times their mean, and a load that never rests is its own. If the true peak is higher, the user has to say
// so.
const PeakOverMean = 2

// MeasuredLeast is for how long statistics must have been counted, in seconds:
// a day has its busy hours and the batch of its night.
const MeasuredLeast = limits.Day

// MeanActive returns how many sessions of an instance were executing something at once on average, by pg_stat_database
// (14+); 0 if that was not counted for a day.
func MeanActive(in *snapshot.Instance) float64 {
	dbs, _ := in.Server.Databases.Get()
	sum := 0.0
	for _, d := range dbs {
		ms, ok := d.ActiveTime.Get()
		secs, ok2 := in.Server.CountedFor(d)
		if ok && ok2 && secs >= MeasuredLeast && ms > 0 {
			sum += ms / 1000 / secs
		}
	}
	return sum
}
