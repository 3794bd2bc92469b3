package oom

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Cause is why the memory ran out.
type Cause struct {
	ID       string     `json:"id"`
	Text     string     `json:"text"`
	Evidence []string   `json:"evidence"`
	Bytes    unit.Bytes `json:"bytes,omitempty"` // that it held; 0: not told
}

// The causes. One is the largest of those that hold enough to matter.
const (
	oomOneQuery    = "one_query"        // a backend beyond any work_mem that suits the host
	oomQueries     = "several_queries"  // some of them together
	oomConnections = "many_connections" // a little in each of many
	oomPageTables  = "page_tables"
	oomShared      = "shared_memory" // more than the memory, or the group's limit, can hold with the rest
	oomHugeUnused  = "huge_pages_unused"
	oomProgram     = "other_program"
	oomSlab        = "kernel_memory"
	oomFragments   = "fragmentation"   // memory was there, but not in one piece
	oomNodes       = "numa_nodes"      // memory was there, but not where it was allowed
	oomManual      = "sysrq"           // somebody asked for a kill
	oomAllocating  = "allocating_task" // who asked was killed, whoever held the memory
	oomCache       = "page_cache"      // files that could not be dropped in time, as they were not written yet
	oomProcess     = "one_process"     // of a server, and not one that runs queries
	oomNotTold     = "unknown"
)

// Lines from which a part matters, as shares of the memory (or of the limit).
const (
	oomOne       = 0.20 // private memory of one process that can be called the cause
	oomHeavy     = 0.05 // private memory of one process: on a 64 GB host 3.2 GB, far beyond what a session has
	oomManySum   = 0.25 // private memory of all light processes of a server
	oomTablesMin = 0.05 // page tables: without huge pages and with few sessions they are below one percent
	oomSharedMin = 0.40 // shared memory: a quarter to 40 % is what settings for a dedicated server give it
	oomHugeMin   = 0.10 // a pool that nobody uses
	oomOtherMin  = 0.10 // another program
	oomSlabMin   = 0.20 // the kernel's own unreclaimable memory: some percent is usual
	oomCacheMin  = 0.50 // page cache: what is clean is dropped before anything is killed
	oomDirtyMin  = 0.05 // of it not written yet
)

const (
	// oomCounted is how much of the anonymous memory of all the rows of a table have to hold for them to be whole: both
	// are counted while processes run, some percent apart, and a row that is missing is far more.
	oomCounted = 0.8
	// oomMostOfOne is the share of what a server has together that one of its processes may have at most where the
	// table does not divide it: with more, it may be one query and not many.
	oomMostOfOne = 0.6
	// oomTablesTell is from which sum of page tables on they tell whether rows are missing: processes that are not in
	// the table (threads of the kernel, those that end) have some megabytes.
	oomTablesTell = 64 * unit.MB
)

