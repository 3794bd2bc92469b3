package oom

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Cause is why the memory ran out.
type Cause struct {
	ID       string        `json:"id"`
	Text     say.Message   `json:"text"`
	Evidence []say.Message `json:"evidence"`
	Bytes    unit.Bytes    `json:"bytes,omitempty"` // that it held; 0 if not reported
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
	oomNodes       = "numa_nodes"      // memory was available, but not where it was allowed
	oomManual      = "sysrq"           // a kill was requested
	oomAllocating  = "allocating_task" // the process that asked was killed, whichever held the memory
	oomCache       = "page_cache"      // files that could not be dropped in time, as they were not written yet
	oomProcess     = "one_process"     // of a server, and not one that runs queries
	oomLocked      = "locked_memory"   // mlock, which the kernel cannot reclaim
	oomNotTold     = "unknown"
)

// Lines from which a part matters, as shares of the memory (or of the limit).
const (
	oomOne       = 0.20    // private memory of one process that can be called the cause
	oomHeavy     = 0.05    // private memory of one process: on a 64 GB host 3.2 GB, far beyond what a session has
	oomManySum   = 0.25    // private memory of all light processes of a server
	oomTablesMin = 0.05    // page tables: without huge pages and with few sessions they are below one percent
	oomSharedMin = 0.40    // shared memory: a quarter to 40 % is what settings for a dedicated server give it
	oomHugeMin   = 0.10    // an unused pool
	oomGroupMin  = 0.60    // of what all tasks of a group have, where its limit is not known
	oomAnonMin   = 0.50    // private memory of all processes, where nothing shows whose it is
	oomOtherMin  = 0.10    // another program
	oomSlabMin   = 0.20    // the kernel's own unreclaimable memory: some percent is usual
	oomLockedMin = 0.30    // locked memory: a server locks none, a program that does locks its working set
	oomLeast     = unit.MB // of a process, to be called the cause where no limit is known
	oomCacheMin  = 0.50    // page cache: what is clean is dropped before anything is killed
	oomDirtyMin  = 0.05    // of it not written yet
	oomCacheAll  = 0.80    // of a cgroup: it is the cause where the log has nothing of dirty pages
)

const (
	// oomCounted is how much of the anonymous memory of all the rows of a table have to hold for them to be whole: both
	// are counted while processes run, some percent apart, and a row that is missing is far more.
	oomCounted = 0.8
	// oomMostOfOne is the share of what a server has together that one of its processes may have at most if the table
	// does not divide it: with more, it may be one query and not many.
	oomMostOfOne = 0.6
	// oomSharedTables is the shared memory from which page tables can be of it: a server with the defaults of 13 to 18
	// has 128 MB. What takes less needs 8 kB of them in each process.
	oomSharedTables = 16 * unit.MB
	// oomTablesTell is the sum of page tables from which they show whether rows are missing: processes that are not in
	// the table (threads of the kernel, those that end) have some megabytes.
	oomTablesTell = 64 * unit.MB
)

