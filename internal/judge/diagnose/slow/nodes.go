package slow

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/shape"
)

// slowTotals is what is summed over a plan's nodes.
type slowTotals struct {
	spills   []say.Message
	spillOwn float64
	sorts    bool  // one of them is a sort
	ordered  bool  // an index could return the rows of one of these sorts in order
	planned  bool  // batches were chosen before the first row
	memKB    int64 // the largest sort or hash that went to disk
	// the most processes that did so side by side
	processes float64
	fetches   int64
	lossy     int64
	exact     int64
	missing   int64 // workers that were planned and not launched
	launched  int64
	evicted   int64
	lockOwn   float64
	lockNode  string
}

func slowSum(p *queryplan.Plan) slowTotals {
	var t slowTotals
	own, _ := shape.OwnTimes(p)
	t.processes = 1
	sides := shape.Processes(p)
	p.Root.Walk(func(n *queryplan.Node) {
		kb := int64(0)
		if n.Sort != nil && n.Sort.Disk {
			t.sorts, t.ordered = true, t.ordered || shape.Orderable(n)
		}
		switch {
		case n.Sort != nil && n.Sort.Disk && n.Sort.KB == 0: // cut off
			t.spills = append(t.spills, say.M("{node}: {method} on disk, size unknown", "node", named(n.Head), "method",
				n.Sort.Method))
		case n.Sort != nil && n.Sort.Disk:
			kb = n.Sort.KB
			t.spills = append(t.spills, sortSpill(n, sides[n]))
		case n.Hash != nil && n.Hash.DiskKB > 0:
			kb = n.Hash.DiskKB
			t.spills = append(t.spills, say.N(n.Hash.Batches, "{node}: {n} batch, {size} on disk",
				"{node}: {n} batches, {size} on disk", "node", named(n.Head), "size", unit.Bytes(kb)*unit.KB))
		case n.Hash != nil && n.Hash.Batches > 1:
			kb = n.Hash.MemoryKB * min(n.Hash.Batches, 1<<20)
			t.spills = append(t.spills, say.N(n.Hash.Batches, "{node}: {n} batch of {size}",
				"{node}: {n} batches of {size} each",
				"node", named(n.Head), "size", unit.Bytes(n.Hash.MemoryKB)*unit.KB))
		}
		if kb > 0 {
			t.spillOwn += own[n]
			t.planned = t.planned || n.Hash != nil && n.Hash.Original == 0 && n.Hash.DiskKB == 0
			t.memKB = max(t.memKB, kb)
			if !strings.HasPrefix(n.Head, "Parallel Hash") { // which all processes share
				t.processes = max(t.processes, sides[n])
			}
		}
		if n.Fetches != nil {
			t.fetches += *n.Fetches
		}
		t.lossy += n.Lossy
		t.exact += n.Exact
		if n.Planned != nil && n.Launched != nil {
			t.missing += max(*n.Planned-*n.Launched, 0)
			t.launched += *n.Launched
		}
		if n.Memoize != nil {
			t.evicted += n.Memoize.Evictions
		}
		switch kind, _, _ := strings.Cut(n.Head, " "); kind {
		case "LockRows", "Update", "Delete", "Insert", "Merge":
			if own[n] > t.lockOwn && !strings.HasSuffix(n.Head, "Join") {
				t.lockOwn, t.lockNode = own[n], n.Head
			}
		}
	})
	return t
}

// sortSpill says what a sort wrote. The line of a sort in parallel workers is of one process.
func sortSpill(n *queryplan.Node, processes float64) say.Message {
	pairs := []any{"node", named(n.Head), "method", n.Sort.Method, "size", unit.Bytes(n.Sort.KB) * unit.KB}
	sum, known := n.Sort.KB, 0
	for _, w := range n.Workers {
		if w.Sort != nil && w.Sort.Disk {
			sum, known = sum+w.Sort.KB, known+1
		}
	}
	switch {
	case known > 0:
		return say.M("{node}: {method}, {size} on disk in one process, {sum} in all", append(pairs, "sum",
			unit.Bytes(sum)*unit.KB)...)
	case processes > 1:
		return say.N(int64(processes), "{node}: {method}, {size} on disk in {n} process",
			"{node}: {method}, {size} on disk in one of {n} processes", pairs...)
	}
	return say.M("{node}: {method}, {size} on disk", pairs...)
}