// cause finds the largest of what held the memory, and names the others that
// were large enough to matter.
func (c *oomCase) cause() {
	if c.report.Manual {
		c.kill.Cause = Cause{ID: oomManual,
			Text: "A manual OOM kill (SysRq f): a person, or a program such as earlyoom, asked the kernel for it. " +
				"Memory was not necessarily short.",
			Evidence: []string{"«Manual OOM execution», or order=-1 in the first line of the report"}}
		if c.report.Panic {
			c.kill.Cause.Text += " " + panicText(c.report)
		}
		return
	}
	m := &c.kill.Memory
	var found []Cause
	add := func(id string, b unit.Bytes, text string, evidence ...string) {
		found = append(found, Cause{ID: id, Text: text, Evidence: evidence, Bytes: b})
	}
	share := func(b unit.Bytes) float64 {
		if m.Total == nil || *m.Total <= 0 {
			return 0
		}
		return float64(b) / float64(*m.Total)
	}
	c.queries(add, c.shareOfOrdinary())
	if t, n := c.allTables(); share(t) >= oomTablesMin {
		ev := []string{fmt.Sprintf("page tables of all processes: %s, %s", t, c.of(t))}
		if n > 0 {
			ev = append(ev, fmt.Sprintf("%d processes of the server in the table have %s of them", n, c.tables))
		}
		add(oomPageTables, t,
			fmt.Sprintf(
				"Page tables: every process that touches shared memory on ordinary pages has a map of it for "+
					"itself; together %s.", t), ev...)
	}
	if s, least := c.shared(); s != nil && share(*s) >= oomSharedMin {
		text := fmt.Sprintf("Shared memory: %s%s, which leaves too little for everything else.", least, *s)
		if c.report.Constraint == kernlog.Memcg {
			text = fmt.Sprintf(
				"The limit of the control group, %s, has no room for shared memory (%s%s) and the work of the "+
					"sessions.",
				*m.Total, least, *s)
		}
		ev := fmt.Sprintf("shared memory (shared_buffers on ordinary pages, dynamic shared memory, tmpfs): %s%s, %s",
			least, *s, c.of(*s))
		if least != "" {
			ev += "; the report does not give the total, and one process had touched so much"
		}
		add(oomShared, *s, text, ev)
	}
	c.cache(add, share)
	if h := m.HugeFree; h != nil && share(*h) >= oomHugeMin {
		add(oomHugeUnused, *h,
			fmt.Sprintf(
				"A stranded pool of huge pages: %s are set aside as huge pages and unused; ordinary memory cannot "+
					"be taken from it.", *h),
			fmt.Sprintf(
				"huge pages: %s, of which %s are free (the report does not tell how many of the free ones a server "+
					"has reserved and not touched yet)", *m.HugeTotal, *h))
	}
	for _, p := range c.kill.Programs {
		if oomServer(p.Name) || share(p.Private) < oomOtherMin {
			continue
		}
		add(oomProgram, p.Private, fmt.Sprintf("Another program: %s (%s) had %s.", p.Name,
			oomCount(p.Processes, "process", "processes"), p.Private),
			fmt.Sprintf("%s of user %d: %s, %s", p.Name, p.UID, p.Private, c.ofBoth(p.Private)))
		break // the largest
	}
	if s := m.Slab; s != nil && share(*s) >= oomSlabMin {
		ev := []string{fmt.Sprintf("unreclaimable slab: %s, %s", *s, c.of(*s))}
		for _, k := range c.report.Slabs[:min(len(c.report.Slabs), 2)] {
			ev = append(ev, fmt.Sprintf("kernel cache %s: %s", k.Name, k.Used))
		}
		add(oomSlab, *s, fmt.Sprintf("The kernel itself: %s of its own memory that it cannot give back.", *s), ev...)
	}
	slices.SortStableFunc(found, func(a, b Cause) int { return oomSign(int64(b.Bytes - a.Bytes)) })
	if special, ok := c.special(); ok {
		found = append([]Cause{special}, found...)
	}
	if len(found) == 0 {
		found = append(found, c.unknown())
	}
	c.kill.Cause = found[0]
	c.kill.Also = append(c.kill.Also, found[1:]...)
}

// shared is the shared memory: the sum, or, where the report has none, what one process had touched of it, which is
// the least that it can be. Least has the words for that.
func (c *oomCase) shared() (b *unit.Bytes, least string) {
	if s := c.kill.Memory.Shared; s != nil {
		return s, ""
	}
	note := func(n unit.Bytes) {
		if b == nil || n > *b {
			b, least = &n, "at least "
		}
	}
	for i := range c.report.Victims {
		if s := c.report.Victims[i].Shm; s != nil {
			note(*s)
		}
	}
	if c.report.Table.Split {
		for i := range c.report.Table.Tasks {
			note(unit.Bytes(c.report.Table.Tasks[i].Shm) * c.size)
		}
	}
	return b, least
}

// of says how much of the memory something is.
func (c *oomCase) of(b unit.Bytes) string {
	t := c.kill.Memory.Total
	if t == nil || *t <= 0 {
		return "of an amount that is not told"
	}
	what := "the memory"
	if c.kill.Memory.Summed {
		what = "what the report adds up to"
	}
	if c.kill.Limit != nil {
		what = "the limit"
	}
	if b > *t { // what is in swap counts too
		return "more than " + what
	}
	return fmt.Sprintf("%.0f %% of %s", 100*float64(b)/float64(*t), what)
}