// cause finds the largest of what held the memory, and names the others that
// were large enough to matter.
func (c *oomCase) cause() {
	if c.report.Shown {
		c.kill.Cause = Cause{ID: oomNotTold, Evidence: []say.Message{},
			Text: say.M("An administrator or a program requested the state of the memory (SysRq m). It is no OOM " +
				"kill.")}
		return
	}
	if c.report.Manual {
		c.kill.Cause = Cause{ID: oomManual,
			Text: say.M("Manual OOM kill (SysRq f), requested by an administrator or by a program. Memory was not " +
				"necessarily short."),
			Evidence: []say.Message{say.M(`the report has "Manual OOM execution" or order=-1`)}}
		if c.report.Panic {
			c.kill.Cause.Text = say.All(" ", c.kill.Cause.Text, panicText(c.report))
		}
		return
	}
	m := &c.kill.Memory
	var found []Cause
	add := func(id string, b unit.Bytes, text say.Message, evidence ...say.Message) {
		found = append(found, Cause{ID: id, Text: text, Evidence: evidence, Bytes: b})
	}
	share := func(b unit.Bytes) float64 {
		if m.Total == nil || *m.Total <= 0 {
			return 0
		}
		return float64(b) / float64(*m.Total)
	}
	c.queries(add, c.shareOfOrdinary())
	if s := m.Shared; s != nil && *s < oomSharedTables {
		if t, _ := c.allTables(); share(t) >= oomSlabMin {
			add(oomPageTables, t, say.M("Page tables: {size} in total, although there was only {shared} of shared "+
				"memory. They map the private memory and the files of the processes.", "size", t, "shared", *s),
				say.M("page tables of all processes: {amount}", "amount", c.of(t)))
		}
	} else if t, n := c.allTables(); share(t) >= oomTablesMin {
		ev := []say.Message{say.M("page tables of all processes: {amount}", "amount", c.of(t))}
		if n > 0 {
			ev = append(ev, say.N(n, "{n} server process in the task table has {size} of them",
				"{n} server processes in the task table have {size} of them", "size", c.tables))
		}
		add(oomPageTables, t, say.M("Page tables: {size} in total. Every process that touches shared memory on "+
			"regular pages needs page tables of its own for it.", "size", t), ev...)
	}
	if s, least := c.shared(); s != nil && share(*s) >= oomSharedMin {
		add(oomShared, *s, c.sharedText(*s, least), c.sharedEvidence(*s, least))
	}
	c.cache(add, share)
	if h := m.HugeFree; h != nil && share(*h) >= oomHugeMin {
		add(oomHugeUnused, *h, say.M("Unused huge pages: {size} of the huge page pool was free, and the kernel cannot "+
			"use it for regular pages.", "size", *h),
			say.M("huge page pool: {all}, of which {free} was free (the report does not show how much of that a "+
				"server had reserved but not yet used)", "all", *m.HugeTotal, "free", *h))
	}
	for _, p := range c.kill.Programs {
		if host.IsServerName(p.Name) || share(p.Private) < oomOtherMin {
			continue
		}
		text := say.N(p.Processes, "Another program: {name} had {size} of memory in {n} process.",
			"Another program: {name} had {size} of memory in {n} processes.", "name", p.Name, "size", p.Private)
		ev := say.M("{name} (UID {uid}): {amount}", "name", p.Name, "uid", strconv.Itoa(p.UID), "amount",
			c.ofBoth(p.Private))
		if p.AtLeast {
			text = say.N(p.Processes, "Another program: {name} had at least {size} of memory in {n} process.",
				"Another program: {name} had at least {size} of memory in {n} processes.", "name", p.Name, "size",
				p.Private)
			ev = say.M("{name} (UID {uid}): at least {amount}", "name", p.Name, "uid", strconv.Itoa(p.UID), "amount",
				c.ofBoth(p.Private))
		}
		if m.Anon != nil && c.rowsMissing() && p.Private < *m.Anon/2 {
			text = say.All(" ", text, say.M("Rows of the task table are missing, so another program may have had "+
				"more."))
		}
		add(oomProgram, p.Private, text, ev)
		break // the largest
	}
	if len(found) == 0 && m.Total == nil {
		c.ofGroup(add)
	}
	c.victimAlone(add, share)
	if l := m.Locked; l != nil && share(*l) >= oomLockedMin {
		add(oomLocked, *l, say.M("Locked memory: {size} is unevictable (mlock, or shared memory locked with "+
			"SHM_LOCK). The kernel cannot reclaim it or move it to swap.", "size", *l),
			say.M("unevictable memory: {amount}", "amount", c.of(*l)))
	}
	if s := m.Slab; s != nil && share(*s) >= oomSlabMin {
		ev := []say.Message{say.M("unreclaimable slab: {amount}", "amount", c.of(*s))}
		for _, k := range c.report.Slabs[:min(len(c.report.Slabs), 2)] {
			ev = append(ev, say.M("slab cache {name}: {size}", "name", k.Name, "size", k.Used))
		}
		add(oomSlab, *s, say.M("Kernel memory: {size} of unreclaimable slab.", "size", *s), ev...)
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

// ofGroup is the program that has most of what the tasks of a group have, where the limit of the group is not known:
// the task table of such a report has all of them.
func (c *oomCase) ofGroup(add func(string, unit.Bytes, say.Message, ...say.Message)) {
	t := &c.report.Table
	if c.report.Constraint != kernlog.Memcg || !t.Header || len(c.kill.Programs) == 0 ||
		!t.Ended && len(c.report.Victims) == 0 { // it may be cut within the table
		return
	}
	var all unit.Bytes
	by := map[string]unit.Bytes{}
	for i := range c.report.Table.Tasks {
		t := &c.report.Table.Tasks[i]
		b := unit.Bytes(t.RSS+t.Swap) * c.size
		all, by[t.Name] = all+b, by[t.Name]+b
	}
	for name, b := range by {
		if host.IsServerName(name) || float64(b) < oomGroupMin*float64(all) || b < oomLeast {
			continue
		}
		add(oomProgram, b, say.M("Another program: {name} had {percent} of the memory and swap of all processes in "+
			"the cgroup ({size}). The limit of the cgroup is not in the logs.", "name", name, "percent",
			percentOf(b, all), "size", b), say.M("{name}: {size}; all processes in the task table: {all}", "name",
			name, "size", b, "all", all))
	}
}

// victimAlone is a program that is the cause where the report has no task table: what was killed had most of it.
func (c *oomCase) victimAlone(add func(string, unit.Bytes, say.Message, ...say.Message),
	share func(unit.Bytes) float64) {
	v := c.kill.Victim
	if v == nil || len(c.report.Table.Tasks) > 0 || host.IsServerName(v.Name) || v.Anon == nil {
		return
	}
	b := *v.Anon + oomValue(v.Swap)
	if share(b) < oomAnonMin {
		return
	}
	c.alone = &Program{Name: v.Name, Processes: 1, Private: b}
	add(oomProgram, b, say.M("Another program: {name} had {size} of private memory and was killed.", "name", v.Name,
		"size", b), say.M("{name}: {amount}", "name", v.Name, "amount", c.ofBoth(b)))
}

// shared is the shared memory: the sum, or, if the report has none, what one process had touched of it, which is a
// lower bound.
func (c *oomCase) shared() (b *unit.Bytes, least bool) {
	if s := c.kill.Memory.Shared; s != nil {
		return s, false
	}
	note := func(n unit.Bytes) {
		if b == nil || n > *b {
			b, least = &n, true
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

// sharedText says that shared memory was too large.
func (c *oomCase) sharedText(b unit.Bytes, least bool) say.Message {
	limited := c.report.Constraint == kernlog.Memcg
	switch {
	case limited && least:
		return say.M("The cgroup limit of {limit} is too low for the shared memory (at least {size}) and the sessions.",
			"limit", *c.kill.Memory.Total, "size", b)
	case limited:
		return say.M("The cgroup limit of {limit} is too low for the shared memory ({size}) and the sessions.",
			"limit", *c.kill.Memory.Total, "size", b)
	case least:
		return say.M("Shared memory: at least {size}, which left too little for everything else.", "size", b)
	}
	return say.M("Shared memory: {size}, which left too little for everything else.", "size", b)
}

func (c *oomCase) sharedEvidence(b unit.Bytes, least bool) say.Message {
	if least {
		return say.M("shared memory (shared_buffers on regular pages, dynamic shared memory, tmpfs): at least "+
			"{amount}; the report has no total, but one process had touched that much", "amount", c.of(b))
	}
	return say.M("shared memory (shared_buffers on regular pages, dynamic shared memory, tmpfs): {amount}", "amount",
		c.of(b))
}

// of is an amount, and how much of the memory it is.
func (c *oomCase) of(b unit.Bytes) any {
	t := c.kill.Memory.Total
	if t == nil || *t <= 0 {
		return b
	}
	more, percent := b > *t, percentOf(b, *t) // what is in swap counts too
	switch {
	case c.kill.Limit != nil && more:
		return say.M("{size} (more than the limit)", "size", b)
	case c.kill.Limit != nil:
		return say.M("{size} ({percent} of the limit)", "size", b, "percent", percent)
	case c.kill.Memory.Summed && more:
		return say.M("{size} (more than the sum of the parts in the report)", "size", b)
	case c.kill.Memory.Summed:
		return say.M("{size} ({percent} of the sum of the parts in the report)", "size", b, "percent", percent)
	case more:
		return say.M("{size} (more than the RAM)", "size", b)
	}
	return say.M("{size} ({percent} of the RAM)", "size", b, "percent", percent)
}

func percentOf(b, total unit.Bytes) say.Number {
	return say.Number(fmt.Sprintf("%.0f%%", 100*float64(b)/float64(total)))
}

// cache checks the page cache: it is a cause if its pages were not yet written, so that it could not be dropped.
func (c *oomCase) cache(add func(string, unit.Bytes, say.Message, ...say.Message), share func(unit.Bytes) float64) {
	m := &c.kill.Memory
	if m.Cache != nil && m.Dirty == nil && c.report.Constraint == kernlog.Memcg && share(*m.Cache) >= oomCacheAll {
		add(oomCache, *m.Cache, say.M("Page cache of the cgroup, which counts against its limit: {cache}. The kernel "+
			"kills only if it cannot drop it: usually pages that are not written yet. How many of them there were, "+
			"the logs do not show.", "cache", *m.Cache), say.M("page cache: {amount}", "amount", c.of(*m.Cache)))
		return
	}
	if m.Cache == nil || m.Dirty == nil || share(*m.Cache) < oomCacheMin || share(*m.Dirty) < oomDirtyMin {
		return
	}
	text := say.M("Page cache: {cache}, of which {dirty} was dirty or under writeback. The kernel cannot drop such "+
		"pages before they are written.", "cache", *m.Cache, "dirty", *m.Dirty)
	if c.report.Constraint == kernlog.Memcg {
		text = say.M("Page cache of the cgroup, which counts against its limit: {cache}, of which {dirty} was dirty "+
			"or under writeback. The kernel cannot drop such pages before they are written.", "cache", *m.Cache,
			"dirty",
			*m.Dirty)
	}
	add(oomCache, *m.Cache, text, say.M("page cache: {amount}", "amount", c.of(*m.Cache)),
		say.M("dirty pages and writeback: {amount}", "amount", c.of(*m.Dirty)))
}

// ofBoth says it of memory that may be in swap.
func (c *oomCase) ofBoth(b unit.Bytes) any {
	m := &c.kill.Memory
	if m.Total == nil || m.SwapTotal == nil || *m.SwapTotal == 0 {
		return c.of(b)
	}
	return say.M("{size} ({percent} of RAM and swap)", "size", b, "percent", percentOf(b, *m.Total+*m.SwapTotal))
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
func (c *oomCase) queries(add func(string, unit.Bytes, say.Message, ...say.Message), share func(unit.Bytes) float64) {
	type one struct {
		pid int
		b   unit.Bytes
	}
	var heavy []one
	var heavySum, light unit.Bytes
	n := 0
	seen := false
	for i := range c.report.Table.Tasks {
		t := &c.report.Table.Tasks[i]
		if !host.IsServerName(t.Name) {
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
	if v := c.kill.Victim; v != nil && !seen && host.IsServerName(v.Name) && v.Anon != nil &&
		share(*v.Anon) >= oomHeavy {
		heavy, heavySum = append(heavy, one{v.PID, *v.Anon}), heavySum+*v.Anon
	}
	slices.SortStableFunc(heavy, func(a, b one) int { return oomSign(int64(b.b - a.b)) })
	// One of them is the cause only with a real share of all; some of them with one together, and more than all the
	// others of the server have. Else it is the sum of the sessions.
	single := len(heavy) > 0 && share(heavy[0].b) >= oomOne && (len(heavy) == 1 || heavy[0].b*10 >= heavySum*6)
	if e := c.estimate(); !single && e.n > 0 && e.sum > heavySum+light {
		id, what := oomConnections, say.N(e.n,
			"Many server processes: {n} had at least {size} of private memory.",
			"Many server processes: {n} had at least {size} of private memory together.", "size", e.sum)
		if share(e.sum/unit.Bytes(e.n)) >= oomHeavy {
			c.working = e.n
			id, what = oomQueries, say.N(e.n,
				"Several server processes: {n} had at least {size} of private memory.",
				"Several server processes: {n} had at least {size} of private memory together.", "size",
				e.sum)
		}
		add(id, e.sum, what, say.M("anonymous memory that cannot belong to other programs: at least {amount}. The "+
			"task table does not show it per process, but no server process can have more than {largest}", "amount",
			c.of(e.sum), "largest", e.largest))
		return
	}
	var largest unit.Bytes // of the light ones that are not all below oomHeavy
	if !single && (share(heavySum) < oomOne || heavySum < light) {
		if light += heavySum; len(heavy) > 0 {
			largest = heavy[0].b
		}
		heavy, heavySum = nil, 0
	}
	if len(heavy) > 0 {
		h := heavy[0]
		var ev []say.Message
		for i, o := range heavy {
			if i < 5 {
				ev = append(ev, say.M("private memory of process {pid}: {amount}", "pid", strconv.Itoa(o.pid), "amount",
					c.ofBoth(o.b)))
			}
		}
		v := c.kill.Victim
		if v != nil && v.PID != h.pid {
			v = nil
		}
		switch {
		case single && v != nil && !oomRunsQueries(v.Role):
			add(oomProcess, heavySum, say.M("One process: {role} (process {pid}) had {size} of private memory and was "+
				"killed.", "role", v.Role, "pid", strconv.Itoa(h.pid), "size", h.b), ev...)
		case single:
			c.most = &Task{PID: h.pid, Anon: oomPtr(h.b)}
			if v != nil && v.Statement != "" {
				ev = append(ev, say.M("it was running: {statement}", "statement",
					strings.Join(strings.Fields(v.Statement), " ")))
			}
			add(oomOneQuery, heavySum, oneQuery(strconv.Itoa(h.pid), h.b, v), ev...)
		default:
			c.working = len(heavy)
			add(oomQueries, heavySum, say.N(len(heavy),
				"Several server processes: {n} had {size} of private memory.",
				"Several server processes: {n} had {size} of private memory together.", "size",
				heavySum), ev...)
		}
	}
	if light > 0 && share(light) >= oomManySum {
		add(oomConnections, light, manySessions(n-len(heavy), light, largest),
			say.M("private memory of these server processes: at least {amount}", "amount", c.of(light)))
	}
}

// oneQuery is about a process of the server with a large part of all memory; v is the victim if it is that process.
// Only the statement shows that it was a query.
func oneQuery(pid string, size unit.Bytes, v *Task) say.Message {
	switch {
	case v == nil:
		return say.M("One server process: process {pid} had {size} of private memory.", "pid", pid, "size", size)
	case v.Statement == "":
		return say.M("One server process: process {pid} had {size} of private memory and was killed.", "pid", pid,
			"size", size)
	}
	return say.M("One query: server process {pid} had {size} of private memory and was killed.", "pid", pid, "size",
		size)
}

// manySessions is about processes of the server that have much together: largest is the largest of them, or 0 if each
// of them is below oomHeavy.
func manySessions(n int, size, largest unit.Bytes) say.Message {
	if largest > 0 {
		return say.N(n, "Many server processes: {n} had {size} of private memory, at most {largest}.",
			"Many server processes: {n} had {size} of private memory together, at most {largest} each.",
			"size",
			size, "largest", largest)
	}
	return say.N(n, "Many server processes: {n} had {size} of private memory, less than {percent} of the "+
		"memory.",
		"Many server processes: {n} had {size} of private memory together, each less than {percent} of the "+
			"memory.", "size", size, "percent", say.Number(fmt.Sprintf("%.0f%%", 100*oomHeavy)))
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

// estimated is what the processes of a server have together, if the table does not list each.
type estimated struct {
	n       int        // processes that have a real part of it
	sum     unit.Bytes // at least
	largest unit.Bytes // the most that one of them can have
}

// estimate works out what the server's processes have for themselves from the anonymous memory of all: what other
// programs have cannot be more than what they have resident. Before 6.8 the table has private and shared memory in one
// sum, and with large shared_buffers the sum of a process says nothing about its private memory. There is no estimate
// if one process could have most of it, or if rows are missing.
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
		if !host.IsServerName(t.Name) {
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

// victimOf is the line of the kill about a process, nil if there is none.
func (c *oomCase) victimOf(pid int) *kernlog.Victim {
	for i := range c.report.Victims {
		if v := &c.report.Victims[i]; v.PID == pid {
			return v
		}
	}
	return nil
}

// oomRunsQueries reports whether a process of this role runs the queries of a session; if its role is unknown, it is
// assumed to.
func oomRunsQueries(role string) bool {
	switch role {
	case "", "backend", "backend or worker", "child of the postmaster", "parallel worker":
		return true
	}
	return strings.Contains(role, "parallel worker")
}

// special are causes that are not about what held most.
func (c *oomCase) special() (Cause, bool) {
	m, r := &c.kill.Memory, c.report
	switch {
	case r.Allocating:
		return Cause{ID: oomAllocating,
			Text: say.M("vm.oom_kill_allocating_task is on: the kernel kills the process that asks for memory, not " +
				"the largest one."),
			Evidence: []say.Message{say.M(`the kill line has "Out of memory (oom_kill_allocating_task)"`)}}, true
	case r.Constraint == kernlog.CPUSet || r.Constraint == kernlog.Policy:
		return c.restricted(), true
	// The kernel never kills for more than 8 pages in one piece (order 3); up to
	// there it may, with free memory in smaller pieces.
	case r.Asker.Order >= 1 && r.Constraint != kernlog.Memcg && m.Total != nil && m.Free != nil &&
		float64(*m.Free) >= 0.05*float64(*m.Total):
		return Cause{ID: oomFragments,
			Text: say.N(1<<min(r.Asker.Order, 20),
				"Fragmentation: no block of {n} page was available, although {free} was free.",
				"Fragmentation: no block of {n} contiguous pages was available, although {free} was free.", "free",
				*m.Free),
			Evidence: []say.Message{say.M("order={order}, free memory {amount}", "order", strconv.Itoa(r.Asker.Order),
				"amount", c.of(*m.Free))}}, true
	}
	return Cause{}, false
}

// aside adds to the evidence what bears on any cause.
func (c *oomCase) aside() {
	add := func(m say.Message) { c.kill.Cause.Evidence = append(c.kill.Cause.Evidence, m) }
	if p, v := c.report.Chosen, c.kill.Victim; p != nil && v != nil {
		args := []any{"chosen", strconv.Itoa(p.PID), "name", p.Name, "pid", strconv.Itoa(v.PID)}
		if p.Name == v.Name { // threads have the name of their process, usually
			add(say.M("the OOM killer chose {chosen} ({name}), and killed process {pid}: a child of it, or the "+
				"process that it is a thread of", args...))
		} else {
			add(say.M("the OOM killer chose process {chosen} ({name}), and killed its child {pid} in its place",
				args...))
		}
	}
	if i := c.report.Info; i != nil && i.SwapOff {
		add(say.M("free swap is negative, as while swapoff runs: it moves all pages of a swap area into RAM"))
	}
}

// unknown reports what there is if no part stands out.
func (c *oomCase) unknown() Cause {
	o := Cause{ID: oomNotTold, Evidence: []say.Message{}, Text: say.M("The cause is unknown: the logs do not show " +
		"what used the memory.")}
	add := func(m say.Message) { o.Evidence = append(o.Evidence, m) }
	m := &c.kill.Memory
	if v := c.kill.Victim; v != nil && v.Anon != nil {
		add(say.M("the victim had {size} of private memory", "size", *v.Anon))
		if v.Shmem != nil && *v.Shmem > *v.Anon {
			add(say.M("it had touched {size} of shared memory, which the OOM killer counts in full for each process",
				"size", *v.Shmem))
		}
	}
	if s := m.Shared; s != nil {
		add(say.M("shared memory: {size}", "size", *s))
	}
	if t, n := c.allTables(); t > 0 {
		if n > 0 && c.tables/unit.Bytes(n) > 8*memory.ProcessPageTables {
			add(say.M("page tables: {size}; server processes have {each} each on average", "size", t, "each",
				c.tables/unit.Bytes(n)))
		} else {
			add(say.M("page tables: {size}", "size", t))
		}
	}
	if m.Anon != nil {
		add(say.M("anonymous memory of all processes: {size}", "size", *m.Anon))
	}
	v := c.kill.Victim
	if c.report.Panic {
		o.Text = panicText(c.report)
	} else if m.Total == nil && v != nil && v.Anon != nil && len(c.report.Table.Tasks) == 0 &&
		(v.Shmem == nil || *v.Shmem <= *v.Anon) {
		o.Text = say.M("The cause is unknown: the logs show only the memory of the victim ({size}), not how much "+
			"there was.", "size", *v.Anon)
		if c.report.Constraint == kernlog.Global && v.held() < oomSmall {
			o.Text = say.All(" ", o.Text, say.M("A process of that size is not what used the memory of a host."))
		}
	} else if m.Total == nil {
		o.Text = say.M("The cause is unknown: the logs do not show how much memory there was.")
	} else if a := c.held(); len(c.report.Table.Tasks) == 0 && float64(a) >= oomAnonMin*float64(*m.Total) {
		o.Text = say.M("Private memory of processes: {amount}. The report has no task table, so it is unknown which "+
			"processes had it.", "amount", c.of(a))
	} else if len(c.report.Table.Tasks) > 0 {
		o.Text = say.M("The cause is unknown: no single part of the memory stands out. See the largest processes.")
	}
	c.smallVictim(&o)
	for _, z := range c.report.Zones {
		if z.Free < z.Min && len(o.Evidence) < oomMaxZones {
			kilobytes := func(b unit.Bytes) say.Number { return say.Number(fmt.Sprintf("%d kB", b/unit.KB)) }
			add(say.M("zone {zone} of node {node}: {free} free, below its minimum of {least}", "zone", z.Name, "node",
				strconv.Itoa(z.Node), "free", kilobytes(z.Free), "least", kilobytes(z.Min)))
		}
	}
	return o
}

const (
	// oomSmall is the memory of a process that no host of today runs out of memory for.
	oomSmall = 64 * unit.MB
	// oomMaxZones bounds what is said of zones.
	oomMaxZones = 8
)

// smallVictim names the largest process where the victim was a small one.
func (c *oomCase) smallVictim(o *Cause) {
	v := c.kill.Victim
	if v == nil || len(c.kill.Top) == 0 || c.report.Panic {
		return
	}
	if t := &c.kill.Top[0]; t.PID != v.PID && v.held() > 0 && t.held() >= oomFarMore*v.held() && t.held() >= oomSmall {
		o.Text = say.All(" ", o.Text, say.M("The victim had only {size}; the largest process in the report is {name} "+
			"(process {pid}) with {largest}.", "size", v.held(), "name", t.Name, "pid", strconv.Itoa(t.PID), "largest",
			t.held()))
	}
}

// held is the private memory of all processes, in swap too where that counts against the limit.
func (c *oomCase) held() (b unit.Bytes) {
	if a := c.kill.Memory.Anon; a != nil {
		b = *a
	}
	if g := c.report.Memcg; g != nil && c.kill.LimitSwap {
		b += unit.Bytes(max(g.Stat["total_swap"], g.Stat["swap"]))
	}
	return b
}

// panicText is why the kernel panicked.
func panicText(r *kernlog.Report) say.Message {
	switch {
	case r.PanicOnOOM:
		return say.M("The kernel is configured to panic when it runs out of memory (vm.panic_on_oom).")
	case r.NoVictim:
		return say.M("The kernel ran out of memory, found no process that it may kill, and panicked.")
	}
	return say.M("The kernel ran out of memory and panicked; the reason is not in the logs.")
}
