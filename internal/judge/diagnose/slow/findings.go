package slow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/shape"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// Thresholds for reporting something in one plan. Shares are percent of its time.
const (
	readMuch      = 10.0 // a tenth is worth a change
	readRemoved   = 0.6  // of the rows that a node read: clearly more for nothing (1.5 for each) than for use
	readRows      = 1000 // fewer rows cost nothing
	readMisjudged = 10.0 // an estimate within ten times is a good one
	readLoops     = 1000
	readBlocks    = 1000 // 8 MB
	tooShort      = 1.0  // milliseconds: what is over sooner is not slow
)

// matters reports whether a node's own time is a noticeable part, or is not known.
func (d *Reading) matters(r *readNode, share float64) bool {
	return !r.timed || d.share(r.own) >= share
}

// removedRows reports filters that remove most of the rows.
func (d *Reading) removedRows() {
	var list []*readNode
	for _, r := range d.list {
		all := r.removed()
		// The time of rows that another server sends may be in the Append that waits for them.
		waited := r.parent != nil && strings.HasPrefix(r.Head, "Async ") && d.matters(r.parent, readMuch)
		if all < readRows || !d.matters(r, readMuch) && !waited || d.compiles(r) {
			continue
		}
		if r.Actual != nil && all < readRemoved*(all+r.Actual.Rows*r.Actual.Loops) {
			continue
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b *readNode) int { return cmp.Compare(b.own, a.own) })
	var evidence, next []say.Message
	cost, known, joins := 0.0, true, 0
	for i, r := range list {
		cost, known = cost+r.own, known && r.timed
		if compares(r) {
			joins++
		}
		if i >= 3 {
			continue
		}
		evidence = append(evidence, removedLine(r))
		if i == 0 {
			next = d.removedAdvice(r)
			if other := d.othersIndex(shape.Relation(r.Head)); !other.IsZero() {
				evidence = append(evidence, other)
			}
		}
	}
	explains := &cost
	if !known {
		explains = nil
	}
	title := say.M("Filters removed most of the rows that were read")
	if joins == len(list) {
		title = say.M("Join filter removed most of the pairs of rows that were compared")
	}
	d.add("rows-removed", Likely, max(d.share(cost), readMuch), explains, title, evidence, next)
}

// filtered are the words of a node's condition that rows are removed by.
var filtered = []string{"Filter", "Join Filter", "Vectorized Filter"}

// compares says whether the rows that a node removed are pairs of rows: those of a join, not of a HAVING.
func compares(r *readNode) bool {
	name, _ := shape.Word(r.Node, filtered...)
	joins := strings.Contains(r.Head, "Join") || strings.Contains(r.Head, "Nested Loop")
	return name == "Join Filter" || name == "" && joins
}

func removedLine(r *readNode) say.Message {
	removed := rowsOf(r.removed())
	text := say.M("{node} removed {removed}", "node", named(r.Head), "removed", removed)
	if a := r.Actual; a != nil && !a.NoRows {
		text = say.M("{node} removed {removed} and kept {kept}", "node", named(r.Head), "removed", removed, "kept",
			returned(a))
		if a.Loops > 1 {
			text = say.M("{node} removed {removed} and kept {kept} ({removed_each} and {kept_each} in each of {loops})",
				"node", named(r.Head), "removed", removed, "kept", returned(a),
				"removed_each", figure(r.Removed),
				"kept_each", figure(a.Rows), "loops", loopsOf(a.Loops))
		}
	}
	if name, cond := shape.Word(r.Node, filtered...); cond != "" {
		return say.All(": ", text, say.Text(name+" "+Cut(cond)))
	}
	return text
}

// returned is how many rows a node returned in all. Of several loops EXPLAIN prints the average, up to 17 as a whole
// number: none in each loop may be one in every other.
func returned(a *queryplan.Actual) say.Message {
	if n := whole(math.Floor(a.Loops / 2)); a.Rows == 0 && n > 0 {
		return say.N(n, "at most {n} row", "at most {n} rows")
	}
	return rowsOf(a.Rows * a.Loops)
}

// indexedShare is the part of a table's rows above which the planner prefers to read all of it: at 10 % an index
// touches nearly every block.
const indexedShare = 0.2