func (d *Report) spills() {
	s, f := slowSum(d.slowRun), slowSum(d.fastRun)
	if len(s.spills) <= len(f.spills) || len(s.spills) == 0 {
		return
	}
	e := s.spillOwn - f.spillOwn
	evidence := s.spills[:min(len(s.spills), 5)]
	if t := d.Slow.Temp; t != nil && *t > 0 {
		evidence = append(evidence, tempBlocks(*t))
	}
	next := spillAdvice(s)
	if d.SamePlan {
		// The same node of the fast run says what it takes in memory.
		e = 0
		fits, known := int64(0), true
		nodes := d.Nodes
		pairs := d.pairs()
		d.Nodes = nodes // they are filled already
		for _, p := range pairs {
			if _, disk := shape.MemoryOf(p.slow); !disk {
				continue
			}
			e += max(p.slowOwn-p.fastOwn, 0)
			kb, disk := shape.MemoryOf(p.fast)
			fits, known = max(fits, kb), known && !disk && kb > 0
		}
		if known && fits > 0 {
			evidence = append(evidence, say.M("the fast run needed {size} of memory for the same", "size",
				unit.Bytes(fits)*unit.KB))
			next = d.fittingAdvice(fits)
		}
	} else if d.Fast.DiskKB == nil {
		// Another plan: what it took is no measure of this sort, but bounds what is needed.
		took := say.M("the fast run, with another plan, has no sort or hash")
		if m := d.Fast.MemoryKB; m != nil {
			took = say.M("the fast run, with another plan, needed {size} at most for a sort or hash", "size",
				unit.Bytes(*m)*unit.KB)
		}
		evidence = append(evidence, took)
		next = []say.Message{say.M("The reason is the plan, not the memory: with the plan of the fast run, nothing " +
			"spills.")}
	}
	d.add("spill", Likely, &e, spillTitle(), evidence, next)
}

// fittingAdvice names the work_mem with which a sort or hash fits that took so many kB in
// the fast run: what its session is known to have had, or what the figure comes to.
func (d *Report) fittingAdvice(kb int64) []say.Message {
	want := max((unit.Bytes(kb) * unit.KB).RoundUp(unit.MB), unit.MB)
	for _, p := range d.Fast.Settings {
		if p.Name == "work_mem" {
			if had, err := unit.ParseBytes(p.Text); err == nil && had < want {
				want = had // a hash may take several times as much
			}
		}
	}
	return []say.Message{
		say.M("For this session or query only, run SET work_mem = '{value}'; and the query again: that is enough for "+
			"what the fast run needed.", "value", want.GUC()),
		say.M("See why the sessions differ: SELECT setting, source FROM pg_settings WHERE name = 'work_mem'; ALTER " +
			"ROLE and ALTER DATABASE can set it too (\\drds in psql)."),
		askPlan()}
}

func (d *Report) reads() {
	s, f := d.Slow, d.Fast
	switch d.Buffers {
	case "unknown":
		return
	case "same-hits":
		d.ruledOut(say.M("the disks: both runs found every block in shared buffers"))
		return
	case "reads":
	default:
		return
	}
	evidence := []say.Message{say.N(*s.Read, "the slow run read {n} block ({size}) that was not in shared buffers; "+
		"the fast run: {fast}", "the slow run read {n} blocks ({size}) that were not in shared buffers; the fast "+
		"run: {fast}", "size", unit.Bytes(*s.Read)*slowBlock, "fast", *f.Read)}
	certainty := Likely
	var explains *float64
	if t, ok := shape.IOTime(d.slowRun); ok {
		before, _ := shape.IOTime(d.fastRun)
		e := t - before
		explains, certainty = &e, Sure
		evidence = append(evidence, say.M("reads took {time}, {each} per block", "time", ms(t), "each",
			ms(t/math.Max(float64(*s.Read), 1))))
	} else if *s.Read > 0 {
		// What each block cost at most.
		evidence = append(evidence, say.M("at most {each} per block", "each", ms(d.extra()/float64(*s.Read-*f.Read))))
	}
	title := say.M("Blocks were read that the fast run found in shared buffers")
	next := []say.Message{readTwice(),
		say.M("If it continues, shared_buffers or the page cache is too small for the data that queries use " +
			"(pgfettle plan), or something else evicts it."),
		timeReads()}
	if !d.SamePlan { // it read other blocks
		title, next = readTitle(), []say.Message{readTwice(), timeReads()}
		if certainty == Likely {
			certainty = Possible
		}
	}
	if a, b := *s.Hit+*s.Read, *f.Hit+*f.Read; float64(a) > 1.5*float64(max(b, 1)) {
		title = say.M("More blocks were accessed, and some of them had to be read")
		evidence = append(evidence, accessed(a, b))
	}
	d.add("reads", certainty, explains, title, evidence, next)
}

// accessed is how many blocks were found or read.
func accessed(slow, fast int64) say.Message {
	return say.N(slow, "{n} block accessed; in the fast run, {fast}", "{n} blocks accessed; in the fast run, {fast}",
		"fast", fast)
}

