package slow

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// slowTotals is what is summed over a plan's nodes.
type slowTotals struct {
	spills   []string
	spillOwn float64
	planned  bool  // batches were chosen before the first row
	memKB    int64 // the largest sort or hash that went to disk
	fetches  int64
	lossy    int64
	exact    int64
	missing  int64 // workers that were planned and not launched
	launched int64
	evicted  int64
	lockOwn  float64
	lockNode string
}

func slowSum(p *queryplan.Plan) slowTotals {
	var t slowTotals
	own, _ := slowOwnTimes(p)
	p.Root.Walk(func(n *queryplan.Node) {
		kb := int64(0)
		switch {
		case n.Sort != nil && n.Sort.Disk:
			kb = n.Sort.KB
			t.spills = append(t.spills, fmt.Sprintf("%s: %s, %s on disk", n.Head, n.Sort.Method,
				unit.Bytes(kb)*unit.KB))
		case n.Hash != nil && n.Hash.DiskKB > 0:
			kb = n.Hash.DiskKB
			t.spills = append(t.spills, fmt.Sprintf("%s: %d batches, %s on disk", n.Head, n.Hash.Batches,
				unit.Bytes(kb)*unit.KB))
		case n.Hash != nil && n.Hash.Batches > 1:
			kb = n.Hash.MemoryKB * min(n.Hash.Batches, 1<<20)
			t.spills = append(t.spills, fmt.Sprintf("%s: %d batches of %s each", n.Head, n.Hash.Batches,
				unit.Bytes(n.Hash.MemoryKB)*unit.KB))
		}
		if kb > 0 {
			t.spillOwn += own[n]
			t.planned = t.planned || n.Hash != nil && n.Hash.Original == 0 && n.Hash.DiskKB == 0
			t.memKB = max(t.memKB, kb)
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

func (d *Report) spills() {
	s, f := slowSum(d.slowRun), slowSum(d.fastRun)
	if len(s.spills) <= len(f.spills) || len(s.spills) == 0 {
		return
	}
	e := s.spillOwn - f.spillOwn
	evidence := s.spills[:min(len(s.spills), 5)]
	if t := d.Slow.Temp; t != nil && *t > 0 {
		evidence = append(evidence, fmt.Sprintf("%d blocks of temporary files were read and written", *t))
	}
	next := spillAdvice(s.memKB)
	if d.SamePlan {
		// The same node of the fast run says what it takes in memory.
		e = 0
		fits, known := int64(0), true
		nodes := d.Nodes
		pairs := d.pairs()
		d.Nodes = nodes // they are filled already
		for _, p := range pairs {
			if _, disk := memoryOf(p.slow); !disk {
				continue
			}
			e += max(p.slowOwn-p.fastOwn, 0)
			kb, disk := memoryOf(p.fast)
			fits, known = max(fits, kb), known && !disk && kb > 0
		}
		if known && fits > 0 {
			evidence = append(evidence, fmt.Sprintf("the fast run did the same in %s of memory",
				unit.Bytes(fits)*unit.KB))
			next = d.fittingAdvice(fits)
		}
	} else if d.Fast.DiskKB == nil {
		// Another plan: what it took is no measure of this sort, but bounds what is needed.
		took := "nothing"
		if m := d.Fast.MemoryKB; m != nil {
			took = (unit.Bytes(*m) * unit.KB).String() + " at most"
		}
		evidence = append(evidence, "the fast run, with another plan, took "+took+" for a sort or hash")
		next = []string{"the plan is the reason, not the memory: with the fast run's plan nothing spills"}
	}
	d.add("spill", Likely, &e, "Sorts or hashes did not fit into work_mem and went to disk", evidence, next)
}

// fittingAdvice names the work_mem with which a sort or hash fits that took so many kB in
// the fast run: what its session is known to have had, or what the figure comes to.
func (d *Report) fittingAdvice(kb int64) []string {
	want := max((unit.Bytes(kb) * unit.KB).RoundUp(unit.MB), unit.MB)
	for _, p := range d.Fast.Settings {
		if p.Name == "work_mem" {
			if had, err := unit.ParseBytes(p.Text); err == nil && had < want {
				want = had // a hash may take several times as much
			}
		}
	}
	return []string{
		fmt.Sprintf(
			"for this session or this query alone: SET work_mem = '%s', enough for what the fast run took, and run it "+
				"again", want.GUC()),
		"see why the sessions differ: SELECT setting, source FROM pg_settings WHERE name = 'work_mem'; ALTER ROLE " +
			"and ALTER " +
			"DATABASE set it too (\\drds)",
		"for a role or all sessions ask pgfettle plan, which counts the connections"}
}

// ioTime is the time of reads of a run; false where it was not measured.
func slowIO(p *queryplan.Plan) (float64, bool) {
	if io := p.Root.IO; io != nil {
		return io.Read + io.LocalRead, true
	}
	any := false
	p.Root.Walk(func(n *queryplan.Node) { any = any || n.IO != nil })
	return 0, any
}

func (d *Report) reads() {
	s, f := d.Slow, d.Fast
	switch d.Buffers {
	case "unknown":
		return
	case "same-hits":
		d.ruledOut("the disks: both runs found every block in shared buffers")
		return
	case "reads":
	default:
		return
	}
	evidence := []string{
		fmt.Sprintf("the slow run read %d blocks (%s) that were not in shared buffers, the fast run %d", *s.Read,
			unit.Bytes(*s.Read)*slowBlock, *f.Read)}
	certainty := Likely
	var explains *float64
	if t, ok := slowIO(d.slowRun); ok {
		before, _ := slowIO(d.fastRun)
		e := t - before
		explains, certainty = &e, Sure
		evidence = append(evidence, fmt.Sprintf("reading took %s, %s a block", ms(t),
			ms(t/math.Max(float64(*s.Read), 1))))
	} else if *s.Read > 0 {
		// What each block cost at most.
		evidence = append(evidence, fmt.Sprintf("that is %s for each block at most",
			ms(d.extra()/float64(*s.Read-*f.Read))))
	}
	title := "Blocks were read that the fast run found in shared buffers"
	if a, b := *s.Hit+*s.Read, *f.Hit+*f.Read; float64(a) > 1.5*float64(max(b, 1)) {
		title = "More blocks were looked at, and some of them had to be read"
		evidence = append(evidence, fmt.Sprintf("it looked at %d blocks in all, the fast run at %d", a, b))
	}
	d.add("reads", certainty, explains, title, evidence,
		[]string{"the first run after a start or after a large scan reads: run it twice and compare the second ones",
			"where it goes on: shared_buffers or memory for the page cache is too small for what the queries touch " +
				"(pgfettle plan), or something else pushes it out",
			"SET track_io_timing = on tells a slow disk (milliseconds a block) from the page cache (microseconds)"})
}

// slowReads looks at the time that the same reads took.
func (d *Report) slowReads() {
	if d.has("reads") || d.Slow.Read == nil || d.Fast.Read == nil || *d.Slow.Read == 0 || *d.Fast.Read == 0 {
		return
	}
	a, ok := slowIO(d.slowRun)
	b, ok2 := slowIO(d.fastRun)
	if !ok || !ok2 || a-b < d.extra()/10 {
		return
	}
	e := a - b
	d.add("slow-reads", Sure, &e, "The same reads took longer: the disk, or the page cache had them before",
		[]string{fmt.Sprintf("%d blocks in %s (%s each), against %d in %s (%s each)", *d.Slow.Read, ms(a),
			ms(a/float64(*d.Slow.Read)), *d.Fast.Read, ms(b), ms(b/float64(*d.Fast.Read)))},
		[]string{"below 0.05 ms a block comes from the page cache, 0.1 ms from an SSD, 5 ms from a spinning disk",
			"iostat -x 1, and /proc/pressure/io, while it is slow; a checkpoint or a backup may be busy then"})
}

func (d *Report) rows() {
	if !d.SamePlan {
		return
	}
	worst, text := 1.5, ""
	for _, n := range d.Nodes {
		if n.SlowRows == nil || n.FastRows == nil || n.Share < 1 && d.Spread != "unknown" {
			continue
		}
		a, b := *n.SlowRows*n.Loops, *n.FastRows*n.FastLoops // of all loops: fewer workers have more rows each
		if f := max(a, 1) / max(b, 1); f > worst {
			worst, text = f, fmt.Sprintf("%s returned %.0f rows instead of %.0f", n.Head, a, b)
		}
	}
	a, b := slowWork(d.slowRun), slowWork(d.fastRun)
	if text == "" && a > 1.5*max(b, 1) {
		text = fmt.Sprintf(
			"the nodes handled %.0f rows in all loops, with those that filters threw away, instead of %.0f", a, b)
	}
	if text == "" {
		if d.Nodes[0].SlowRows != nil {
			d.ruledOut("the amount of work: each node handled about the same number of rows")
		}
		return
	}
	e := d.extra()
	if b > 0 && d.Fast.Execution != nil {
		e = min(e, (a/b-1)**d.Fast.Execution)
	}
	d.add("other-rows", Likely, &e, "The same plan had more rows to handle", []string{text},
		[]string{"other values, or a table that grew: compare the conditions and count(*) of the table",
			"where the estimate stayed what it was, another plan may be better now: see when the table was last " +
				"analyzed"})
}

// slowWork is the number of rows that the nodes made or threw away.
func slowWork(p *queryplan.Plan) float64 {
	sum := 0.0
	p.Root.Walk(func(n *queryplan.Node) {
		if n.Actual != nil {
			sum += (n.Actual.Rows + float64(n.Removed+n.Recheck)) * n.Actual.Loops
		}
	})
	return sum
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
	d.add("more-buffers", Likely, explains,
		"The same rows stood in more blocks: bloat, or dead rows that an open transaction keeps",
		[]string{fmt.Sprintf("%d blocks were looked at instead of %d, for about the same rows", a, b)},
		[]string{
			"SELECT relname, n_live_tup, n_dead_tup, last_autovacuum FROM pg_stat_user_tables ORDER BY n_dead_tup " +
				"DESC LIMIT 10",
			"the oldest transaction: SELECT pid, xact_start, state, query FROM pg_stat_activity WHERE backend_xmin " +
				"IS NOT NULL ORDER BY xact_start LIMIT 5",
			"then VACUUM the table; REINDEX INDEX CONCURRENTLY for the index; pgfettle check tells the rest"})
}

func (d *Report) heapFetches() {
	s, f := slowSum(d.slowRun), slowSum(d.fastRun)
	if s.fetches < 2*f.fetches+100 {
		return
	}
	d.add("heap-fetches", Likely, nil, "Index only scans had to look into the table",
		[]string{fmt.Sprintf("%d heap fetches instead of %d: the visibility map did not cover these pages", s.fetches,
			f.fetches)},
		[]string{
			"VACUUM the table, and let autovacuum come to it sooner (pgfettle explain " +
				"autovacuum_vacuum_insert_scale_factor)"})
}

func (d *Report) lossy() {
	s, f := slowSum(d.slowRun), slowSum(d.fastRun)
	if s.lossy <= 2*f.lossy || s.lossy < s.exact/10 {
		return
	}
	d.add("lossy-bitmap", Likely, nil, "A bitmap did not fit into work_mem and became lossy",
		[]string{fmt.Sprintf("%d lossy blocks beside %d exact ones; every row of a lossy block is tested again",
			s.lossy, s.exact)},
		[]string{"in this session set work_mem to what the fast run had, and run it again"})
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
	d.add("fewer-workers", Sure, &e, "Fewer parallel workers were there",
		[]string{fmt.Sprintf("%d workers were launched, %d fewer than planned; the fast run had %d", s.launched,
			s.missing, f.launched)},
		[]string{
			"other queries had the workers: compare max_parallel_workers with what runs at once (pgfettle explain " +
				"max_parallel_workers)"})
}

// locks looks for time in the nodes that wait for row locks.
func (d *Report) locks() {
	s, f := slowSum(d.slowRun), slowSum(d.fastRun)
	e := s.lockOwn - f.lockOwn
	if s.lockNode == "" || e < d.extra()/2 || s.lockOwn < 5*max(f.lockOwn, 1) ||
		d.Buffers != "same-hits" && d.Buffers != "same" && d.Buffers != "unknown" {
		return
	}
	d.add("lock-wait", Likely, &e, "It probably waited for a lock on rows",
		[]string{fmt.Sprintf("%s took %s itself instead of %s, and looked at no more blocks", s.lockNode, ms(s.lockOwn),
			ms(f.lockOwn))},
		[]string{"log_lock_waits = on writes who waited for whom, after deadlock_timeout",
			"while it hangs: SELECT pid, pg_blocking_pids(pid), wait_event, query FROM pg_stat_activity WHERE " +
				"wait_event_type = 'Lock'",
			"pgfettle diagnose slow --sample names those who hold the locks"})
}

// writes looks for blocks that a read had to write.
func (d *Report) writes() {
	a, b := d.slowRun.Root.Buffers, d.fastRun.Root.Buffers
	if a == nil || b == nil || !d.SamePlan {
		return
	}
	if a.Written > b.Written+100 {
		d.add("backend-writes", Possible, nil, "The query had to write other sessions' dirty blocks to find room",
			[]string{fmt.Sprintf("it wrote %d blocks (%s), the fast run %d", a.Written, unit.Bytes(a.Written)*slowBlock,
				b.Written)},
			[]string{
				"the background writer is behind, or shared_buffers is small for the writes: pgfettle explain " +
					"bgwriter_lru_maxpages"})
	}
	if a.Dirtied > b.Dirtied+100 && d.slowRun.Root.WAL == nil {
		d.add("hint-bits", Possible, nil,
			"The first reader after many changes sets hint bits, which dirties blocks",
			[]string{fmt.Sprintf("it dirtied %d blocks, the fast run %d", a.Dirtied, b.Dirtied)},
			[]string{"run it once more: the second run does not; VACUUM after a bulk load does it beforehand"})
	}
	if s, f := d.slowRun.Root.WAL, d.fastRun.Root.WAL; s != nil && f != nil && s.FPI > 2*f.FPI+100 {
		d.add("full-page-images", Likely, nil,
			"It wrote full page images, as the first change of a page after a checkpoint does",
			[]string{fmt.Sprintf("%d images (%s of WAL), the fast run %d", s.FPI, unit.Bytes(s.Bytes), f.FPI)},
			[]string{"checkpoints that are further apart: pgfettle explain max_wal_size"})
	}
}

func (d *Report) memoize() {
	s, f := slowSum(d.slowRun), slowSum(d.fastRun)
	if s.evicted > 2*f.evicted+1000 {
		d.add("memoize-evictions", Possible, nil, "The cache of Memoize was too small",
			[]string{fmt.Sprintf("%d entries were evicted, %d in the fast run", s.evicted, f.evicted)},
			[]string{"raise work_mem or hash_mem_multiplier for this query and run it again"})
	}
}
