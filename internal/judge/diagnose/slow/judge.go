package slow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// Certainties of a verdict.
const (
	Sure     = "sure"
	Likely   = "likely"
	Possible = "possible"
)

// block is what one buffer holds unless the server was built otherwise.
const slowBlock = 8 * unit.KB

// judge fills in the verdicts, what is ruled out and what is missing.
func (d *Report) judge() {
	d.Verdicts, d.RuledOut, d.Missing = []Verdict{}, []string{}, []string{}
	if d.Nodes == nil {
		d.Nodes = []Node{}
	}
	d.measured()
	d.compareBuffers()
	if d.Factor != nil && *d.Factor < slowNoticeable {
		d.Verdict = fmt.Sprintf(
			"No slow run: %s took %s, %s %s, which is as much as two runs of one query differ by anyway.",
			d.Slow.Name, ms(*slowWhole(d.Slow)), d.Fast.Name, ms(*slowWhole(d.Fast)))
		if !d.SamePlan {
			d.otherPlan()
		}
		return
	}
	for _, f := range []func(){d.otherPlan, d.otherSettings, d.planning, d.client, d.outside, d.jit, d.triggers,
		d.serialize, d.spills, d.reads, d.slowReads, d.rows, d.moreBuffers, d.heapFetches,
		d.lossy, d.workers, d.locks, d.writes, d.memoize, d.slowAlone} {
		f()
	}
	d.rest()
	slices.SortStableFunc(d.Verdicts, func(a, b Verdict) int {
		return cmp.Or(cmp.Compare(slowRank(b), slowRank(a)))
	})
	d.headline()
}

// slowRank orders verdicts: what explains most first, the unexplained by certainty.
func slowRank(v Verdict) float64 {
	r := map[string]float64{Sure: 3, Likely: 2, Possible: 1}[v.Certainty] / 1000
	switch {
	case v.ID == "other-plan", v.ID == "other-query", v.ID == "other-index":
		return math.MaxFloat64 // every other difference may follow from it
	case v.Explains != nil:
		return *v.Explains + r
	}
	return r
}

func (d *Report) add(id, certainty string, explains *float64, title string, evidence, next []string) {
	if explains != nil {
		v := slowRound(max(*explains, 0))
		explains = &v
	}
	d.Verdicts = append(d.Verdicts, Verdict{ID: id, Certainty: certainty, Explains: explains, Title: title,
		Evidence: append([]string{}, evidence...), Next: append([]string{}, next...)})
}

func (d *Report) has(ids ...string) bool {
	return slices.ContainsFunc(d.Verdicts, func(v Verdict) bool { return slices.Contains(ids, v.ID) })
}

func (d *Report) ruledOut(format string, args ...any) {
	d.RuledOut = append(d.RuledOut, fmt.Sprintf(format, args...))
}

// extra is the time that the slow run took more; 0 where it cannot be told.
func (d *Report) extra() float64 {
	a, b := slowWhole(d.Slow), slowWhole(d.Fast)
	if a == nil || b == nil {
		return 0
	}
	return max(*a-*b, 0)
}

// ms spells milliseconds for people.
func ms(v float64) string {
	switch {
	case v >= 100_000:
		return fmt.Sprintf("%.0f s", v/1000)
	case v >= 10_000:
		return fmt.Sprintf("%.1f s", v/1000)
	case v >= 100:
		return fmt.Sprintf("%.0f ms", v)
	case v >= 1:
		return fmt.Sprintf("%.1f ms", v)
	}
	return fmt.Sprintf("%.3f ms", v)
}

func factor(f float64) string {
	if f >= 10 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.1f", f)
}

// measured says what the runs did not measure.
func (d *Report) measured() {
	d.Missing = append(d.Missing, planGaps(d.Slow.Name, d.slowRun)...)
	d.Missing = append(d.Missing, planGaps(d.Fast.Name, d.fastRun)...)
	for _, p := range []Plan{d.Slow, d.Fast} {
		if p.Cut != "" {
			d.Missing = append(d.Missing, p.Name+" is cut off at: "+Cut(p.Cut))
		}
	}
}

func (d *Report) compareBuffers() {
	s, f := d.Slow, d.Fast
	if s.Hit == nil || f.Hit == nil {
		return
	}
	all := func(p Plan) int64 { return *p.Hit + *p.Read }
	switch a, b := float64(all(s)), float64(all(f)); {
	case *s.Read > *f.Read && *s.Read-*f.Read > all(s)/50: // a fiftieth is what a checkpoint or a neighbour moves
		d.Buffers = "reads"
	case a > b*1.1+10:
		d.Buffers = "more"
	case b > a*1.1+10:
		d.Buffers = "fewer"
	case *s.Read == 0 && *f.Read == 0:
		d.Buffers = "same-hits"
	default:
		d.Buffers = "same"
	}
}