// slowReads looks at the time that the same reads took.
func (d *Report) slowReads() {
	if d.has("reads") || d.Slow.Read == nil || d.Fast.Read == nil || *d.Slow.Read == 0 || *d.Fast.Read == 0 {
		return
	}
	a, ok := shape.IOTime(d.slowRun)
	b, ok2 := shape.IOTime(d.fastRun)
	if !ok || !ok2 || a-b < d.extra()/10 {
		return
	}
	e := a - b
	d.add("slow-reads", Sure, &e, say.M("Reads took longer than in the fast run"),
		[]say.Message{say.M("slow run: {slow} in {slow_time} ({slow_each} each); fast run: {fast} in {fast_time} "+
			"({fast_each} each)", "slow", blocksOf(float64(*d.Slow.Read)), "slow_time", ms(a), "slow_each",
			ms(a/float64(*d.Slow.Read)), "fast", blocksOf(float64(*d.Fast.Read)), "fast_time", ms(b), "fast_each",
			ms(b/float64(*d.Fast.Read)))},
		[]say.Message{say.M("The disk was slower, or the fast run read from the page cache."), readTimes(),
			say.M("While it is slow, check iostat -x 1 and /proc/pressure/io: a checkpoint or a backup may use the " +
				"disk.")})
}

func (d *Report) rows() {
	if !d.SamePlan {
		return
	}
	worst := 1.5
	var text say.Message
	for _, n := range d.Nodes {
		if n.SlowRows == nil || n.FastRows == nil || n.Share < 1 && d.Spread != "unknown" {
			continue
		}
		a, b := *n.SlowRows*n.Loops, *n.FastRows*n.FastLoops // of all loops: fewer workers have more rows each
		if f := max(a, 1) / max(b, 1); f > worst {
			worst, text = f, say.M("{node} returned {slow} instead of {fast}", "node", named(n.Head), "slow", rowsOf(a),
				"fast", whole(b))
		}
	}
	a, b := shape.Work(d.slowRun), shape.Work(d.fastRun)
	if text.IsZero() && a > 1.5*max(b, 1) {
		text = say.M("the nodes handled {slow} in all loops, including removed rows, instead of {fast}", "slow",
			rowsOf(a), "fast", whole(b))
	}
	if text.IsZero() {
		if d.Nodes[0].SlowRows != nil {
			d.ruledOut(say.M("the amount of work: the nodes handled about the same number of rows"))
		}
		return
	}
	e := d.extra()
	if b > 0 && d.Fast.Execution != nil {
		e = min(e, (a/b-1)**d.Fast.Execution)
	}
	d.add("other-rows", Likely, &e, say.M("Same plan, but more rows"), []say.Message{text},
		[]say.Message{
			say.M("The values were different, or the table has grown: compare the conditions, and count(*) of the " +
				"table."),
			say.M("If the estimate did not change, another plan may be better now: check when the table was last " +
				"analyzed.")})
}

func (d *Report) moreBuffers() {
	if d.Buffers != "more" && d.Buffers != "reads" || !d.SamePlan || d.has("other-rows") {
		return
	}
	a, b := *d.Slow.Hit+*d.Slow.Read, *d.Fast.Hit+*d.Fast.Read
	if float64(a) < 1.5*float64(max(b, 1)) {
		return
	}
	e := d.extra()
	if d.Fast.Execution != nil {
		e = min(e, (float64(a)/float64(max(b, 1))-1)**d.Fast.Execution)
	}
	explains := &e
	if d.has("reads") {
		explains = nil // the same time twice
	}
	d.add("more-buffers", Likely, explains, say.M("Same rows, but in more blocks: bloat or dead rows"),
		[]say.Message{accessed(a, b), say.M("the number of rows is about the same")},
		[]say.Message{
			say.M("Find the tables: SELECT relname, n_live_tup, n_dead_tup, last_autovacuum FROM pg_stat_user_tables " +
				"ORDER BY n_dead_tup DESC LIMIT 10;"),
			say.M("The oldest transaction keeps dead rows: SELECT pid, xact_start, state, query FROM " +
				"pg_stat_activity WHERE backend_xmin IS NOT NULL ORDER BY xact_start LIMIT 5;"),
			say.M("Then VACUUM the table, and for the index use REINDEX INDEX CONCURRENTLY. pgfettle check shows " +
				"more.")})
}

func (d *Report) heapFetches() {
	s, f := slowSum(d.slowRun), slowSum(d.fastRun)
	if s.fetches < 2*f.fetches+100 {
		return
	}
	d.add("heap-fetches", Likely, nil, fetchesTitle(),
		[]say.Message{say.N(s.fetches, "{n} heap fetch; in the fast run, {fast}", "{n} heap fetches; in the fast "+
			"run, {fast}", "fast", f.fetches), notVisible()},
		[]say.Message{say.M("Run VACUUM on the table, and let autovacuum run earlier (pgfettle explain " +
			"autovacuum_vacuum_insert_scale_factor).")})
}