// removedAdvice says what to do for a node that removed most of its rows.
func (d *Reading) removedAdvice(r *readNode) []say.Message {
	_, text := shape.Word(r.Node, filtered...)
	if inner, table := shape.InnerSide(text), shape.Relation(r.Head); inner != "" && table != "" &&
		strings.Contains(r.Head, "Seq Scan") {
		return []say.Message{say.M("It is compared with a value of another table for each loop: an index of {table} "+
			"on {expression} finds the rows directly, if both sides have one type.", "table", table, "expression",
			Cut(inner))}
	}
	var cond any = Cut(text)
	if text == "" {
		cond = say.M("its condition")
	}
	if strings.Contains(text, "SubPlan ") {
		return []say.Message{say.M("A subquery decides which rows are kept. Written as a join, or with EXISTS or NOT " +
			"EXISTS, the planner can start with it.")}
	}
	if next := removedElsewhere(r.Head); next != nil {
		return next
	}
	switch {
	case shape.Scans(r.Head) && shape.Pattern(Cut(text)):
		return []say.Message{say.M("No ordinary index serves a search within texts such as {condition}. An index "+
			"with the extension pg_trgm (GIN, gin_trgm_ops) does for patterns of at least three characters, if they "+
			"are not negated.", "condition", cond)}
	case !shape.Scans(r.Head) && shape.Equality(text):
		if _, joined := shape.Word(r.Node, "Merge Cond", "Hash Cond"); joined != "" {
			return []say.Message{say.M("The rows are joined on {joined}; {condition}, which is an equality too, is "+
				"applied to the pairs afterward. Usually the planner expected few pairs: correct the row estimates "+
				"(ANALYZE, CREATE STATISTICS), and compare the plan.", "joined", Cut(joined), "condition", cond)}
		}
		return []say.Message{say.M("{condition} is an equality: a hash join, or an index of the inner table on the "+
			"compared column, avoids the comparisons. Usually the planner expected few rows: correct the row "+
			"estimates (ANALYZE, CREATE STATISTICS).", "condition", cond)}
	case r.Missing && text == "": // it may be a scan or a join
		return nil
	case !shape.Scans(r.Head):
		return []say.Message{
			say.M("A join on equality can use a hash or an index: check whether {condition} can be written that way.",
				"condition", cond),
			say.M("An index of the inner table on the compared columns avoids the comparisons; for ranges and " +
				"geometry, use GiST.")}
	case strings.Contains(r.Head, "Seq Scan") && r.Actual != nil && r.removed() > 0 &&
		r.Actual.Rows*r.Actual.Loops > indexedShare*(r.Actual.Rows*r.Actual.Loops+r.removed()):
		kept := r.Actual.Rows * r.Actual.Loops
		next := []say.Message{say.M("The scan keeps {percent} of the rows: an index on {condition} alone rarely helps "+
			"above about 10%.", "percent", percent(100*kept/(kept+r.removed())), "condition", cond)}
		if key := d.limitedKey(r); key != "" {
			next = append(next, say.M("An index in the order of {key} lets the LIMIT stop after its first rows.", "key",
				Cut(key)))
		}
		return next
	case strings.Contains(r.Head, "Seq Scan"):
		next := []say.Message{
			say.M("An index for {condition} reads only the rows that are kept, if they are a small part of the "+
				"table. For an expression, it must be an index on the same expression.", "condition", cond),
			say.M("If the condition always selects the same small part, a partial index (WHERE) is smaller.")}
		if shape.Prefix(text) {
			next = append(next, say.M("A search for the beginning of a text (LIKE 'abc%') uses a B-tree index only "+
				"if its operator class is text_pattern_ops or its collation is C."))
		}
		return next
	}
	return []say.Message{say.M("The index finds more rows than are needed. One that also has the columns of "+
		"{condition} finds only the rows that are kept.", "condition", cond)}
}

// limitedKey is the key by which rows are sorted above a node for a LIMIT; "" if they are not.
func (d *Reading) limitedKey(r *readNode) string {
	key := ""
	for p := r.parent; p != nil; p = p.parent {
		if p.Head == "Sort" {
			_, key = shape.Word(p.Node, "Sort Key")
		}
		if strings.HasPrefix(p.Head, "Limit") {
			return key
		}
	}
	return ""
}

// repeated reports a part that ran so often that its loops are its cost.
func (d *Reading) repeated() {
	var worst *readNode
	for _, r := range d.list {
		if r.walled && r.Actual.Loops >= readLoops && d.share(r.wall) >= 3*readMuch &&
			(worst == nil || r.wall > worst.wall) {
			worst = r
		}
	}
	if worst == nil {
		return
	}
	evidence := []say.Message{d.ran(worst)}
	if p := worst.parent; p != nil && strings.Contains(p.Head, "Nested Loop") {
		for _, c := range p.Children {
			if c == worst.Node { // the outer side stands first
				break
			}
			if c.Cost != nil && c.Actual != nil && !c.Actual.NoRows && c.Subplan == "" {
				evidence = append(evidence, say.M("{node}, for whose rows it runs, was estimated at {estimate} and "+
					"returned {actual}", "node", named(c.Head), "estimate", rowsOf(c.Cost.Rows), "actual",
					returned(c.Actual)))
				break
			}
		}
	}
	for _, r := range d.list { // of other parts
		if len(evidence) < 4 && r.walled && r.Actual.Loops >= readLoops && d.share(r.wall) >= readMuch && r != worst &&
			!below(r, worst) && !below(worst, r) && (r.parent == nil || !r.parent.often()) {
			evidence = append(evidence, d.ran(r))
		}
	}
	next := []say.Message{say.M("Reduce the rows outside of the loop, or make the inner side cheaper, with an index " +
		"that finds its rows directly.")}
	if worst.Subplan != "" || worst.parent != nil && worst.parent.Subplan != "" {
		next = []say.Message{say.M("A subquery runs for each row: write it as a join, or let it run once.")}
	}
	d.add("repeated", Sure, 0.8*d.share(worst.wall), nil, say.M("Part of the plan ran many times"), evidence, next)
}