func (d *Report) otherPlan() {
	if d.SamePlan {
		var other []string
		a, b := map[string]bool{}, map[string]bool{}
		collect := func(to map[string]bool) func(*queryplan.Node) {
			return func(n *queryplan.Node) {
				for _, w := range n.Words {
					to[w.Name+": "+w.Text] = true
				}
			}
		}
		d.slowRun.Root.Walk(collect(a))
		d.fastRun.Root.Walk(collect(b))
		for _, w := range slowKeys(a) {
			if !b[w] {
				other = append(other, w)
			}
		}
		if len(other) > 0 {
			d.add("other-values", Possible, nil, "The same plan, but with other conditions",
				[]string{"only in the slow run: " + Cut(other[0])},
				[]string{
					"compare two runs for one value: a plan that is good for rare values is not for frequent ones"})
		}
		return
	}
	e := d.extra()
	if a, b := slowTables(d.slowRun), slowTables(d.fastRun); !slowOverlap(a, b) {
		d.add("other-query", Likely, nil, "These are probably not two runs of one query",
			[]string{"the slow one reads " + Cut(strings.Join(slowKeys(a), ", ")),
				"the fast one reads " + Cut(strings.Join(slowKeys(b), ", "))},
			[]string{"give two runs of the same query"})
		return
	}
	if d.otherIndex(&e) {
		return
	}
	evidence := []string{"the diff of both plans stands below"}
	next := []string{
		"find what the planner believed: compare the estimated with the actual rows of the first node that differs"}
	evidence = append(evidence, misjudgedLines(d.slowRun)...)
	if n := slowMisjudged(d.slowRun); n != nil {
		if t := relation(n.Head); t != "" {
			next = append(next, "ANALYZE "+t+
				", then EXPLAIN again; where its values are skewed raise their statistics: "+
				"ALTER TABLE … ALTER COLUMN … SET STATISTICS 1000")
		}
	}
	if line, step := d.generic(); line != "" {
		evidence, next = append(evidence, line), append(next, step)
	}
	d.add("other-plan", Sure, &e, "The planner chose another plan", evidence, next)
}

// misjudgedLines says whose rows were estimated worst; nothing where all are well.
func misjudgedLines(p *queryplan.Plan) []string {
	n := slowMisjudged(p)
	if n == nil {
		return nil
	}
	return []string{fmt.Sprintf("in the slow plan %s was estimated at %.0f rows and returned %.0f a loop", n.Head,
		n.Cost.Rows, n.Actual.Rows)}
}

// otherIndex tells an index that the fast run used on a table that the slow one read
// without it. Where it was made in between, nothing else is to be done; statistics are
// not what is missing.
func (d *Report) otherIndex(e *float64) bool {
	var evidence []string
	var names []string
	d.fastRun.Root.Walk(func(n *queryplan.Node) {
		index := indexOf(n.Head)
		if index == "" || slices.Contains(d.Slow.Indexes, index) || slices.Contains(names, index) || len(names) >= 3 {
			return
		}
		table := relation(n.Head)
		if table == "" { // a Bitmap Index Scan: its table is in the node above
			table = bitmapTable(d.fastRun.Root, n)
		}
		d.slowRun.Root.Walk(func(s *queryplan.Node) {
			if table == "" || relation(s.Head) != table || slices.Contains(names, index) {
				return
			}
			names = append(names, index)
			text := fmt.Sprintf("only the fast run used the index %s of %s; the slow one: %s", index, table, s.Head)
			if s.Removed > 0 && s.Actual != nil {
				text += fmt.Sprintf(", which threw %s rows away", figure(float64(s.Removed)*s.Actual.Loops))
				if _, cond := word(s, "Filter"); cond != "" {
					text += " by " + Cut(cond)
				}
			}
			evidence = append(evidence, text)
		})
	})
	if len(names) == 0 {
		return false
	}
	evidence = append(evidence, misjudgedLines(d.slowRun)...)
	evidence = append(evidence, "the diff of both plans stands below")
	next := []string{
		"see whether it is there where the slow run was: SELECT indexrelid::regclass, indisvalid FROM pg_index WHERE " +
			"indexrelid = '" + strings.ReplaceAll(names[0], "'", "''") + "'::regclass",
		"where it is not, or was made between the two runs, that is the whole reason: CREATE INDEX CONCURRENTLY " +
			"makes it " +
			"without blocking writes; where it is, compare the conditions and the settings of both runs"}
	if line, step := d.generic(); line != "" {
		evidence = append(evidence, line)
		next = []string{step, next[0]}
	}
	d.add("other-index", Sure, e, "The fast run used an index that the slow one did not", evidence, next)
	return true
}

