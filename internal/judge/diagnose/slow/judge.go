package slow

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/shape"
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
	d.Verdicts, d.RuledOut, d.Missing = []Verdict{}, []say.Message{}, []say.Message{}
	if d.Nodes == nil {
		d.Nodes = []Node{}
	}
	d.measured()
	d.compareBuffers()
	if d.Factor != nil && *d.Factor < slowNoticeable {
		text := say.M("No slow run: {slow} took {slow_time}, {fast} {fast_time}. Two runs of one query differ as "+
			"much without a reason.", "slow", gapwords.Arg(d.Slow.Name), "slow_time", ms(*d.took[0]), "fast",
			gapwords.Arg(d.Fast.Name), "fast_time", ms(*d.took[1]))
		if !d.SamePlan {
			text = say.M("No slow run: {slow} took {slow_time}, {fast} {fast_time}. The plans differ, but their "+
				"times hardly do.", "slow", gapwords.Arg(d.Slow.Name), "slow_time", ms(*d.took[0]), "fast",
				gapwords.Arg(d.Fast.Name), "fast_time", ms(*d.took[1]))
			d.otherPlan()
			d.fastAlone()
		} else if d.spills(); d.has("spill") {
			text = say.M("No slow run: {slow} took {slow_time}, {fast} {fast_time}. Only {slow} spilled to disk, "+
				"which hardly made a difference.", "slow", gapwords.Arg(d.Slow.Name), "slow_time",
				ms(*d.took[0]), "fast", gapwords.Arg(d.Fast.Name), "fast_time", ms(*d.took[1]))
		}
		d.Verdict = text
		return
	}
	for _, f := range []func(){d.otherPlan, d.otherSettings, d.planning, d.client, d.outside, d.jit, d.triggers,
		d.serialize, d.spills, d.reads, d.slowReads, d.rows, d.moreBuffers, d.heapFetches,
		d.lossy, d.workers, d.locks, d.writes, d.memoize, d.sameNode, d.slowAlone} {
		f()
	}
	d.rest()
	slices.SortStableFunc(d.Verdicts, func(a, b Verdict) int {
		return cmp.Compare(d.rank(b), d.rank(a))
	})
	d.headline()
}

// rank orders verdicts: what explains most first, the unexplained by certainty.
func (d *Report) rank(v Verdict) float64 {
	r := map[string]float64{Sure: 3, Likely: 2, Possible: 1}[v.Certainty] / 1000
	switch {
	case v.ID == "other-plan", v.ID == "other-query", v.ID == "other-index" && (v.Explains == nil ||
		*v.Explains >= d.extra()/2):
		return math.MaxFloat64 // every other difference may follow from it
	case v.Explains != nil:
		return *v.Explains + r
	}
	return r
}

func (d *Report) add(id, certainty string, explains *float64, title say.Message, evidence, next []say.Message) {
	if explains != nil {
		v := slowRound(max(*explains, 0))
		if explains = &v; v == 0 { // it is seen, and what it cost is not
			explains = nil
		}
	}
	d.Verdicts = append(d.Verdicts, Verdict{ID: id, Certainty: certainty, Explains: explains, Title: title,
		Evidence: append([]say.Message{}, evidence...), Next: append([]say.Message{}, next...)})
}

func (d *Report) has(ids ...string) bool {
	return slices.ContainsFunc(d.Verdicts, func(v Verdict) bool { return slices.Contains(ids, v.ID) })
}

func (d *Report) ruledOut(what say.Message) { d.RuledOut = append(d.RuledOut, what) }

// extra is the time that the slow run took more; 0 if it cannot be determined.
func (d *Report) extra() float64 {
	a, b := d.took[0], d.took[1]
	if a == nil || b == nil {
		return 0
	}
	return max(*a-*b, 0)
}