// often reports whether a node ran many times itself.
func (r *readNode) often() bool { return r.walled && r.Actual.Loops >= readLoops }

// ran says how often a node ran, and how long in all.
func (d *Reading) ran(r *readNode) say.Message {
	text := say.N(whole(r.Actual.Loops), "{node} ran {n} time, {each} each: {time} in total, {percent} of the time",
		"{node} ran {n} times, {each} each: {time} in total, {percent} of the time", "node", named(r.Head), "each",
		ms(*r.Actual.Total), "time", ms(r.wall), "percent", percent(d.share(r.wall)))
	if r.processes > 1 {
		text = say.All(", ", text, say.N(whole(r.processes), "in {n} process", "in {n} parallel processes"))
	}
	return text
}

// estimates reports where the planner expected a different number of rows.
func (d *Reading) estimates() {
	list := d.misestimated(readMisjudged)
	if len(list) == 0 {
		return
	}
	// A product of estimates that are nearly ten times off is a hundred times off.
	if !slices.ContainsFunc(list, func(r *readNode) bool { return shape.Relation(r.Head) != "" }) {
		for _, r := range d.misestimated(readMisjudged / 2) {
			within := func(above *readNode) bool { return below(r, above) }
			if shape.Relation(r.Head) != "" && slices.ContainsFunc(list, within) {
				list = append(list, r)
			}
		}
	}
	// The lowest one is where it began: what is above follows from it.
	depth := func(r *readNode) int { return d.Nodes[r.at].Depth }
	slices.SortStableFunc(list, func(a, b *readNode) int { return cmp.Compare(depth(b), depth(a)) })
	var evidence []say.Message
	for _, r := range list[:min(len(list), 4)] {
		f, _ := r.misjudged()
		if r.planned > 0 { // the line shows the rows of one process: so does the factor
			a, b := max(r.Cost.Rows, 1), max(r.Actual.Rows, 1)
			f = max(a/b, b/a)
		}
		estimate, actual := rowsOf(r.Cost.Rows), rowsOf(r.Actual.Rows)
		if r.Actual.Rows > r.Cost.Rows {
			evidence = append(evidence, say.M("{node}: estimate {estimate}, actual {actual}, {factor} times as many",
				"node", named(r.Head), "estimate", estimate, "actual", actual, "factor", factor(f)))
			continue
		}
		if r.Actual.Rows < 1 {
			evidence = append(evidence, say.M("{node}: estimate {estimate}, actual {actual}", "node", named(r.Head),
				"estimate", estimate, "actual", actual))
			continue
		}
		evidence = append(evidence, say.M("{node}: estimate {estimate}, {factor} times the actual {actual}", "node",
			named(r.Head), "estimate", estimate, "actual", actual, "factor", factor(f)))
	}
	if n := len(list) - 4; n > 0 {
		evidence = append(evidence, say.N(n, "and {n} more", "and {n} more"))
	}
	var next []say.Message
	first := list[0]
	if h := first.heap(); h != nil {
		first = h // its table is that of the index
	}
	told := func(r *readNode) bool {
		return r.parent == first && r.Cost != nil && r.Actual != nil && !strings.HasPrefix(r.Subplan, "InitPlan")
	}
	if t := shape.Relation(first.Head); t != "" && strings.Contains(first.Head, "Foreign Scan") {
		next = append(next, say.M("Autovacuum does not analyze foreign tables: run ANALYZE {table}; if its wrapper "+
			"supports it. For postgres_fdw, the option use_remote_estimate asks the remote server instead.",
			"table", t))
	} else if t != "" {
		next = append(next,
			say.M("Check the age of the statistics: SELECT last_analyze, last_autoanalyze, n_mod_since_analyze FROM "+
				"pg_stat_user_tables WHERE relname = '{table}'; If they are old, run ANALYZE {table};", "table", t),
			say.M("If they are current, use CREATE STATISTICS for columns that depend on each other, or for an "+
				"expression (14 and later), and a larger statistics target for skewed columns."))
	} else if strings.HasPrefix(first.Head, "Function Scan") {
		// a function such as generate_series has a support function, which estimates from constant arguments
		next = append(next, say.M("The planner has no statistics on the rows of a function: without a support "+
			"function, it assumes the ROWS of CREATE FUNCTION, by default 1000. ALTER FUNCTION … ROWS sets another "+
			"number."))
	} else if !slices.ContainsFunc(d.list, told) {
		next = append(next, say.M("The estimates below it are not in the plan. Check the age of the statistics of its "+
			"tables (last_analyze and last_autoanalyze in pg_stat_user_tables): if they are old, run ANALYZE."))
	} else if len(list) == 1 {
		next = append(next, say.M("The estimates below it are better. CREATE STATISTICS helps for columns of one "+
			"table that depend on each other, or for an expression (14 and later)."))
	} else {
		next = append(next, say.M("Start with the lowest of these nodes: the wrong estimates above it may follow "+
			"from it."))
	}
	weight := readMuch
	if slices.ContainsFunc(list, func(r *readNode) bool { return d.share(r.wall) >= 50 }) {
		weight = 2 * readMuch
	}
	d.add("misestimate", Likely, weight, nil, say.M("Row estimates are wrong"), evidence, next)
}