// generic tells a slow plan that was made without the values of its parameters, where the fast one had them: what is
// seen, and what to do. Both are empty where that is not so.
func (d *Report) generic() (line, step string) {
	if !slowGeneric(d.slowRun) || slowGeneric(d.fastRun) {
		return "", ""
	}
	return "the slow plan is a generic one (it has parameters, such as $1), the fast one is not",
		"for this session: SET plan_cache_mode = force_custom_plan, and run it again"
}

// bitmapTable is the table of the Bitmap Heap Scan that a node stands below.
func bitmapTable(root, n *queryplan.Node) string {
	out := ""
	root.Walk(func(h *queryplan.Node) {
		if out == "" && strings.Contains(h.Head, "Bitmap Heap Scan") {
			h.Walk(func(x *queryplan.Node) {
				if x == n {
					out = relation(h.Head)
				}
			})
		}
	})
	return out
}

// slowAlone tells what the slow plan shows by itself, where it is another one than the
// fast run's.
func (d *Report) slowAlone() {
	if d.SamePlan || d.has("other-query") {
		return
	}
	for _, v := range Read(d.Slow.Name, d.slowRun).Verdicts {
		switch v.ID {
		case "rows-removed", "repeated", "misestimate", "lossy-bitmap", "many-buffers":
			if !d.has(v.ID) && !(d.has("other-index") && v.ID != "repeated") {
				d.add(v.ID, v.Certainty, nil, v.Title, v.Evidence, v.Next)
			}
		}
	}
}

// slowGeneric says whether a plan has parameters that a custom plan would have as values.
func slowGeneric(p *queryplan.Plan) bool {
	generic, inner := false, false
	p.Root.Walk(func(n *queryplan.Node) {
		inner = inner || n.Subplan != ""
		for _, w := range n.Words {
			generic = generic || strings.Contains(w.Text, "$1")
		}
	})
	return generic && !inner // the parameter of a subplan looks the same
}

// slowTables names what a plan reads.
func slowTables(p *queryplan.Plan) map[string]bool {
	out := map[string]bool{}
	p.Root.Walk(func(n *queryplan.Node) {
		kind, rest, ok := strings.Cut(n.Head, " on ")
		if ok && !strings.HasSuffix(kind, "Bitmap Index Scan") {
			table, _, _ := strings.Cut(rest, " ")
			out[table] = true
		}
	})
	return out
}

// slowOverlap says whether two plans have a table in common, or one has none.
func slowOverlap(a, b map[string]bool) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	for t := range a {
		if b[t] {
			return true
		}
	}
	return false
}

// slowMisjudged is the node whose rows were estimated worst; nil where all are well.
func slowMisjudged(p *queryplan.Plan) *queryplan.Node {
	var out *queryplan.Node
	worst := readMisjudged
	for _, r := range Read("", p).list {
		f, ok := r.misjudged()
		if ok && f > worst && (r.Actual.Rows > r.Cost.Rows || !r.stops) && max(r.Actual.Rows, r.Cost.Rows) >= 100 {
			worst, out = f, r.Node
		}
	}
	return out
}

func (d *Report) otherSettings() {
	a, b := d.slowRun.Settings, d.fastRun.Settings
	if len(a) == 0 && len(b) == 0 {
		return
	}
	var evidence []string
	for _, p := range a {
		if !slices.Contains(b, p) {
			evidence = append(evidence, "only in the slow run: "+p.Name+" = "+Cut(p.Text))
		}
	}
	for _, p := range b {
		if !slices.Contains(a, p) {
			evidence = append(evidence, "only in the fast run: "+p.Name+" = "+Cut(p.Text))
		}
	}
	if len(evidence) > 0 {
		d.add("other-settings", Sure, nil, "The two runs had other settings", evidence,
			[]string{
				"see where each is set: SELECT name, setting, source FROM pg_settings; ALTER ROLE and ALTER " +
					"DATABASE set some too (\\drds)"})
	}
}

func (d *Report) planning() {
	a, b := d.Slow.Planning, d.Fast.Planning
	if a == nil || b == nil || *a-*b < d.extra()/10 || *a < slowNoticeable**b {
		return
	}
	e := *a - *b
	evidence := []string{fmt.Sprintf("planning took %s instead of %s", ms(*a), ms(*b))}
	next := []string{"the first query of a session fills its caches: run it twice in one session before comparing",
		"where it is always so: many partitions or joins, or catalogues that are bloated (VACUUM " +
			"pg_catalog.pg_statistic, pg_class, pg_attribute)",
		"planning waits for locks too: watch with pgfettle diagnose slow --sample"}
	if u := d.slowRun.PlanUsage; u != nil {
		evidence = append(evidence, fmt.Sprintf("planning found %d blocks of catalogues in shared buffers and read %d",
			u.Hit, u.Read))
	}
	d.add("planning", Sure, &e, "Planning took longer", evidence, next)
}