func (d *Report) lossy() {
	s, f := slowSum(d.slowRun), slowSum(d.fastRun)
	if s.lossy <= 2*f.lossy || s.lossy < s.exact/10 {
		return
	}
	d.add("lossy-bitmap", Likely, nil, lossyTitle(),
		[]say.Message{say.M("{lossy} of {blocks} were lossy, and all of their rows were rechecked", "lossy", s.lossy,
			"blocks", blocksOf(float64(s.lossy+s.exact)))},
		[]say.Message{say.M("In this session, set work_mem to the value of the fast run, and run it again.")})
}

func (d *Report) workers() {
	s, f := slowSum(d.slowRun), slowSum(d.fastRun)
	if s.launched >= f.launched || s.missing <= f.missing {
		return
	}
	e := d.extra()
	if d.Fast.Execution != nil {
		e = min(e, *d.Fast.Execution*(float64(f.launched+1)/float64(s.launched+1)-1))
	}
	d.add("fewer-workers", Sure, &e, say.M("Fewer parallel workers than in the fast run"),
		[]say.Message{say.N(s.launched, "{n} worker launched, {missing} fewer than planned; in the fast run, {fast}",
			"{n} workers launched, {missing} fewer than planned; in the fast run, {fast}", "missing", s.missing, "fast",
			f.launched)},
		[]say.Message{busyWorkers()})
}

// locks looks for time in the nodes that wait for row locks.
func (d *Report) locks() {
	s, f := slowSum(d.slowRun), slowSum(d.fastRun)
	e := s.lockOwn - f.lockOwn
	if s.lockNode == "" || e < d.extra()/2 || s.lockOwn < 5*max(f.lockOwn, 1) ||
		d.Buffers != "same-hits" && d.Buffers != "same" && d.Buffers != "unknown" {
		return
	}
	text := say.M("{node} itself took {slow} instead of {fast}, with no more blocks", "node", s.lockNode, "slow",
		ms(s.lockOwn), "fast", ms(f.lockOwn))
	if d.Buffers == "unknown" {
		text = say.M("{node} itself took {slow} instead of {fast}", "node", s.lockNode, "slow", ms(s.lockOwn), "fast",
			ms(f.lockOwn))
	}
	d.add("lock-wait", Likely, &e, rowLockTitle(), []say.Message{text}, []say.Message{logLockWaits(), seeLocks(),
		say.M("pgfettle diagnose slow --sample shows the sessions that hold the locks.")})
}

// writes looks for blocks that a read had to write.
func (d *Report) writes() {
	a, b := d.slowRun.Root.Buffers, d.fastRun.Root.Buffers
	if a == nil || b == nil || !d.SamePlan {
		return
	}
	if a.Written > b.Written+100 {
		d.add("backend-writes", Possible, nil, say.M("Query wrote dirty buffers to make room in shared_buffers"),
			[]say.Message{say.M("it wrote {blocks} ({size}); the fast run: {fast}", "blocks",
				blocksOf(float64(a.Written)), "size", unit.Bytes(a.Written)*slowBlock, "fast",
				b.Written)}, []say.Message{fullBuffers()})
	}
	if a.Dirtied > b.Dirtied+100 && d.slowRun.Root.WAL == nil {
		d.add("hint-bits", Possible, nil, hintBitsTitle(),
			[]say.Message{say.M("it dirtied {blocks} ({size}); the fast run: {fast}", "blocks",
				blocksOf(float64(a.Dirtied)), "size", unit.Bytes(a.Dirtied)*slowBlock, "fast",
				b.Dirtied)}, []say.Message{runAgain()})
	}
	if s, f := d.slowRun.Root.WAL, d.fastRun.Root.WAL; s != nil && f != nil && s.FPI > 2*f.FPI+100 {
		d.add("full-page-images", Likely, nil, fullPagesTitle(),
			[]say.Message{say.N(s.FPI, "{n} full-page image ({size} of WAL); the fast run: {fast}",
				"{n} full-page images ({size} of WAL); the fast run: {fast}", "size", unit.Bytes(s.Bytes), "fast",
				f.FPI)},
			[]say.Message{rarerCheckpoints()})
	}
}

func (d *Report) memoize() {
	s, f := slowSum(d.slowRun), slowSum(d.fastRun)
	if s.evicted > 2*f.evicted+1000 {
		d.add("memoize-evictions", Possible, nil, memoizeTitle(),
			[]say.Message{say.N(s.evicted, "{n} eviction; in the fast run, {fast}", "{n} evictions; in the fast run, "+
				"{fast}", "fast", f.evicted)},
			[]say.Message{say.M("Raise work_mem or hash_mem_multiplier for this query, and run it again.")})
	}
}
