package slow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// From where on something in one plan is told. Shares are percent of its time.
const (
	readMuch      = 10.0 // a tenth is worth a change
	readRemoved   = 0.6  // of the rows that a node looked at: clearly more for nothing (1.5 for each) than for use
	readRows      = 1000 // fewer rows cost nothing
	readMisjudged = 10.0 // an estimate within ten times is a good one
	readLoops     = 1000
	readBlocks    = 1000 // 8 MB
)

// figure spells a whole number for people.
func figure[T int64 | float64](v T) string {
	s := fmt.Sprintf("%.0f", float64(v))
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// matters says whether a node's own time is a noticeable part, or is not known.
func (d *Reading) matters(r *readNode, share float64) bool {
	return !r.timed || d.share(r.own) >= share
}

// word is a condition of a node; "" where it has none of that name.
func word(n *queryplan.Node, names ...string) (name, text string) {
	for _, w := range n.Words {
		if slices.Contains(names, w.Name) {
			return w.Name, w.Text
		}
	}
	return "", ""
}

// scans says whether a node reads a relation.
func scans(head string) bool { return strings.Contains(head, "Scan") }

// removedRows tells filters that throw most of the rows away.
func (d *Reading) removedRows() {
	var list []*readNode
	for _, r := range d.list {
		all := r.removed()
		// The time of rows that another server sends may be in the Append that waits for them.
		waited := r.parent != nil && strings.HasPrefix(r.Head, "Async ") && d.matters(r.parent, readMuch)
		if all < readRows || !d.matters(r, readMuch) && !waited {
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
	var evidence, next []string
	cost, known, joins := 0.0, true, 0
	for i, r := range list {
		cost, known = cost+r.own, known && r.timed
		if !scans(r.Head) {
			joins++
		}
		if i >= 3 {
			continue
		}
		text := fmt.Sprintf("%s threw %s rows away", r.Head, figure(r.removed()))
		if a := r.Actual; a != nil {
			text += fmt.Sprintf(" and kept %s", figure(a.Rows*a.Loops))
			if a.Loops > 1 {
				text += fmt.Sprintf(" (%s and %s in each of %s loops)", figure(r.Removed), figure(a.Rows),
					figure(a.Loops))
			}
		}
		name, cond := word(r.Node, "Filter", "Join Filter", "Vectorized Filter")
		if cond != "" {
			text += ": " + name + " " + Cut(cond)
		}
		evidence = append(evidence, text)
		if i == 0 {
			next = removedAdvice(r)
		}
	}
	explains := &cost
	if !known {
		explains = nil
	}
	title := "Filters threw away most of the rows that were read"
	if joins == len(list) {
		title = "A join compared many rows and threw nearly all of the pairs away"
	}
	d.add("rows-removed", Likely, max(d.share(cost), readMuch), explains, title, evidence, next)
}

func removedAdvice(r *readNode) []string {
	_, cond := word(r.Node, "Filter", "Join Filter", "Vectorized Filter")
	if cond == "" {
		cond = "its condition"
	}
	if strings.Contains(cond, "SubPlan ") {
		return []string{"a subquery decides which rows are kept: as a join, or as EXISTS or NOT EXISTS, the planner " +
			"can begin with it"}
	}
	cond = Cut(cond)
	if next := removedElsewhere(r.Head); next != nil {
		return next
	}
	switch {
	case scans(r.Head) && pattern(cond):
		return []string{"a search within texts, as in " + cond + ", is not served by an ordinary index: an index " +
			"with the extension pg_trgm (GIN, gin_trgm_ops) is, for patterns of three letters and more"}
	case !scans(r.Head):
		return []string{"a join by equality can use a hash or an index; see whether " + cond + " can be written so",
			"an index on the inner table for the compared columns spares the comparisons; for ranges and geometry GiST"}
	case strings.Contains(r.Head, "Seq Scan"):
		return []string{"an index for " + cond +
			" reads the rows that are kept alone, where they are a small part of the " +
			"table; for an expression it must be an index on the same expression",
			"where the condition selects a fixed small part, a partial index (WHERE) is smaller"}
	}
	return []string{"the index finds more rows than are wanted: one that also has the columns of " + cond +
		" finds the rows that are kept alone"}
}

// repeated tells a part that ran so often that its loops are its cost.
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
	text := fmt.Sprintf("%s ran %s times, %s each: %s in all, %.0f %% of the time", worst.Head,
		figure(worst.Actual.Loops), ms(*worst.Actual.Total), ms(worst.wall), d.share(worst.wall))
	if worst.processes > 1 {
		text += fmt.Sprintf(" (%.0f processes side by side)", worst.processes)
	}
	evidence := []string{text}
	if p := worst.parent; p != nil {
		for _, c := range p.Children {
			if c != worst.Node && c.Cost != nil && c.Actual != nil && c.Subplan == "" {
				evidence = append(evidence,
					fmt.Sprintf("%s, which it runs for, was estimated at %s rows and returned %s",
						c.Head, figure(c.Cost.Rows), figure(c.Actual.Rows*c.Actual.Loops)))
				break
			}
		}
	}
	next := []string{"fewer rows outside of the loop, or a cheaper inner side (an index that finds its rows at once)"}
	if worst.Subplan != "" || worst.parent != nil && worst.parent.Subplan != "" {
		next = []string{"a subquery that runs for each row: write it as a join, or let it run once"}
	}
	d.add("repeated", Sure, 0.8*d.share(worst.wall), nil, "A part of the plan ran once for each row of another",
		evidence, next)
}

// estimates tells where the planner expected another number of rows.
func (d *Reading) estimates() {
	var list []*readNode
	for _, r := range d.list {
		f, ok := r.misjudged()
		if !ok || f < readMisjudged {
			continue
		}
		more := r.Actual.Rows > r.Cost.Rows
		if max(r.Actual.Rows, r.Cost.Rows) < 100 || !more && r.stops || more && d.reread(r) {
			continue
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		return
	}
	// The lowest one is where it began: what is above follows from it.
	depth := func(r *readNode) int { return d.Nodes[r.at].Depth }
	slices.SortStableFunc(list, func(a, b *readNode) int { return cmp.Compare(depth(b), depth(a)) })
	var evidence []string
	for _, r := range list[:min(len(list), 4)] {
		f, _ := r.misjudged()
		than := "too many"
		if r.Actual.Rows > r.Cost.Rows {
			than = "too few"
		}
		evidence = append(evidence, fmt.Sprintf("%s was estimated at %s rows and returned %s: %s times %s", r.Head,
			figure(r.Cost.Rows), figure(r.Actual.Rows), factorWords(f), than))
	}
	if n := len(list) - 4; n > 0 {
		evidence = append(evidence, fmt.Sprintf("and %d more", n))
	}
	var next []string
	first := list[0]
	if t := relation(first.Head); t != "" {
		next = append(next, fmt.Sprintf("when its statistics were made: SELECT last_analyze, last_autoanalyze, "+
			"n_mod_since_analyze FROM pg_stat_user_tables WHERE relname = '%s'; where they are old, ANALYZE %s", t, t))
		next = append(next, "where they are fresh: CREATE STATISTICS for columns that depend on each other, or for an "+
			"expression (14 and later); a larger statistics target for a skewed column")
	} else {
		next = append(next, "the lowest node of these is where it began: what stands above follows from it")
	}
	weight := readMuch
	if slices.ContainsFunc(list, func(r *readNode) bool { return d.share(r.wall) >= 50 }) {
		weight = 2 * readMuch
	}
	d.add("misestimate", Likely, weight, nil, "The planner expected another number of rows", evidence, next)
}

// reread says whether a node's rows are counted more than once: the inner side of a merge
// join goes back for each equal row outside.
func (d *Reading) reread(r *readNode) bool {
	if d.run.Flat && !d.run.Rebuilt {
		return strings.HasPrefix(r.Head, "Materialize") || strings.HasPrefix(r.Head, "Sort")
	}
	p := r.parent
	return p != nil && strings.HasPrefix(p.Head, "Merge ") && strings.HasSuffix(p.Head, "Join") &&
		len(p.Children) > 1 && p.Children[1] == r.Node
}

func factorWords(f float64) string {
	if f >= 10 {
		return figure(f)
	}
	return factor(f)
}

// noTable are scans of something else than a table.
var noTable = []string{"Bitmap Index Scan", "Function Scan", "CTE Scan", "WorkTable Scan", "Subquery Scan",
	"Values Scan", "Named Tuplestore Scan"}

// relation is the table that a scan reads, without its schema; "" where a node reads none.
func relation(head string) string {
	kind, rest, ok := strings.Cut(head, " on ")
	if !ok || !scans(kind) || slices.ContainsFunc(noTable, func(k string) bool { return strings.Contains(kind, k) }) {
		return ""
	}
	table, _, _ := strings.Cut(rest, " ")
	return table[strings.LastIndexByte(table, '.')+1:]
}

// spills tells sorts and hashes that went to disk. How much memory they want is an
// estimate, and named only where a session can have it.
func (d *Reading) spills() {
	s := slowSum(d.run)
	if len(s.spills) == 0 {
		return
	}
	evidence := slices.Clone(s.spills[:min(len(s.spills), 5)])
	if t := d.Plan.Temp; t != nil && *t > 0 {
		evidence = append(evidence, fmt.Sprintf("%s blocks of temporary files were read and written", figure(*t)))
	}
	for _, p := range d.run.Settings {
		if p.Name == "work_mem" || p.Name == "hash_mem_multiplier" {
			evidence = append(evidence, fmt.Sprintf("it ran with %s = %s", p.Name, p.Text))
		}
	}
	if s.planned {
		evidence = append(evidence, "the planner expected it and chose the batches beforehand")
	}
	explains := &s.spillOwn
	if s.spillOwn == 0 {
		explains = nil
	}
	d.add("spill", Likely, max(d.share(s.spillOwn)*0.7, readMuch/2), explains,
		"Sorts or hashes did not fit into work_mem and went to disk", evidence, spillAdvice(s.memKB))
}

// spillAdvice says what to try for a sort or hash that wrote so much to disk: never more
// memory than one session may be advised to take.
func spillAdvice(kb int64) []string {
	want := max((unit.Bytes(kb) * unit.KB * limits.SpillFactor).RoundUp(unit.MB), unit.MB)
	if want > limits.WorkMemMost {
		return []string{
			"no session should have the memory for it: fewer rows or columns to sort or hash, or an index that " +
				"gives them in order"}
	}
	return []string{
		fmt.Sprintf(
			"for this query alone, in its transaction: SET LOCAL work_mem = '%s' (an estimate: up to %d times what "+
				"went to disk), and run it again", want.GUC(), limits.SpillFactor),
		"for a role or all sessions ask pgfettle plan, which counts the connections; an index that gives the order " +
			"needs " +
			"no sort"}
}

func (d *Reading) lossy() {
	for _, r := range d.list {
		// A bitmap that spans few blocks costs nothing, lossy or not.
		if r.Lossy < readRows/10 || r.Lossy*10 < r.Exact || !d.matters(r, readMuch) {
			continue
		}
		evidence := []string{fmt.Sprintf("%s: %s of %s blocks were lossy, and every row of them was tested again",
			r.Head,
			figure(r.Lossy), figure(r.Lossy+r.Exact))}
		if r.Recheck > 0 {
			text := fmt.Sprintf("the recheck threw %s rows away", figure(r.Recheck))
			if a := r.Actual; a != nil && a.Loops > 1 {
				text += fmt.Sprintf(" in each of %s loops, %s in all", figure(a.Loops),
					figure(float64(r.Recheck)*a.Loops))
			}
			evidence = append(evidence, text)
		}
		certainty, next, title := Likely, []string{}, "A bitmap did not fit into work_mem and became lossy"
		// An entry of the bitmap takes 64 bytes for each block of the table.
		if want := (unit.Bytes(r.Lossy+r.Exact) * 64).RoundUp(unit.MB); want <= limits.WorkMemMost {
			next = append(next,
				fmt.Sprintf("for this query alone: SET LOCAL work_mem = '%s' or more holds a bitmap of so many "+
					"blocks", want.GUC()))
		}
		if r.Exact == 0 {
			certainty, title = Possible, "A bitmap was lossy: all rows of its blocks were tested again"
			next = append(next, "where the index is BRIN, its bitmaps are lossy always: a smaller pages_per_range")
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
		rows := *r.Node.Fetches
		text := fmt.Sprintf("%s: %s heap fetches", r.Head, figure(rows))
		if a := r.Actual; a != nil {
			if all := a.Rows*a.Loops + r.removed(); float64(rows) < all/10 {
				continue
			}
			text += fmt.Sprintf(" for %s rows", figure(a.Rows*a.Loops))
		}
		next := []string{"VACUUM the table: it marks pages as visible to all",
			"autovacuum sooner (pgfettle explain autovacuum_vacuum_insert_scale_factor); an old open transaction " +
				"keeps pages " +
				"from being marked"}
		if t := relation(r.Head); t != "" {
			next[0] = "VACUUM " + t + ": it marks pages as visible to all"
		}
		d.add("heap-fetches", Likely, max(d.share(r.own)/2, readMuch), nil,
			"An index only scan had to look into the table",
			[]string{text + ": the visibility map did not cover these pages"},
			next)
		return
	}
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
	text := fmt.Sprintf("%d functions were compiled in %s, %.1f %% of the time", j.Functions, ms(t), d.share(t))
	if processes > 1 {
		certainty = Likely
		text = fmt.Sprintf("%d functions were compiled in %s, the sum over %.0f processes: about %s in each",
			j.Functions, ms(j.Total), processes, ms(t))
	}
	d.add("jit", certainty, d.share(t), &t, "Just-in-time compilation took a part of the time", []string{text},
		[]string{
			"in this session: SET jit = off, and run it again; raise jit_above_cost where only some queries gain " +
				"(pgfettle explain jit)"})
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
		d.add("fewer-workers", Sure, max(d.share(r.wall)/4, readMuch/2), nil, "Parallel workers were missing",
			[]string{fmt.Sprintf("%s: %d of %d planned workers were launched", r.Head, *r.Launched, *r.Node.Planned)},
			[]string{
				"other queries had the workers: compare max_parallel_workers with what runs at once (pgfettle " +
					"explain " +
					"max_parallel_workers)",
				"a client that fetches by a cursor or in parts (JDBC's setFetchSize, Execute with a limit) gets none"})
		return
	}
}

// reads tells blocks that were not in shared buffers.
func (d *Reading) reads() {
	read := d.Plan.Read
	if t, ok := slowIO(d.run); ok && t > 0 {
		if d.share(t) < readMuch {
			return
		}
		evidence := []string{fmt.Sprintf("reading took %s, %.0f %% of the time", ms(t), d.share(t))}
		if read != nil && *read > 0 {
			evidence[0] = fmt.Sprintf("reading %s blocks (%s) took %s, %.0f %% of the time and %s a block",
				figure(*read),
				unit.Bytes(*read)*slowBlock, ms(t), d.share(t), ms(t/float64(*read)))
		}
		d.add("reads", Sure, d.share(t), &t, "Reading blocks took the time", evidence, readsAdvice)
		return
	}
	if read == nil || *read < readBlocks || d.total <= 0 {
		return
	}
	top := d.run.Root
	each := d.total / float64(*read)
	evidence := []string{fmt.Sprintf("%s blocks (%s) were not in shared buffers, %s were", figure(*read),
		unit.Bytes(*read)*slowBlock, figure(*d.Plan.Hit))}
	// The scan that read most tells best what a block cost.
	for _, r := range d.list {
		if r.timed && r.Buffers != nil && len(r.Children) == 0 && r.Buffers.Read*2 > *read {
			top, each = r.Node, r.own/float64(r.Buffers.Read)
		}
	}
	evidence = append(evidence, fmt.Sprintf("%s for each at most, in %s", ms(each), top.Head))
	certainty, weight := Possible, readMuch/2
	if each >= 1 { // the work on one block takes a hundredth of that
		certainty, weight = Likely, 90
	}
	d.add("reads", certainty, weight, nil, "Blocks were read that were not in shared buffers", evidence, append(
		[]string{
			"SET track_io_timing = on, and run it again: that tells a slow disk (milliseconds a block) from the page " +
				"cache (microseconds)"}, readsAdvice[:1]...))
}

var readsAdvice = []string{
	"the first run after a start or after a large scan reads: run it twice and compare",
	"below 0.05 ms a block comes from the page cache, 0.1 ms from an SSD, 5 ms from a spinning disk",
	"fewer blocks to read: an index, or less bloat; where it goes on, memory is too small for what queries touch " +
		"(pgfettle " +
		"plan)"}

// manyBuffers tells a scan that looked at many blocks for few rows.
func (d *Reading) manyBuffers() {
	for _, r := range d.list {
		b, a := r.Buffers, r.Actual
		if b == nil || a == nil || len(r.Children) > 0 || !scans(r.Head) || !d.matters(r, readMuch) {
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
			"A scan looked at many blocks for few rows: bloat, dead rows, or an index that does not fit the condition",
			[]string{fmt.Sprintf("%s looked at %s blocks for %s rows, with those that it threw away", r.Head,
				figure(blocks),
				figure(rows-a.Loops))},
			[]string{
				"dead rows: SELECT n_live_tup, n_dead_tup, last_autovacuum FROM pg_stat_user_tables WHERE relname = '" +
					relation(r.Head) + "'",
				"the oldest transaction keeps them: SELECT pid, xact_start, state FROM pg_stat_activity WHERE " +
					"backend_xmin IS NOT " +
					"NULL ORDER BY xact_start LIMIT 5"})
		return
	}
}

func (d *Reading) triggers() {
	sum := 0.0
	var evidence []string
	for _, t := range d.run.Triggers {
		if t.Time == nil {
			continue
		}
		sum += *t.Time
		if d.share(*t.Time) >= 1 && len(evidence) < 4 {
			evidence = append(evidence, fmt.Sprintf("trigger %s took %s in %s calls, %s each", t.Name, ms(*t.Time),
				figure(t.Calls), ms(*t.Time/max(t.Calls, 1))))
		}
	}
	if len(evidence) == 0 || d.share(sum) < readMuch {
		return
	}
	d.add("triggers", Sure, d.share(sum), &sum, "Triggers took the time", evidence,
		[]string{"for a foreign key: an index on the referencing columns, and who locks the referenced rows",
			"for one of your own: log its statements with auto_explain.log_nested_statements"})
}

func (d *Reading) planning() {
	if d.run.Planning == nil || *d.run.Planning < d.total || d.total <= 0 {
		return
	}
	p := *d.run.Planning
	d.add("planning", Sure, 100*p/(p+d.total), nil, "Planning took longer than the execution",
		[]string{fmt.Sprintf("planning took %s, the execution %s", ms(p), ms(d.total))},
		[]string{"the first query of a session fills its caches: run it twice in one session",
			"a prepared statement is planned once for many executions; many partitions, joins or indexes, and " +
				"bloated " +
				"catalogs, make planning long"})
}

// outside looks at execution time that is in no node.
func (d *Reading) outside() {
	a := d.run.Root.Actual
	if d.run.Execution == nil || a == nil || a.Total == nil || d.run.Fragment {
		return
	}
	gap := *d.run.Execution - *a.Total*max(a.Loops, 1)
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
	evidence := []string{fmt.Sprintf("%s of %s are in no node", ms(gap), ms(*d.run.Execution))}
	next := []string{
		"opening many partitions and waiting for locks on them shows here, as does giving back temporary files"}
	if a.Rows >= 100_000 {
		next = append(next,
			fmt.Sprintf("so does the clock itself, which is read for each of %s rows: pg_test_timing tells how "+
				"long that takes, and EXPLAIN (ANALYZE, TIMING OFF) does without", figure(a.Rows)))
	}
	d.add("start-and-end", Likely, d.share(gap), &gap, "Execution took time that is in no node", evidence, next)
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
	d.add("waited-outside", Sure, 100*gap / *d.Plan.Client, &gap,
		"The time was spent before or after the query, not in it",
		[]string{fmt.Sprintf("the client waited %s, planning and execution took %s", ms(*d.Plan.Client),
			ms(*d.Plan.Total))},
		[]string{"a lock on a table is waited for before planning is timed: log_lock_waits = on writes it",
			"then the way to the server: connection, pooler queue (SHOW POOLS of PgBouncer), network"})
}

// writes looks for blocks that a read had to write.
func (d *Reading) writes() {
	b := d.run.Root.Buffers
	if b == nil {
		return
	}
	if b.Written >= readRows/10 {
		d.add("backend-writes", Possible, readMuch/2, nil,
			"The query had to write dirty blocks to find room in shared buffers",
			[]string{fmt.Sprintf("it wrote %s blocks (%s)", figure(b.Written), unit.Bytes(b.Written)*slowBlock)},
			[]string{"the background writer is behind, or shared_buffers is small for the writes: pgfettle explain " +
				"bgwriter_lru_maxpages"})
	}
	changes := slices.ContainsFunc(d.list, func(r *readNode) bool { return modifies(r.Head) })
	if b.Dirtied >= readRows/10 && !changes {
		d.add("hint-bits", Possible, readMuch/2, nil,
			"The first reader after many changes sets hint bits, which dirties blocks",
			[]string{fmt.Sprintf("it dirtied %s blocks (%s)", figure(b.Dirtied), unit.Bytes(b.Dirtied)*slowBlock)},
			[]string{"run it once more: the second run does not; VACUUM after a bulk load does it beforehand"})
	}
	if w := d.run.Root.WAL; w != nil && w.FPI >= readRows && w.FPI*8*1024*2 > w.Bytes {
		d.add("full-page-images", Likely, readMuch/2, nil,
			"It wrote full page images, as the first change of a page after a checkpoint does",
			[]string{fmt.Sprintf("%s images in %s of WAL", figure(w.FPI), unit.Bytes(w.Bytes))},
			[]string{"checkpoints that are further apart: pgfettle explain max_wal_size"})
	}
}

func (d *Reading) memoize() {
	for _, r := range d.list {
		if m := r.Memoize; m != nil && m.Evictions > readRows && m.Evictions*10 > m.Misses {
			evidence := []string{fmt.Sprintf("%s evicted %s entries; %s hits, %s misses", r.Head, figure(m.Evictions),
				figure(m.Hits), figure(m.Misses))}
			if m.Keys > 0 {
				evidence = append(evidence, fmt.Sprintf("the planner expected %s distinct keys in %s lookups",
					figure(m.Keys), figure(m.Lookups)))
			}
			next := []string{"for this query alone: SET LOCAL work_mem to twice as much, and run it again"}
			if m.Hits < m.Misses { // more memory does not make keys repeat
				_, key := word(r.Node, "Cache Key")
				next = []string{"few keys came again: the planner took " + Cut(key) + " for a column with fewer " +
					"distinct values than it has; compare n_distinct in pg_stats, ANALYZE, or set n_distinct with " +
					"ALTER TABLE … ALTER COLUMN"}
			}
			d.add("memoize-evictions", Possible, readMuch/2, nil, "The cache of Memoize was too small", evidence, next)
			return
		}
	}
}

// slowest names the node that has most of the time, with what it does, where nothing that
// was found explains as much.
func (d *Reading) slowest() {
	r := d.top()
	if r == nil || d.share(r.own) < 3*readMuch || len(d.Inconsistent) > 0 {
		return
	}
	for _, v := range d.Verdicts {
		if v.Explains != nil && d.share(*v.Explains) >= d.share(r.own)/2 {
			return
		}
	}
	text := fmt.Sprintf("%s has %s of its own, %.0f %% of the time", r.Head, ms(r.own), d.share(r.own))
	if a := r.Actual; a != nil {
		text += fmt.Sprintf(", for %s rows", figure(a.Rows*a.Loops))
	}
	evidence := []string{text}
	for _, w := range r.Words {
		if len(evidence) < 4 && w.Name != "Cache Mode" {
			evidence = append(evidence, w.Name+": "+Cut(w.Text))
		}
	}
	own := r.own
	d.add("slowest-node", Sure, 1, &own, "Most of the time is in one node", evidence, nil)
}