// client looks at time that the client waited and the server did not work.
func (d *Report) client() {
	gap := func(p Plan) (float64, bool) {
		if p.Client == nil || p.Total == nil {
			return 0, false
		}
		return *p.Client - *p.Total, true
	}
	a, ok := gap(d.Slow)
	if !ok {
		return
	}
	b, _ := gap(d.Fast)
	if a-b < d.extra()/10 || a < 5 { // some milliseconds are a round trip and psql itself
		return
	}
	e := a - b
	d.add("waited-outside", Sure, &e, "The time was spent before or after the query, not in it",
		[]string{fmt.Sprintf("the client waited %s, planning and execution took %s", ms(*d.Slow.Client),
			ms(*d.Slow.Total))},
		[]string{
			"a lock on a table is waited for before planning is timed: set log_lock_waits = on, and look while it " +
				"hangs: SELECT pid, pg_blocking_pids(pid), query FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
			"then the way to the server: connection, pooler queue (SHOW POOLS of PgBouncer), network"})
}

// outside looks at execution time that is in no node.
func (d *Report) outside() {
	gap := func(p *queryplan.Plan) (float64, bool) {
		a := p.Root.Actual
		if p.Execution == nil || a == nil || a.Total == nil {
			return 0, false
		}
		g := *p.Execution - *a.Total*max(a.Loops, 1)
		for _, t := range p.Triggers {
			if t.Time != nil {
				g -= *t.Time
			}
		}
		if p.JIT != nil {
			g -= p.JIT.Total // part of it is before the first node starts
		}
		if p.Serialize != nil && p.Serialize.Time != nil {
			g -= *p.Serialize.Time
		}
		return g, true
	}
	a, ok := gap(d.slowRun)
	b, _ := gap(d.fastRun)
	if !ok || a-b < d.extra()/10 || a < 1 {
		return
	}
	e := a - b
	d.add("start-and-end", Likely, &e, "Execution took time that is in no node: starting and ending the plan",
		[]string{fmt.Sprintf("%s of %s are in no node, against %s of the fast run", ms(a),
			ms(*d.slowRun.Execution), ms(b))},
		[]string{
			"opening many partitions and waiting for locks on them shows here, as does giving back temporary files",
			"watch with pgfettle diagnose slow --sample"})
}

func (d *Report) jit() {
	j := d.slowRun.JIT
	if j == nil {
		return
	}
	before := 0.0
	if f := d.fastRun.JIT; f != nil {
		before = f.Total
	}
	if e := j.Total - before; e > d.extra()/10 {
		d.add("jit", Sure, &e, "Just-in-time compilation took the time",
			[]string{fmt.Sprintf("%d functions were compiled in %s, against %s of the fast run", j.Functions,
				ms(j.Total), ms(before))},
			[]string{
				"SET jit = off and run it again; raise jit_above_cost where only some queries gain (pgfettle " +
					"explain jit)",
				"a query whose estimated cost went up may have crossed jit_above_cost: compare the costs"})
	}
}

func (d *Report) triggers() {
	sum := func(p *queryplan.Plan) (t float64, worst string) {
		most := -1.0
		for _, x := range p.Triggers {
			if x.Time != nil {
				t += *x.Time
				if *x.Time > most {
					most, worst = *x.Time, fmt.Sprintf("%s: %.0f calls, %s", x.Name, x.Calls, ms(*x.Time))
				}
			}
		}
		return t, worst
	}
	a, worst := sum(d.slowRun)
	b, _ := sum(d.fastRun)
	if e := a - b; e > d.extra()/10 {
		d.add("triggers", Sure, &e, "Triggers took the time", []string{"trigger " + worst},
			[]string{"for a foreign key: an index on the referencing columns, and who locks the referenced rows",
				"for one of your own: log its statements with auto_explain.log_nested_statements"})
	}
}

func (d *Report) serialize() {
	at := func(p *queryplan.Plan) float64 {
		if p.Serialize == nil || p.Serialize.Time == nil {
			return 0
		}
		return *p.Serialize.Time
	}
	if e := at(d.slowRun) - at(d.fastRun); e > d.extra()/10 && e > 0 {
		d.add("serialize", Sure, &e, "Making the output took the time",
			[]string{fmt.Sprintf("serialization took %s, for %d kB", ms(at(d.slowRun)), d.slowRun.Serialize.OutputKB)},
			[]string{"large values are fetched from TOAST only when they are written out: select fewer columns"})
	}
}

func slowKeys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Cut bounds a text of a query that is shown, with single blanks.
func Cut(s string) string {
	const most = 160
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
