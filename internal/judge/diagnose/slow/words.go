package slow

import (
	"fmt"
	"math"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// ms spells milliseconds for people.
func ms(v float64) say.Number {
	switch {
	case v >= 100_000:
		return say.Number(fmt.Sprintf("%.0f s", v/1000))
	case v >= 10_000:
		return say.Number(fmt.Sprintf("%.1f s", v/1000))
	case v >= 100:
		return say.Number(fmt.Sprintf("%.0f ms", v))
	case v >= 1:
		return say.Number(fmt.Sprintf("%.1f ms", v))
	}
	return say.Number(fmt.Sprintf("%.3f ms", v))
}

// figure spells a whole number for people.
func figure[T int64 | float64](v T) say.Number {
	s := fmt.Sprintf("%.0f", float64(v))
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return say.Number(s)
}

// percent spells a share.
func percent(v float64) say.Number { return say.Number(fmt.Sprintf("%.0f%%", v)) }

// factor spells how many times as much something is.
func factor(f float64) say.Number {
	if f >= 10 {
		return figure(f)
	}
	return say.Number(fmt.Sprintf("%.1f", f))
}

// whole is a count, which EXPLAIN may have as a mean over loops.
func whole(v float64) int64 { return int64(math.Min(math.Round(v), 1<<62)) }

func rowsOf(v float64) say.Message { return say.N(whole(v), "{n} row", "{n} rows") }

func blocksOf(v float64) say.Message { return say.N(whole(v), "{n} block", "{n} blocks") }

func loopsOf(v float64) say.Message { return say.N(whole(v), "{n} loop", "{n} loops") }

// MissingHead is the name of a node whose own line is missing.
const MissingHead = queryplan.MissingHead

// named is the name of a node in a sentence: what stands for a missing line follows the language.
func named(head string) any {
	if head == string(MissingHead) {
		return say.M(MissingHead)
	}
	return head
}

// setting is one that a plan ran with.
func setting(p queryplan.Property) string { return p.Name + " = " + Cut(p.Text) }

// What reports on one plan and on two have in common.

func rowLockTitle() say.Message { return say.M("Probable wait for a row lock") }

func logLockWaits() say.Message {
	return say.M("log_lock_waits = on (reload) logs waits longer than deadlock_timeout, with the session that holds " +
		"the lock.")
}

func seeLocks() say.Message {
	return say.M("While it waits: SELECT pid, pg_blocking_pids(pid), wait_event, query FROM pg_stat_activity WHERE " +
		"wait_event_type = 'Lock';")
}

func readTitle() say.Message { return say.M("Blocks were not in shared buffers and had to be read") }

func spillTitle() say.Message { return say.M("Sorts or hashes exceeded work_mem and spilled to disk") }

func lossyTitle() say.Message { return say.M("Bitmap exceeded work_mem and became lossy") }

func fetchesTitle() say.Message { return say.M("Index Only Scan had to read the table") }

func clientTitle() say.Message { return say.M("Time was spent before or after the query, not in it") }

func outsideTitle() say.Message { return say.M("Execution time outside of all nodes") }

func hintBitsTitle() say.Message {
	return say.M("Hint bits: the first read after many changes dirties blocks")
}

func fullPagesTitle() say.Message {
	return say.M("Full-page images: pages were changed for the first time after a checkpoint")
}

func memoizeTitle() say.Message { return say.M("Memoize cache was too small") }

// clientWaited is what the client saw of a run.
func clientWaited(p *Plan) say.Message {
	return say.M("the client waited {client}, planning and execution took {server}", "client", ms(*p.Client), "server",
		ms(*p.Total))
}

func wayToServer() say.Message {
	return say.M("Check the way to the server: connection, queue of the pooler (SHOW POOLS; in PgBouncer), network.")
}

func otherWork() say.Message {
	return say.M("Opening many partitions, waiting for locks on them, and removing temporary files count here.")
}

func lessOutput() say.Message {
	return say.M("Large values are read from TOAST only when they are output: select fewer columns or rows.")
}

func withoutJIT() say.Message {
	return say.M("In this session, run SET jit = off; and the query again. If only some queries benefit from JIT, " +
		"raise jit_above_cost (pgfettle explain jit).")
}

func triggerAdvice() []say.Message {
	return []say.Message{
		say.M("For a foreign key, create an index on the referencing columns, and check for locks on the referenced " +
			"rows."),
		say.M("For triggers of your own, log their statements with auto_explain.log_nested_statements = on.")}
}

func busyWorkers() say.Message {
	return say.M("Other queries used the workers: compare max_parallel_workers with the parallel load (pgfettle " +
		"explain max_parallel_workers).")
}

func readTwice() say.Message {
	return say.M("The first run after a start or a large scan has to read: run it twice, and compare the second runs.")
}

func readTimes() say.Message {
	return say.M("Less than 0.05 ms per block is the page cache, about 0.1 ms an SSD, 5 ms or more a spinning disk.")
}

func timeReads() say.Message {
	return say.M("SET track_io_timing = on; and run it again: this distinguishes a slow disk (milliseconds per " +
		"block) from the page cache (microseconds).")
}

func fullBuffers() say.Message {
	return say.M("The background writer is too slow, or shared_buffers is too small for the writes: pgfettle explain " +
		"bgwriter_lru_maxpages.")
}

func runAgain() say.Message {
	return say.M("Run it again: the second run does not do that. VACUUM after a bulk load does it in advance.")
}

func rarerCheckpoints() say.Message {
	return say.M("Make checkpoints less frequent: pgfettle explain max_wal_size.")
}

func askPlan() say.Message {
	return say.M("For a role or all sessions, pgfettle plan calculates a value that takes the number of connections " +
		"into account.")
}