// misestimated are the nodes that returned so many times as many rows as estimated, or the inverse.
func (d *Reading) misestimated(least float64) []*readNode {
	var list []*readNode
	for _, r := range d.list {
		f, ok := r.misjudged()
		if !ok || f < least || d.known != nil && d.known(r.Node) || r.unknownGroups() {
			continue
		}
		more := r.Actual.Rows > r.Cost.Rows
		if max(r.Actual.Rows, r.Cost.Rows) < 100 || !more && (r.stops || r.best() || r.ofNothing()) ||
			more && d.reread(r) {
			continue
		}
		list = append(list, r)
	}
	return list
}

// best says whether a node sorts for the rows that a LIMIT above it takes: it returns no others, and was estimated with
// all.
func (r *readNode) best() bool { return r.Sort != nil && strings.HasPrefix(r.Sort.Method, "top-N") }

// ofNothing reports whether a node had no rows to work on, where few were expected: what it makes of each was not seen.
func (r *readNode) ofNothing() bool {
	const few = 10
	if r.Actual.Rows > 0 || len(r.Children) == 0 {
		return false
	}
	c := r.Children[0] // the outer side of a join
	return c.Subplan == "" && c.Cost != nil && c.Cost.Rows < few && c.Actual != nil && !c.Actual.NoRows &&
		c.Actual.Rows == 0
}

// below reports whether a node is in the part of the plan that another returns the rows of.
func below(r, above *readNode) bool {
	for p := r.parent; p != nil; p = p.parent {
		if p == above {
			return true
		}
	}
	return false
}

// reread reports whether a node's rows are counted more than once: the inner side of a merge join goes back for each
// equal row outside.
func (d *Reading) reread(r *readNode) bool {
	if d.run.Flat && !d.run.Rebuilt {
		return strings.HasPrefix(r.Head, "Materialize") || strings.HasPrefix(r.Head, "Sort")
	}
	p := r.parent
	return p != nil && strings.HasPrefix(p.Head, "Merge ") && strings.HasSuffix(p.Head, "Join") &&
		len(p.Children) > 1 && p.Children[1] == r.Node
}

// spills reports sorts and hashes that spilled to disk. How much memory they want is an estimate, and named only if a
// session can have it.
func (d *Reading) spills() {
	s := slowSum(d.run)
	if len(s.spills) == 0 {
		return
	}
	evidence := slices.Clone(s.spills[:min(len(s.spills), 5)])
	if t := d.Plan.Temp; t != nil && *t > 0 {
		evidence = append(evidence, tempBlocks(*t))
	}
	for _, p := range d.run.Settings {
		if p.Name == "work_mem" || p.Name == "hash_mem_multiplier" {
			evidence = append(evidence, say.M("it ran with {setting}", "setting", setting(p)))
		}
	}
	if s.planned {
		evidence = append(evidence, say.M("the planner expected it and chose the number of batches in advance"))
	}
	explains := &s.spillOwn
	if s.spillOwn == 0 {
		explains = nil
	}
	d.add("spill", Likely, max(d.share(s.spillOwn)*0.7, readMuch/2), explains, spillTitle(), evidence,
		spillAdvice(s))
}

func tempBlocks(n int64) say.Message {
	return say.N(n, "{n} block of temporary files read or written", "{n} blocks of temporary files read and written")
}

// spillAdvice says what to try for a sort or hash that wrote so much to disk: never more
// memory than one session may be advised to take.
func spillAdvice(s slowTotals) []say.Message {
	var order []say.Message // what no hash has, nor a sort of rows that are of no table
	if s.ordered {
		order = append(order, say.M("An index in the order of the sort avoids the sort."))
	}
	want := max((unit.Bytes(s.memKB) * unit.KB * limits.SpillFactor).RoundUp(unit.MB), unit.MB)
	switch {
	case want*unit.Bytes(s.processes) > limits.WorkMemMost && !s.sorts:
		return []say.Message{say.M("No session should have enough memory for it: hash fewer rows or columns.")}
	case want*unit.Bytes(s.processes) > limits.WorkMemMost && !s.ordered:
		return []say.Message{say.M("No session should have enough memory for it: sort or hash fewer rows or columns.")}
	case want*unit.Bytes(s.processes) > limits.WorkMemMost:
		return []say.Message{say.M("No session should have enough memory for it: sort or hash fewer rows or columns, " +
			"or create an index that returns them in order.")}
	case s.memKB == 0: // no size is known
		return append([]say.Message{askPlan()}, order...)
	}
	if s.processes > 1 {
		order = append([]say.Message{say.N(int64(s.processes), "{n} process may use as much memory.",
			"Each of {n} processes may use as much memory.")}, order...)
	}
	return append([]say.Message{
		say.M("For this query only, run in its transaction: SET LOCAL work_mem = '{value}'; and the query again "+
			"(estimated as up to {factor} × what was written to disk).", "value", want.GUC(), "factor",
			limits.SpillFactor),
		askPlan()}, order...)
}