// cache looks at the page cache: it is a cause where what is in it was not written yet, so that it could not be
// dropped.
func (c *oomCase) cache(add func(string, unit.Bytes, string, ...string), share func(unit.Bytes) float64) {
	m := &c.kill.Memory
	if m.Cache == nil || m.Dirty == nil || share(*m.Cache) < oomCacheMin || share(*m.Dirty) < oomDirtyMin {
		return
	}
	text := fmt.Sprintf("Page cache: %s of files were in memory, %s of it dirty (not written yet), which cannot be "+
		"dropped before the disk has it.", *m.Cache, *m.Dirty)
	if c.report.Constraint == kernlog.Memcg {
		text = fmt.Sprintf(
			"Page cache within the limit of the control group: %s of files, %s of it dirty (not written "+
				"yet), which cannot be dropped before the disk has it.", *m.Cache, *m.Dirty)
	}
	add(oomCache, *m.Cache, text, fmt.Sprintf("page cache: %s, %s", *m.Cache, c.of(*m.Cache)),
		fmt.Sprintf("dirty or being written: %s, %s", *m.Dirty, c.of(*m.Dirty)))
}

// ofBoth says it of memory that may be in swap.
func (c *oomCase) ofBoth(b unit.Bytes) string {
	m := &c.kill.Memory
	if m.Total == nil || m.SwapTotal == nil || *m.SwapTotal == 0 {
		return c.of(b)
	}
	return fmt.Sprintf("in RAM and swap, %.0f %% of both together", 100*float64(b)/float64(*m.Total+*m.SwapTotal))
}

// allTables is the sum of all page tables, by Mem-Info or by the table, and the
// number of the server's processes that it is known of.
func (c *oomCase) allTables() (unit.Bytes, int) {
	b := c.tables
	if t := c.kill.Memory.PageTables; t != nil {
		b = max(b, *t)
	}
	if c.tables == 0 {
		return b, 0
	}
	return b, c.procs
}

// queries looks at the private memory of the server's processes.
func (c *oomCase) queries(add func(string, unit.Bytes, string, ...string), share func(unit.Bytes) float64) {
	type one struct {
		pid int
		b   unit.Bytes
	}
	var heavy []one
	var heavySum, light unit.Bytes
	n := 0
	seen, most := false, "none of them much"
	for i := range c.report.Table.Tasks {
		t := &c.report.Table.Tasks[i]
		if !oomServer(t.Name) {
			continue
		}
		b, _ := c.private(t)
		seen = seen || len(c.report.Victims) > 0 && t.PID == c.report.Victims[0].PID
		n++
		if share(b) >= oomHeavy {
			heavy = append(heavy, one{t.PID, b})
			heavySum += b
		} else {
			light += b
		}
	}
	// A table that is cut, or hidden, may not have the victim; its last line does.
	if v := c.kill.Victim; v != nil && !seen && oomServer(v.Name) && v.Anon != nil && share(*v.Anon) >= oomHeavy {
		heavy, heavySum = append(heavy, one{v.PID, *v.Anon}), heavySum+*v.Anon
	}
	slices.SortStableFunc(heavy, func(a, b one) int { return oomSign(int64(b.b - a.b)) })
	// One of them is the cause only with a real share of all; some of them with one together, and more than all the
	// others of the server have. Else it is the sum of the sessions.
	single := len(heavy) > 0 && share(heavy[0].b) >= oomOne && (len(heavy) == 1 || heavy[0].b*10 >= heavySum*6)
	if e := c.estimate(); !single && e.n > 0 && e.sum > heavySum+light {
		id, what := oomConnections, fmt.Sprintf("Many sessions: %d processes of the server had at least %s together, "+
			"none of them much.", e.n, e.sum)
		if share(e.sum/unit.Bytes(e.n)) >= oomHeavy {
			c.working = e.n
			id, what = oomQueries, fmt.Sprintf("Several queries: %d processes of the server had at least %s for "+
				"themselves together.", e.n, e.sum)
		}
		add(id, e.sum, what, fmt.Sprintf("anonymous memory that no other program can have: at least %s, %s; the "+
			"table of this kernel does not divide it, and no process of the server can have more than %s", e.sum,
			c.of(e.sum), e.largest))
		return
	}
	if !single && (share(heavySum) < oomOne || heavySum < light) {
		if light += heavySum; len(heavy) > 0 {
			most = fmt.Sprintf("the largest of them %s", heavy[0].b)
		}
		heavy, heavySum = nil, 0
	}
	if len(heavy) > 0 {
		h := heavy[0]
		var ev []string
		for i, o := range heavy {
			if i < 5 {
				ev = append(ev, fmt.Sprintf("process %d: %s of its own, %s", o.pid, o.b, c.ofBoth(o.b)))
			}
		}
		v := c.kill.Victim
		if single && v != nil && v.PID == h.pid && !oomRunsQueries(v.Role) {
			add(oomProcess, heavySum, fmt.Sprintf("One process: the %s (process %d) had %s for itself and was "+
				"killed for it.", v.Role, h.pid, h.b), ev...)
		} else if single {
			c.most = &Task{PID: h.pid, Anon: oomPtr(h.b)}
			text := fmt.Sprintf("One query: process %d of the server had %s for itself", h.pid, h.b)
			if v != nil && v.PID == h.pid {
				text += " and was killed for it"
				if v.Statement != "" {
					ev = append(ev, "it was running: "+strings.Join(strings.Fields(v.Statement), " "))
				}
			}
			add(oomOneQuery, heavySum, text+".", ev...)
		} else {
			c.working = len(heavy)
			add(oomQueries, heavySum, fmt.Sprintf("Several queries: %d processes of the server had %s for themselves.",
				len(heavy), heavySum), ev...)
		}
	}
	if light > 0 && share(light) >= oomManySum {
		add(oomConnections, light,
			fmt.Sprintf("Many sessions: %d processes of the server had %s together, %s.", n-len(heavy), light, most),
			fmt.Sprintf("private memory of the lighter processes of the server: at least %s, %s", light, c.of(light)))
	}
}

