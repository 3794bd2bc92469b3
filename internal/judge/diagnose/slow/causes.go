package slow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// From where on a node that locks rows is taken to have waited for a lock.
const (
	lockLeast    = 1000.0 // milliseconds: deadlock_timeout, after which the server logs a wait
	lockPerBlock = 10.0   // milliseconds for each block: longer than a spinning disk takes
	lockPerRow   = 100.0  // for each row, where blocks were not counted
)

// lockWaits tells a node that locks or changes rows and took long without doing much.
func (d *Reading) lockWaits() {
	if q := strings.ToUpper(d.run.Query); strings.Contains(q, "SKIP LOCKED") || strings.Contains(q, "NOWAIT") {
		return
	}
	for _, r := range d.list {
		if !modifies(r.Head) || !r.timed || len(r.Children) == 0 {
			continue
		}
		left := r.own
		for _, t := range d.run.Triggers { // those that run before the change are in the node's time
			if t.Time != nil {
				left -= *t.Time
			}
		}
		rows := 0.0
		work := queryplan.Buffers{}
		if r.Buffers != nil {
			work = *r.Buffers
		}
		counted := r.Buffers != nil
		for _, c := range r.Children {
			if c.Actual != nil {
				rows += c.Actual.Rows * c.Actual.Loops
			}
			if b := c.Buffers; b != nil {
				work.Hit, work.Read = work.Hit-b.Hit, work.Read-b.Read
			}
			if c.IO != nil {
				left += c.IO.Read + c.IO.Write
			}
		}
		if r.IO != nil {
			left -= r.IO.Read + r.IO.Write
		}
		blocks := float64(max(work.Hit+work.Read, 0))
		certainty, each := Likely, left/max(blocks, 1)
		text := fmt.Sprintf("%s took %s of its own for %s blocks and %s rows", r.Head, ms(r.own), figure(blocks),
			figure(rows))
		least := lockPerBlock
		if !counted {
			certainty, each, least = Possible, left/max(rows, 1), lockPerRow
			text = fmt.Sprintf("%s took %s of its own for %s rows", r.Head, ms(r.own), figure(rows))
		}
		if left < lockLeast || d.share(left) < 5*readMuch || each < least {
			continue
		}
		d.add("lock-wait", certainty, d.share(left), &left, "It probably waited for a lock on rows", []string{text},
			[]string{"log_lock_waits = on writes who waited for whom, after deadlock_timeout",
				"while it hangs: SELECT pid, pg_blocking_pids(pid), wait_event, query FROM pg_stat_activity WHERE " +
					"wait_event_type = 'Lock'",
				"a trigger that runs before the change, and a full disk or WAL device, show here too"})
		return
	}
}

// serialize tells the making of the output, which no node has.
func (d *Reading) serialize() {
	s := d.run.Serialize
	if s == nil || s.Time == nil || d.share(*s.Time) < readMuch {
		return
	}
	t := *s.Time
	evidence := []string{fmt.Sprintf("serialization took %s, %.1f %% of the time, for %s of output", ms(t), d.share(t),
		unit.Bytes(s.OutputKB)*unit.KB)}
	if b := s.Buffers; b != nil {
		evidence = append(evidence, fmt.Sprintf("it looked at %s blocks, as values that are stored out of line "+
			"(TOAST) need", figure(b.Hit+b.Read)))
	}
	d.add("serialize", Sure, d.share(t), &t, "Making the output took the time", evidence,
		[]string{"large values are fetched from TOAST only when they are written out: select fewer columns or rows"})
}

// calls tells a node whose time is that of functions: what they run has plans of its own.
func (d *Reading) calls() {
	r := d.top()
	if r == nil || d.share(r.own) < 5*readMuch || len(d.Inconsistent) > 0 || len(r.Children) > 0 ||
		!strings.HasPrefix(r.Head, "Result") && !strings.HasPrefix(r.Head, "Function Scan") {
		return
	}
	evidence := []string{fmt.Sprintf("%s has %s of its own, %.0f %% of the time, and reads no table", r.Head, ms(r.own),
		d.share(r.own))}
	for i := range d.Plans { // a nested statement is logged before the one that called it
		p := &d.Plans[i]
		if p.Name == d.Plan.Name && p.Query == d.Plan.Query {
			break
		}
		if p.Execution != nil && *p.Execution <= d.total && len(evidence) < 4 {
			evidence = append(evidence, fmt.Sprintf("%s took %s: it ran inside, if it is a nested statement of this "+
				"call", p.Name, ms(*p.Execution)))
		}
	}
	own := r.own
	d.add("function-call", Likely, d.share(own), &own, "The time is inside the functions that are called", evidence,
		[]string{"for functions in SQL and PL/pgSQL: auto_explain.log_nested_statements = on logs the plans of their " +
			"statements; read the slowest of those",
			"which functions take it: SET track_functions = 'pl', then pg_stat_user_functions"})
}

// removedElsewhere says what to do where a condition is applied to rows that another server has sent, or that were
// decompressed for it.
func removedElsewhere(head string) []string {
	switch {
	case strings.Contains(head, "Foreign Scan"):
		return []string{"the filter is applied here, after the remote server has sent the rows: write the " +
			"condition so that it can be sent (operators and functions that are immutable, in an extension named by " +
			"the server's option extensions), and see it in Remote SQL"}
	case strings.Contains(head, "DecompressChunk"):
		return []string{"rows are decompressed before the filter is applied: timescaledb.compress_segmentby for the " +
			"columns that are compared, or compress_orderby, spares batches; an index on the chunk does not"}
	}
	return nil
}

// pattern says whether a condition is a search within texts that no ordinary index serves.
func pattern(cond string) bool {
	for _, op := range []string{" ~~* ", " !~~", " ~* ", " ~ "} {
		if strings.Contains(cond, op) {
			return true
		}
	}
	_, rest, ok := strings.Cut(cond, " ~~ '")
	return ok && (strings.HasPrefix(rest, "%") || strings.HasPrefix(rest, "_"))
}

// pruned says whether partitions were removed at or below a node before the first row: its estimate counts them.
func pruned(n *queryplan.Node) bool {
	return n.Pruned > 0 || slices.ContainsFunc(n.Children, pruned)
}