// ofBRIN reports whether the bitmap of a scan is that of a BRIN index, which returns blocks, not rows: EXPLAIN counts
// ten rows for each of them.
func ofBRIN(r *readNode) bool {
	const each, apart = 10, 1.3 // blocks at the end of a range may not exist
	if r.Exact != 0 || len(r.Children) != 1 || r.Children[0].Actual == nil ||
		!strings.HasPrefix(r.Children[0].Head, "Bitmap Index Scan") {
		return false
	}
	rows := r.Children[0].Actual.Rows
	return math.Mod(rows, each) == 0 && rows >= each*float64(r.Lossy) && rows <= apart*each*float64(r.Lossy)
}

func (d *Reading) lossy() {
	for _, r := range d.list {
		// A bitmap that spans few blocks costs nothing, lossy or not.
		if r.Lossy < readRows/10 || r.Lossy*10 < r.Exact || !d.matters(r, readMuch) {
			continue
		}
		evidence := []say.Message{say.M("{node}: {lossy} of {blocks} were lossy, and all of their rows were rechecked",
			"node", named(r.Head), "lossy", figure(r.Lossy), "blocks", blocksOf(float64(r.Lossy+r.Exact)))}
		if r.Recheck > 0 {
			text := say.M("the recheck removed {rows}", "rows", rowsOf(float64(r.Recheck)))
			if a := r.Actual; a != nil && a.Loops > 1 {
				text = say.M("the recheck removed {all} ({each} in each of {loops})", "all",
					rowsOf(float64(r.Recheck)*a.Loops), "each", figure(r.Recheck), "loops", loopsOf(a.Loops))
			}
			evidence = append(evidence, text)
		}
		certainty, next, title := Likely, []say.Message{}, lossyTitle()
		// An entry of the bitmap takes 64 bytes for each block of the table.
		want := (unit.Bytes(r.Lossy+r.Exact) * 64).RoundUp(unit.MB)
		if strings.HasPrefix(r.Head, "Parallel ") {
			// the processes share one bitmap, and the line shows the blocks of the leader alone
			if want *= unit.Bytes(d.processes()); want <= limits.WorkMemMost {
				next = append(next, say.M("For this query only: SET LOCAL work_mem = '{value}'; is enough for the "+
					"bitmap if each of the {n} processes read about as many blocks: the plan shows those of one.",
					"value", want.GUC(), "n", int64(d.processes())))
			}
		} else if want <= limits.WorkMemMost && !ofBRIN(r) {
			next = append(next, say.M("For this query only: SET LOCAL work_mem = '{value}'; is enough for a bitmap "+
				"of so many blocks.", "value", want.GUC()))
		}
		if r.Exact == 0 {
			certainty, title = Possible, say.M("Lossy bitmap: all rows of its blocks were rechecked")
			next = append(next, say.M("If the index is BRIN, its bitmaps are always lossy: use a smaller "+
				"pages_per_range."))
		}
		own := r.own
		explains := &own
		if !r.timed {
			explains = nil
		}
		d.add("lossy-bitmap", certainty, max(0.9*d.share(r.own), readMuch), explains, title, evidence, next)
		return
	}
}

func (d *Reading) fetches() {
	for _, r := range d.list {
		if r.Node.Fetches == nil || !strings.Contains(r.Head, "Index Only Scan") ||
			*r.Node.Fetches < readRows || !d.matters(r, readMuch) {
			continue
		}
		fetches := *r.Node.Fetches
		text := say.N(fetches, "{node}: {n} heap fetch", "{node}: {n} heap fetches", "node", named(r.Head))
		if a := r.Actual; a != nil {
			if all := a.Rows*a.Loops + r.removed(); float64(fetches) < all/10 {
				continue
			}
			text = say.N(fetches, "{node}: {n} heap fetch for {rows}", "{node}: {n} heap fetches for {rows}", "node",
				named(r.Head), "rows", rowsOf(a.Rows*a.Loops))
		}
		next := []say.Message{say.M("Run VACUUM on the table: it marks pages as all-visible."),
			say.M("Let autovacuum run earlier (pgfettle explain autovacuum_vacuum_insert_scale_factor). An old open " +
				"transaction keeps pages from being marked.")}
		if t := shape.Relation(r.Head); t != "" {
			next[0] = say.M("Run VACUUM {table}; It marks pages as all-visible.", "table", t)
		}
		d.add("heap-fetches", Likely, max(d.share(r.own)/2, readMuch), nil, fetchesTitle(),
			[]say.Message{text, notVisible()}, next)
		return
	}
}

func notVisible() say.Message {
	return say.M("these pages were not marked all-visible in the visibility map")
}

func (d *Reading) jit() {
	j := d.run.JIT
	if j == nil {
		return
	}
	processes := d.processes()
	t := j.Total / processes
	if d.share(t) < readMuch {
		return
	}
	certainty := Sure
	text := say.N(j.Functions, "{n} function compiled in {time}, {percent} of the time",
		"{n} functions compiled in {time}, {percent} of the time", "time", ms(t), "percent",
		say.Number(fmt.Sprintf("%.1f%%", d.share(t))))
	if processes > 1 {
		certainty = Likely
		text = say.N(j.Functions, "{n} function compiled in {all}, the sum of {processes} processes: about {time} in "+
			"each",
			"{n} functions compiled in {all}, the sum of {processes} processes: about {time} in each", "all",
			ms(j.Total), "processes", whole(processes), "time", ms(t))
	}
	d.add("jit", certainty, d.share(t), &t, say.M("Time was spent on JIT compilation"),
		[]say.Message{text}, []say.Message{withoutJIT()})
}