// shareOfOrdinary is the share that something has of the memory that processes can take: huge pages are set aside.
func (c *oomCase) shareOfOrdinary() func(unit.Bytes) float64 {
	m := &c.kill.Memory
	var all unit.Bytes
	if m.Total != nil {
		if all = *m.Total; m.HugeTotal != nil && *m.HugeTotal < all {
			all -= *m.HugeTotal
		}
	}
	return func(b unit.Bytes) float64 {
		if all <= 0 {
			return 0
		}
		return float64(b) / float64(all)
	}
}

// estimated is what the processes of a server have together, where the table does not tell it of each.
type estimated struct {
	n       int        // processes that have a real part of it
	sum     unit.Bytes // at least
	largest unit.Bytes // the most that one of them can have
}

// estimate works out what the server's processes have for themselves from the anonymous memory of all: what other
// programs have cannot be more than what they have resident. Before 6.8 the table has private and shared memory in one
// sum, and with large shared_buffers the sum of a process tells nothing of what it has for itself. None is made where
// one process could have most of it, or where rows are missing.
func (c *oomCase) estimate() (e estimated) {
	m := &c.kill.Memory
	if c.report.Table.Split || m.Anon == nil || m.Total == nil || len(c.report.Table.Tasks) == 0 || c.rowsMissing() {
		return e
	}
	var most []unit.Bytes // that each can have
	var all unit.Bytes
	e.sum = *m.Anon
	for i := range c.report.Table.Tasks {
		t := &c.report.Table.Tasks[i]
		rss, swap := unit.Bytes(t.RSS)*c.size, unit.Bytes(t.Swap)*c.size
		if !oomServer(t.Name) {
			e.sum -= rss
			continue
		}
		e.sum += swap
		has := rss + swap
		if v := c.victimOf(t.PID); v != nil && v.Anon != nil {
			has = *v.Anon + swap
		}
		most, all, e.largest = append(most, has), all+has, max(e.largest, has)
	}
	// Counted at slightly different times, the parts may be some percent less than the sum.
	if all < e.sum && float64(all) >= oomCounted*float64(e.sum) {
		e.sum = all
	}
	if len(most) < 3 || all < e.sum || float64(e.sum) < oomManySum*float64(*m.Total) ||
		float64(e.largest) >= oomMostOfOne*float64(e.sum) {
		return estimated{}
	}
	for _, b := range most {
		if b >= e.sum/unit.Bytes(2*len(most)) {
			e.n++
		}
	}
	return e
}