// measured says what the runs did not measure.
func (d *Report) measured() {
	d.Missing = append(d.Missing, planGaps(d.Slow.Name, d.slowRun)...)
	d.Missing = append(d.Missing, planGaps(d.Fast.Name, d.fastRun)...)
	for _, p := range []Plan{d.Slow, d.Fast} {
		if p.Cut != "" {
			d.Missing = append(d.Missing, cutOff(p))
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
		for _, w := range shape.Sorted(a) {
			if !b[w] {
				other = append(other, w)
			}
		}
		if len(other) > 0 {
			d.add("other-values", Possible, nil, say.M("Same plan, but other values in the conditions"),
				[]say.Message{onlySlow(Cut(other[0]))},
				[]say.Message{say.M("Compare two runs with identical values: a plan that is good for rare values can " +
					"be bad for frequent ones.")})
		}
		return
	}
	e := d.extra()
	if a, b := shape.Tables(d.slowRun), shape.Tables(d.fastRun); !shape.Overlap(a, b) {
		d.add("other-query", Likely, nil, say.M("Probably not two runs of the same query"),
			[]say.Message{say.M("the slow run reads {tables}", "tables", Cut(strings.Join(shape.Sorted(a), ", "))),
				say.M("the fast run reads {tables}", "tables", Cut(strings.Join(shape.Sorted(b), ", ")))},
			[]say.Message{say.M("Give two runs of the same query.")})
		return
	}
	parallel := d.parallelOnly()
	if d.otherIndex(&e) {
		if i := len(d.Verdicts) - 1; len(parallel) > 0 {
			e -= *cmp.Or(d.Verdicts[i].Explains, &e) // the index is the rest
			d.add("parallel", Likely, &e, say.M("Only the fast run used parallel workers"), parallel,
				[]say.Message{compareParallel()})
		}
		return
	}
	evidence := append([]say.Message{diffBelow()}, parallel...)
	next := []say.Message{say.M("Find the wrong estimate of the planner: compare estimated and actual rows of the " +
		"first node that differs.")}
	evidence = append(evidence, d.misjudgedLines()...)
	if len(parallel) > 0 {
		next = append([]say.Message{compareParallel()}, next...)
	}
	if n := d.misjudged(); n == nil && len(parallel) > 0 {
		next = next[:1]
	} else if n != nil {
		if t := shape.Relation(n.Head); t != "" {
			next = append(next, say.M("Run ANALYZE {table}; and EXPLAIN again. If its values are skewed, raise their "+
				"statistics target: ALTER TABLE {table} ALTER COLUMN COLUMN_NAME SET STATISTICS 1000;", "table", t))
		}
	}
	if line, step := d.generic(); !line.IsZero() {
		evidence, next = append(evidence, line), append(next, step)
	}
	d.add("other-plan", Sure, &e, say.M("The planner chose a different plan"), evidence, next)
}

func diffBelow() say.Message { return say.M("see the diff of the plans below") }

func onlySlow(what string) say.Message { return say.M("only in the slow run: {what}", "what", what) }

// misjudgedLines says which rows were estimated worst; nothing if all are fine.
func (d *Report) misjudgedLines() []say.Message {
	n := d.misjudged()
	if n == nil {
		return nil
	}
	return []say.Message{say.M("in the slow plan, {node} was estimated at {estimate} per loop and returned {actual}",
		"node", named(n.Head), "estimate", rowsOf(n.Cost.Rows), "actual", rowsOf(n.Actual.Rows))}
}

// otherIndex reports an index that the fast run used on a table that the slow one read without it. If it was created in
// between, nothing else needs to be done: missing statistics are not the cause.
func (d *Report) otherIndex(e *float64) bool {
	var evidence []say.Message
	var names []string
	told := map[*queryplan.Node]bool{}
	// The time of the subplans that the replaced scans are in, or of these scans if nothing else changed with them;
	// without end if that of one is not known.
	within := 0.0
	d.fastRun.Root.Walk(func(n *queryplan.Node) {
		index := shape.Index(n.Head)
		if index == "" || slices.Contains(d.Slow.Indexes, index) || slices.Contains(names, index) || len(names) >= 3 {
			return
		}
		table := shape.Relation(n.Head)
		if table == "" { // a Bitmap Index Scan: its table is in the node above
			table = shape.BitmapTable(d.fastRun.Root, n)
		}
		s := d.replaced(n, table)
		if s == nil {
			return
		}
		names = append(names, index)
		if t, ok := shape.SubplanTime(d.slowRun, s); ok {
			within += t
		} else if t, ok := d.scanSaved(s, n); ok {
			within += t
		} else {
			within = math.Inf(1)
		}
		evidence = append(evidence, say.M("only the fast run used the index {index} of {table}; the slow run: "+
			"{node}", "index", index, "table", table, "node", named(s.Head)))
		if s.Removed > 0 && s.Actual != nil && !told[s] {
			told[s] = true
			removed := say.M("there, the filter removed {rows}", "rows", rowsOf(float64(s.Removed)*s.Actual.Loops))
			if _, cond := shape.Word(s, "Filter"); cond != "" {
				removed = say.M("there, the filter {condition} removed {rows}", "condition", Cut(cond), "rows",
					rowsOf(float64(s.Removed)*s.Actual.Loops))
			}
			evidence = append(evidence, removed)
		}
	})
	if len(names) == 0 {
		return false
	}
	evidence = append(evidence, d.misjudgedLines()...)
	evidence = append(evidence, diffBelow())
	next := []say.Message{
		say.M("Check that the index exists and is valid where the slow run ran: SELECT indexrelid::regclass, "+
			"indisvalid FROM pg_index WHERE indexrelid = '{index}'::regclass;", "index", strings.ReplaceAll(names[0],
			"'", "''")),
		say.M("If it does not, or was created between the runs, that is why it was not used: CREATE INDEX " +
			"CONCURRENTLY creates it without blocking writes. If it does, compare the conditions and the settings of " +
			"the runs.")}
	if line, step := d.generic(); !line.IsZero() {
		evidence = append(evidence, line)
		next = []say.Message{step, next[0]}
	}
	if slices.Contains(d.fastRun.Created, names[0]) {
		next = []say.Message{say.M("The input creates the index {index} between the runs: that is why only the fast "+
			"run used it. Where it is missing, CREATE INDEX CONCURRENTLY creates it without blocking writes.",
			"index", names[0])}
	}
	least := min(*e, within)
	d.add("other-index", Sure, &least, say.M("The fast run used an index that the slow run did not use"), evidence,
		next)
	return true
}

// generic reports a slow plan that was made without the values of its parameters, while the fast one had them: what is
// seen, and what to do. Both are empty if that is not the case.
func (d *Report) generic() (line, step say.Message) {
	if !shape.Generic(d.slowRun) || shape.Generic(d.fastRun) {
		return say.Message{}, say.Message{}
	}
	return say.M("the slow plan is a generic plan (it has parameters such as $1), the fast plan is not"),
		say.M("In this session, run SET plan_cache_mode = force_custom_plan; and the query again.")
}

// misjudged is the node of the slow run whose rows were estimated worst; nil if all are well, or as the fast run's.
func (d *Report) misjudged() *queryplan.Node {
	var out *queryplan.Node
	worst := readMisjudged
	for _, r := range Read("", d.slowRun).list {
		f, ok := r.misjudged()
		if ok && f > worst && (r.Actual.Rows > r.Cost.Rows || !r.stops) && max(r.Actual.Rows, r.Cost.Rows) >= 100 &&
			!d.estimatedAlike(r.Node) && !r.unknownGroups() {
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
	var evidence []say.Message
	for _, p := range a {
		if !slices.Contains(b, p) {
			evidence = append(evidence, onlySlow(setting(p)))
		}
	}
	for _, p := range b {
		if !slices.Contains(a, p) {
			evidence = append(evidence, say.M("only in the fast run: {what}", "what", setting(p)))
		}
	}
	if len(evidence) > 0 {
		d.add("other-settings", Sure, nil, say.M("The runs had different settings"), evidence,
			[]say.Message{say.M("See where each is set: SELECT name, setting, source FROM pg_settings; ALTER ROLE " +
				"and ALTER DATABASE can set it too (\\drds in psql).")})
	}
}

func (d *Report) planning() {
	a, b := d.Slow.Planning, d.Fast.Planning
	if a == nil || b == nil || *a-*b < d.extra()/10 || *a < slowNoticeable**b {
		return
	}
	e := *a - *b
	evidence := []say.Message{say.M("planning took {slow} instead of {fast}", "slow", ms(*a), "fast", ms(*b))}
	if u := d.slowRun.PlanUsage; u != nil {
		evidence = append(evidence, say.M("catalog blocks during planning: {hit} hit, {read} read", "hit", u.Hit,
			"read", u.Read))
	}
	d.add("planning", Sure, &e, say.M("Planning took longer"), evidence, []say.Message{
		say.M("The first query of a session fills its caches: run it twice in one session before you compare."),
		say.M("If it is always slow, the cause can be many partitions or joins, or bloated catalogs (VACUUM " +
			"pg_catalog.pg_statistic, pg_catalog.pg_class, pg_catalog.pg_attribute;)."),
		say.M("Planning also waits for locks: watch it with pgfettle diagnose slow --sample.")})
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
	d.add("waited-outside", Sure, &e, clientTitle(), []say.Message{clientWaited(&d.Slow)}, []say.Message{
		say.M("Waits for table locks are usually before planning, and not in its time. Set log_lock_waits = on " +
			"(reload), and while it waits: SELECT pid, pg_blocking_pids(pid), query FROM pg_stat_activity WHERE " +
			"wait_event_type = 'Lock';"),
		wayToServer()})
}

// outside looks at execution time that is in no node.
func (d *Report) outside() {
	gap := func(p *queryplan.Plan) (float64, bool) {
		a := p.Root.Actual
		if p.Execution == nil || a == nil || a.Total == nil {
			return 0, false
		}
		g := *p.Execution - shape.RootTime(p.Root)
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
	d.add("start-and-end", Likely, &e, outsideTitle(),
		[]say.Message{say.M("{gap} of {execution} are in no node; in the fast run, {fast}", "gap", ms(a), "execution",
			ms(*d.slowRun.Execution), "fast", ms(max(b, 0)))},
		[]say.Message{otherWork(), say.M("Watch it with pgfettle diagnose slow --sample.")})
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
		d.add("jit", Sure, &e, say.M("JIT compilation took longer"),
			[]say.Message{say.N(j.Functions, "{n} function compiled in {slow}; in the fast run, {fast}",
				"{n} functions compiled in {slow}; in the fast run, {fast}", "slow", ms(j.Total), "fast", ms(before))},
			[]say.Message{withoutJIT(), say.M("If the estimated cost of a query has risen, it may have crossed " +
				"jit_above_cost: compare the costs.")})
	}
}

func (d *Report) triggers() {
	sum := func(p *queryplan.Plan) (t float64, worst say.Message) {
		most := -1.0
		for _, x := range p.Triggers {
			if x.Time != nil {
				t += *x.Time
				if *x.Time > most {
					most, worst = *x.Time, say.N(whole(x.Calls), "trigger {name}: {time} in {n} call",
						"trigger {name}: {time} in {n} calls", "name", x.Name, "time", ms(*x.Time))
				}
			}
		}
		return t, worst
	}
	a, worst := sum(d.slowRun)
	b, _ := sum(d.fastRun)
	if e := a - b; e > d.extra()/10 {
		d.add("triggers", Sure, &e, say.M("Triggers took longer"), []say.Message{worst}, triggerAdvice())
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
		d.add("serialize", Sure, &e, say.M("Output serialization took longer"),
			[]say.Message{say.M("serialization took {time} for {size} of output", "time", ms(at(d.slowRun)), "size",
				unit.Bytes(d.slowRun.Serialize.OutputKB)*unit.KB)}, []say.Message{lessOutput()})
	}
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