// exceeded reports whether a node whose own time is not known can have taken more than another: what is below it is
// not in the paste, or has no time.
func (d *Reading) exceeded(top *readNode) bool {
	return slices.ContainsFunc(d.list, func(r *readNode) bool {
		if r.timed || !r.walled || r.Missing {
			return false
		}
		rest := r.wall
		for _, c := range d.list {
			if c.parent == r {
				rest -= c.wall
			}
		}
		return rest > top.own
	})
}

// compiledRow is more than what a node takes for a row that is in memory, in milliseconds.
const compiledRow = 0.01

// compiles reports whether most of a node's own time can be that of JIT compilation, which happens when the node runs
// its code for the first time, and the rows that it went through explain little of it.
func (d *Reading) compiles(r *readNode) bool {
	j := d.run.JIT
	if j == nil || r.Actual == nil || !r.timed || r.Buffers != nil && r.Buffers.Read > 0 {
		return false
	}
	rows := r.Actual.Rows*r.Actual.Loops + r.removed()
	for _, c := range r.Children {
		if c.Actual != nil {
			rows += c.Actual.Rows * c.Actual.Loops
		}
	}
	return j.Total/d.processes() >= r.own/2 && rows*compiledRow < r.own/2
}

// processes is how many ran the plan side by side, at most.
func (d *Reading) processes() float64 {
	n := 1.0
	for _, r := range d.list {
		if r.Launched != nil {
			n = max(n, float64(*r.Launched)+1)
		}
	}
	return n
}

func (d *Reading) workers() {
	for _, r := range d.list {
		if r.Node.Planned == nil || r.Launched == nil || *r.Launched >= *r.Node.Planned {
			continue
		}
		d.add("fewer-workers", Sure, max(d.share(r.wall)/4, readMuch/2), nil, say.M("Fewer parallel workers than "+
			"planned"),
			[]say.Message{say.N(*r.Node.Planned, "{node}: {launched} of {n} planned worker launched",
				"{node}: {launched} of {n} planned workers launched", "node", named(r.Head), "launched", *r.Launched)},
			[]say.Message{busyWorkers(), say.M("A client that fetches with a cursor or in portions (setFetchSize of " +
				"JDBC, Execute with a row limit) gets no workers.")})
		return
	}
}

// reads reports blocks that were not in shared buffers.
func (d *Reading) reads() {
	read := d.Plan.Read
	if t, ok := shape.IOTime(d.run); ok && t > 0 {
		if d.share(t) < readMuch {
			return
		}
		evidence := []say.Message{say.M("reads took {time}, {percent} of the time", "time", ms(t), "percent",
			percent(d.share(t)))}
		if read != nil && *read > 0 {
			evidence[0] = say.M("reads of {blocks} ({size}) took {time}, {percent} of the time, {each} per block",
				"blocks", blocksOf(float64(*read)), "size", unit.Bytes(*read)*slowBlock, "time", ms(t), "percent",
				percent(d.share(t)), "each", ms(t/float64(*read)))
		}
		d.add("reads", Sure, d.share(t), &t, say.M("Time was spent reading blocks"), evidence,
			[]say.Message{readTwice(), readTimes(), say.M("Read fewer blocks: with an index, or with less bloat. If " +
				"it continues, the memory is too small for the data that queries use (pgfettle plan).")})
		return
	}
	if read == nil || *read < readBlocks || d.total <= 0 {
		return
	}
	top := d.run.Root
	each := d.total / float64(*read)
	evidence := []say.Message{say.M("not found in shared buffers: {read} ({size}); found: {hit}", "read",
		blocksOf(float64(*read)), "size", unit.Bytes(*read)*slowBlock, "hit", figure(*d.Plan.Hit))}
	// The scan that read most shows best what a block cost.
	for _, r := range d.list {
		if r.timed && r.Buffers != nil && len(r.Children) == 0 && r.Buffers.Read*2 > *read {
			top, each = r.Node, r.own/float64(r.Buffers.Read)
		}
	}
	if top.Missing || top.Actual == nil {
		evidence = evidence[:1] // its time is not known
	} else if top == d.run.Root && len(top.Children) > 0 {
		evidence = append(evidence, say.M("at most {each} per block", "each", ms(each)))
	} else {
		evidence = append(evidence, say.M("at most {each} per block, in {node}", "each", ms(each), "node",
			named(top.Head)))
	}
	certainty, weight := Possible, readMuch/2
	// All of its time, with the work on the rows, may be much less than another node's own.
	if t := d.top(); t != nil && t.Node != top && top != d.run.Root && 2*each*float64(top.Buffers.Read) < t.own {
		weight = 0.5
	}
	if each >= 1 { // the work on one block takes a hundredth of that
		certainty, weight = Likely, 90
	}
	d.add("reads", certainty, weight, nil, readTitle(), evidence,
		[]say.Message{timeReads(), readTwice()})
}

