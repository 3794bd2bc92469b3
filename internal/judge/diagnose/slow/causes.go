package slow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/shape"
)

// The threshold from which a node that locks rows is assumed to have waited for a lock.
const (
	lockLeast    = 1000.0 // milliseconds: deadlock_timeout, after which the server logs a wait
	lockPerBlock = 10.0   // milliseconds for each block: longer than a spinning disk takes
	lockPerRow   = 100.0  // for each row, if blocks were not counted
)

// lockWaits detects a node that locks or changes rows and took long without doing much.
func (d *Reading) lockWaits() {
	if q := strings.ToUpper(d.run.Query); strings.Contains(q, "SKIP LOCKED") || strings.Contains(q, "NOWAIT") {
		return
	}
	for _, r := range d.list {
		if !shape.Modifies(r.Head) || !r.timed || len(r.Children) == 0 {
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
		text := say.M("{node} itself took {time} for {blocks} and {rows}",
			"node", named(r.Head), "time", ms(r.own), "blocks",
			blocksOf(blocks), "rows", rowsOf(rows))
		least := lockPerBlock
		if !counted {
			certainty, each, least = Possible, left/max(rows, 1), lockPerRow
			text = say.M("{node} itself took {time} for {rows}", "node", named(r.Head), "time", ms(r.own), "rows",
				rowsOf(rows))
		}
		if left < lockLeast || d.share(left) < 5*readMuch || each < least {
			continue
		}
		d.add("lock-wait", certainty, d.share(left), &left, rowLockTitle(), []say.Message{text},
			[]say.Message{logLockWaits(), seeLocks(),
				say.M("A trigger that runs before the change, and a saturated disk or WAL device, look the same.")})
		return
	}
}

// serialize detects the serialization of the output, which belongs to no node.
func (d *Reading) serialize() {
	s := d.run.Serialize
	if s == nil || s.Time == nil || d.share(*s.Time) < readMuch {
		return
	}
	t := *s.Time
	evidence := []say.Message{say.M("serialization took {time}, {percent} of the time, for {size} of output", "time",
		ms(t), "percent", say.Number(fmt.Sprintf("%.1f%%", d.share(t))), "size", unit.Bytes(s.OutputKB)*unit.KB)}
	if b := s.Buffers; b != nil {
		evidence = append(evidence, say.M("it accessed {blocks}, usually for values that are stored out of line "+
			"(TOAST)", "blocks", blocksOf(float64(b.Hit+b.Read))))
	}
	d.add("serialize", Sure, d.share(t), &t, say.M("Time was spent on output serialization"),
		evidence,
		[]say.Message{lessOutput()})
}

// calls detects a node whose time is spent in functions: what they run has its own plans.
func (d *Reading) calls() {
	r := d.top()
	if r == nil || d.share(r.own) < 5*readMuch || len(d.Inconsistent) > 0 || len(r.Children) > 0 ||
		!strings.HasPrefix(r.Head, "Result") && !strings.HasPrefix(r.Head, "Function Scan") {
		return
	}
	evidence := []say.Message{say.M("{node} took {time}, {percent} of the time, and reads no table",
		"node", named(r.Head),
		"time", ms(r.own), "percent", percent(d.share(r.own)))}
	for i := range d.Plans { // a nested statement is logged before the one that called it
		p := &d.Plans[i]
		if p.Name == d.Plan.Name && p.Query == d.Plan.Query {
			break
		}
		if p.Execution != nil && *p.Execution <= d.total && len(evidence) < 4 {
			evidence = append(evidence, say.M("{plan} took {time}; it ran inside, if it is a nested statement of "+
				"this call", "plan", gapwords.Arg(p.Name), "time", ms(*p.Execution)))
		}
	}
	own := r.own
	d.add("function-call", Likely, d.share(own), &own, say.M("Time was spent in the called functions"), evidence,
		[]say.Message{
			say.M("For functions in SQL and PL/pgSQL, auto_explain.log_nested_statements = on logs the plans of " +
				"their statements: read the slowest of them."),
			say.M("To find the functions that take the time, SET track_functions = 'all'; and query " +
				"pg_stat_user_functions.")})
}

// computed are scans of rows that the plan itself has made.
var computed = []string{"Subquery Scan", "CTE Scan", "WorkTable Scan", "Values Scan", "Named Tuplestore Scan"}

// removedElsewhere says what to do if a condition is applied to rows that another server has sent, or that were
// decompressed for it.
func removedElsewhere(head string) []say.Message {
	switch {
	case strings.Contains(head, "Aggregate"):
		return []say.Message{say.M("The condition is on groups (HAVING), all of which must be computed first. A " +
			"condition on columns that the rows are grouped by belongs in WHERE.")}
	case strings.Contains(head, "Foreign Scan"):
		return []say.Message{say.M("The filter is applied here, after the remote server has sent the rows. Write the " +
			"condition so that it can be sent (immutable operators and functions, built-in or of an extension in the " +
			"option extensions of the server), and verify it in Remote SQL.")}
	case slices.ContainsFunc(computed, func(kind string) bool { return strings.HasPrefix(head, kind) }):
		return []say.Message{say.M("The rows are computed before they are filtered: no index finds those that are " +
			"kept. A condition on columns of the tables belongs inside the subquery.")}
	case strings.Contains(head, "DecompressChunk"):
		return []say.Message{say.M("The rows are decompressed before they are filtered. " +
			"timescaledb.compress_segmentby with the compared columns, or compress_orderby, skips whole batches; an " +
			"index on the chunk does not.")}
	}
	return nil
}