// victimOf is the line of the kill about a process, nil where there is none.
func (c *oomCase) victimOf(pid int) *kernlog.Victim {
	for i := range c.report.Victims {
		if v := &c.report.Victims[i]; v.PID == pid {
			return v
		}
	}
	return nil
}

// oomRunsQueries says whether a process of this role runs the queries of a session; where nothing tells its role, it
// is taken for one that does.
func oomRunsQueries(role string) bool {
	switch role {
	case "", "backend", "backend or worker", "child of the postmaster", "parallel worker":
		return true
	}
	return strings.Contains(role, "parallel worker")
}

// special are causes that are not about who held most.
func (c *oomCase) special() (Cause, bool) {
	m, r := &c.kill.Memory, c.report
	switch {
	case r.Allocating:
		return Cause{ID: oomAllocating,
			Text: "vm.oom_kill_allocating_task is on: the kernel kills the process that asked for memory, not the " +
				"one that " +
				"holds most of it.",
			Evidence: []string{"«Out of memory (oom_kill_allocating_task)» in the line of the kill"}}, true
	case r.Constraint == kernlog.CPUSet || r.Constraint == kernlog.Policy:
		return Cause{ID: oomNodes,
			Text: "A restriction to NUMA nodes: the nodes that the process may use were full, whatever the " +
				"others had.",
			Evidence: []string{"constraint " + string(r.Constraint)}}, true
	// The kernel never kills for more than 8 pages in one piece (order 3); up to
	// there it may, with free memory in smaller pieces.
	case r.Asker.Order >= 1 && r.Constraint != kernlog.Memcg && m.Total != nil && m.Free != nil &&
		float64(*m.Free) >= 0.05*float64(*m.Total):
		return Cause{ID: oomFragments,
			Text: fmt.Sprintf(
				"Fragmentation: %d pages in one piece were asked for while %s were free in smaller ones.",
				1<<min(r.Asker.Order, 20), *m.Free),
			Evidence: []string{fmt.Sprintf("order=%d, free %s, %s", r.Asker.Order, *m.Free, c.of(*m.Free))}}, true
	}
	return Cause{}, false
}

// unknown says what there is where no part stands out.
func (c *oomCase) unknown() Cause {
	o := Cause{ID: oomNotTold, Evidence: []string{}, Text: "What held the memory cannot be told from what was read."}
	m := &c.kill.Memory
	if v := c.kill.Victim; v != nil && v.Anon != nil {
		o.Evidence = append(o.Evidence, fmt.Sprintf("the victim had %s of its own", *v.Anon))
		if v.Shmem != nil && *v.Shmem > *v.Anon {
			o.Evidence = append(o.Evidence,
				fmt.Sprintf(
					"it was chosen for %s of shared memory that it had touched, which counts in full for every process",
					*v.Shmem))
		}
	}
	if s := m.Shared; s != nil {
		o.Evidence = append(o.Evidence, fmt.Sprintf("shared memory: %s", *s))
	}
	if t, n := c.allTables(); t > 0 {
		e := fmt.Sprintf("page tables: %s", t)
		if n > 0 {
			each := c.tables / unit.Bytes(n)
			if each > 8*memory.ProcessPageTables {
				e += fmt.Sprintf(", %s for each process of the server", each)
			}
		}
		o.Evidence = append(o.Evidence, e)
	}
	if m.Anon != nil {
		o.Evidence = append(o.Evidence, fmt.Sprintf("anonymous memory of all processes: %s", *m.Anon))
	}
	if c.report.Panic {
		o.Text = panicText(c.report)
	} else if m.Total == nil {
		o.Text = "What held the memory cannot be told: how much there was is not in what was read."
	} else if len(c.report.Table.Tasks) > 0 {
		o.Text = "No single part of what was read explains it: see the largest processes."
	}
	return o
}

// panicText is why the kernel panicked.
func panicText(r *kernlog.Report) string {
	switch {
	case r.PanicOnOOM:
		return "The kernel is set to panic when memory runs out (vm.panic_on_oom)."
	case r.NoVictim:
		return "Memory ran out and no process was left that the kernel may kill, so it panicked."
	}
	return "Memory ran out and the kernel panicked; the reason is not in what was read."
}

func oomCount(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