// manyBuffers reports a scan that read many blocks for few rows.
func (d *Reading) manyBuffers() {
	for _, r := range d.list {
		b, a := r.Buffers, r.Actual
		if b == nil || a == nil || len(r.Children) > 0 || !shape.Scans(r.Head) || !d.matters(r, readMuch) {
			continue
		}
		blocks := float64(b.Hit + b.Read + b.LocalHit + b.LocalRead)
		rows := (a.Rows+float64(r.Removed+r.Recheck))*a.Loops + a.Loops
		// A row that an index finds costs some blocks; a table's rows share theirs.
		each := 20.0
		if strings.Contains(r.Head, "Seq Scan") {
			each = 5
		}
		if blocks < 10*readBlocks || blocks < each*rows || strings.Contains(r.Head, "Bitmap Index") {
			continue
		}
		own := r.own
		explains := &own
		if !r.timed {
			explains = nil
		}
		d.add("many-buffers", Likely, max(0.8*d.share(r.own), readMuch), explains,
			say.M("Scan accessed many blocks for few rows"),
			[]say.Message{say.M("{node} accessed {blocks} for {rows}, including removed rows",
				"node", named(r.Head), "blocks",
				blocksOf(blocks), "rows", rowsOf(rows-a.Loops))},
			[]say.Message{
				say.M("Possible causes are bloat, dead rows, or an index that does not fit the condition. For dead "+
					"rows: SELECT n_live_tup, n_dead_tup, last_autovacuum FROM pg_stat_user_tables WHERE relname = "+
					"'{table}';", "table", shape.Relation(r.Head)),
				say.M("The oldest transaction keeps them: SELECT pid, xact_start, state FROM pg_stat_activity WHERE " +
					"backend_xmin IS NOT NULL ORDER BY xact_start LIMIT 5;")})
		return
	}
}

func (d *Reading) triggers() {
	sum := 0.0
	var evidence []say.Message
	for _, t := range d.run.Triggers {
		if t.Time == nil {
			continue
		}
		sum += *t.Time
		if d.share(*t.Time) >= 1 && len(evidence) < 4 {
			evidence = append(evidence, say.N(whole(t.Calls), "trigger {name}: {time} in {n} call, {each} each",
				"trigger {name}: {time} in {n} calls, {each} each", "name", t.Name, "time", ms(*t.Time), "each",
				ms(*t.Time/max(t.Calls, 1))))
		}
	}
	if len(evidence) == 0 || d.share(sum) < readMuch {
		return
	}
	d.add("triggers", Sure, d.share(sum), &sum, say.M("Time was spent in triggers"), evidence,
		triggerAdvice())
}

func (d *Reading) planning() {
	if d.run.Planning == nil || *d.run.Planning < max(d.total, tooShort) || d.total <= 0 {
		return
	}
	p := *d.run.Planning
	d.add("planning", Sure, 100*p/(p+d.total), nil, say.M("Planning took longer than execution"),
		[]say.Message{say.M("planning took {planning}, execution {execution}", "planning", ms(p), "execution",
			ms(d.total))},
		[]say.Message{say.M("The first query of a session fills its caches: run it twice in one session."),
			say.M("A prepared statement can reuse a generic plan. Many partitions, joins or indexes, and bloated " +
				"catalogs, make planning slow.")})
}

// outside looks at execution time that is in no node.
func (d *Reading) outside() {
	a := d.run.Root.Actual
	if d.run.Execution == nil || a == nil || a.Total == nil || d.run.Fragment {
		return
	}
	gap := *d.run.Execution - shape.RootTime(d.run.Root)
	for _, t := range d.run.Triggers {
		if t.Time != nil {
			gap -= *t.Time
		}
	}
	if d.run.JIT != nil {
		gap -= d.run.JIT.Total // part of it is before the first node starts
	}
	if s := d.run.Serialize; s != nil && s.Time != nil {
		gap -= *s.Time
	}
	if gap < 1 || d.share(gap) < readMuch {
		return
	}
	evidence := []say.Message{say.M("{gap} of {execution} are in no node", "gap", ms(gap), "execution",
		ms(*d.run.Execution))}
	next := []say.Message{otherWork()}
	if a.Rows >= 100_000 {
		next = append(next, say.M("So does reading the clock for each of {rows}: pg_test_timing shows how long that "+
			"takes, and EXPLAIN (ANALYZE, TIMING OFF) avoids it.", "rows", rowsOf(a.Rows)))
	}
	weight := d.share(gap)
	if t := d.top(); t != nil && t.own > 2*gap {
		weight = 0.5 // one node is the larger part
	}
	d.add("start-and-end", Likely, weight, &gap, outsideTitle(), evidence, next)
}

// client looks at time that the client waited and the server did not work.
func (d *Reading) client() {
	if d.Plan.Client == nil || d.Plan.Total == nil {
		return
	}
	gap := *d.Plan.Client - *d.Plan.Total
	if gap < 5 || gap < *d.Plan.Client/10 { // some milliseconds are a round trip and psql itself
		return
	}
	d.add("waited-outside", Sure, 100*gap / *d.Plan.Client, &gap, clientTitle(), []say.Message{clientWaited(&d.Plan)},
		[]say.Message{say.M("Waits for table locks are usually before planning, and not in its time. log_lock_waits " +
			"= on (reload) logs them."),
			wayToServer()})
}

// writes looks for blocks that a read had to write.
func (d *Reading) writes() {
	b := d.run.Root.Buffers
	if b == nil {
		return
	}
	if b.Written >= readRows/10 {
		d.add("backend-writes", Possible, readMuch/2, nil, say.M("Query wrote dirty buffers to make room in "+
			"shared_buffers"),
			[]say.Message{say.M("it wrote {blocks} ({size})", "blocks", blocksOf(float64(b.Written)), "size",
				unit.Bytes(b.Written)*slowBlock)}, []say.Message{fullBuffers()})
	}
	changes := slices.ContainsFunc(d.list, func(r *readNode) bool { return shape.Modifies(r.Head) })
	if b.Dirtied >= readRows/10 && !changes {
		d.add("hint-bits", Possible, readMuch/2, nil, hintBitsTitle(),
			[]say.Message{say.M("it dirtied {blocks} ({size})", "blocks", blocksOf(float64(b.Dirtied)), "size",
				unit.Bytes(b.Dirtied)*slowBlock)}, []say.Message{runAgain()})
	}
	if w := d.run.Root.WAL; w != nil && w.FPI >= readRows && w.FPI*8*1024*2 > w.Bytes {
		d.add("full-page-images", Likely, readMuch/2, nil, fullPagesTitle(),
			[]say.Message{say.N(w.FPI, "{n} full-page image in {size} of WAL", "{n} full-page images in {size} of WAL",
				"size", unit.Bytes(w.Bytes))}, []say.Message{rarerCheckpoints()})
	}
}

func (d *Reading) memoize() {
	for _, r := range d.list {
		if m := r.Memoize; m != nil && m.Evictions > readRows && m.Evictions*10 > m.Misses {
			evidence := []say.Message{say.N(m.Evictions, "{node}: {n} eviction; {hits} hits, {misses} misses",
				"{node}: {n} evictions; {hits} hits, {misses} misses",
				"node", named(r.Head), "hits", figure(m.Hits), "misses",
				figure(m.Misses))}
			if m.Keys > 0 {
				evidence = append(evidence, say.M("the planner expected {keys} distinct keys in {lookups} lookups",
					"keys", figure(m.Keys), "lookups", figure(m.Lookups)))
			}
			next := []say.Message{say.M("For this query only, double work_mem with SET LOCAL, and run it again.")}
			if m.Hits < m.Misses { // more memory does not make keys repeat
				_, key := shape.Word(r.Node, "Cache Key")
				next = []say.Message{say.M("Few keys repeat: {key} has more distinct values than the planner "+
					"assumed. Compare n_distinct in pg_stats, and run ANALYZE, or set n_distinct with ALTER TABLE … "+
					"ALTER COLUMN.", "key", Cut(key))}
			}
			d.add("memoize-evictions", Possible, readMuch/2, nil, memoizeTitle(), evidence, next)
			return
		}
	}
}

// slowest names the node that has most of the time, with what it does, if nothing that was found explains as much.
func (d *Reading) slowest() {
	r := d.top()
	if r == nil || d.compiles(r) || d.exceeded(r) || d.share(r.own) < 3*readMuch || len(d.Inconsistent) > 0 ||
		d.total < tooShort {
		return
	}
	for _, v := range d.Verdicts {
		if v.Explains != nil && d.share(*v.Explains) >= d.share(r.own)/2 {
			return
		}
	}
	text := say.M("{node} itself took {time}, {percent} of the time",
		"node", named(r.Head), "time", ms(r.own), "percent",
		percent(d.share(r.own)))
	if a := r.Actual; a != nil && !a.NoRows {
		text = say.M("{node} itself took {time}, {percent} of the time, for {rows}",
			"node", named(r.Head), "time", ms(r.own),
			"percent", percent(d.share(r.own)), "rows", returned(a))
	}
	evidence := []say.Message{text}
	for _, w := range r.Words {
		if len(evidence) < 4 && w.Name != "Cache Mode" {
			evidence = append(evidence, say.Text(w.Name+": "+Cut(w.Text)))
		}
	}
	own := r.own
	var next []say.Message
	for _, s := range d.list {
		if !strings.Contains(s.Head, "Seq Scan") || d.share(s.wall) < readMuch {
			continue
		}
		if other := d.othersIndex(shape.Relation(s.Head)); !other.IsZero() {
			evidence = append(evidence, other)
			next = append(next, say.M("If that is the same statement, the index is what this plan lacks."))
			break
		}
	}
	if strings.Contains(r.Head, "Bitmap Heap Scan") || strings.Contains(r.Head, "Index Scan using ") {
		next = append(next, say.M("If an index has all columns that the query uses (INCLUDE), an Index Only Scan "+
			"avoids reading the table. Its pages must be vacuumed."))
	}
	d.add("slowest-node", Sure, 1, &own, say.M("One node takes the largest part of the time"), evidence, next)
}
