package oom

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
)

// Report is the post-mortem of every kill in the logs.
type Report struct {
	Kills []Kill `json:"kills"` // in the order of the log
	// processes of the server that signal 9 ended, and no report of the kernel names
	Unexplained []Death   `json:"unexplained"`
	Refused     []Refusal `json:"refused"` // what was refused memory, which kills nothing
	Units       []Unit    `json:"units"`   // kills reported by systemd, systemd-oomd, earlyoom, and container runtimes
	// systemd-oomd listed what it could kill, and no kill of it is in the logs; absent if not so
	Looked *Looked `json:"oomd_looked,omitempty"`
	// a kill was asked for with SysRq f, and no report of it is in the logs; absent if not so
	Asked *Asked `json:"asked_kill,omitempty"`
	// a container runtime reports OOMKilled = false of a container that exited with code 137; absent if not so
	Spared bool `json:"not_oom_killed,omitempty"`
	// the first line that mentions an OOM kill and is of no program that reports one; absent if there is none
	Mention string `json:"mention,omitempty"`
	// allocations of the kernel that failed, which kills nothing; absent if there is none
	FailedAllocations int `json:"failed_allocations,omitempty"`
	// caches of the kernel that could not grow for it
	FailedCaches []FailedCache `json:"failed_caches,omitempty"`
	// the state of the memory at the last of these allocations; absent if it is not in the logs
	AtFailure *Memory `json:"memory_at_failed_allocation,omitempty"`
	// what the text states about the host and the container, outside of its logs; absent if nothing
	Stated *Stated `json:"stated,omitempty"`
	// lines that have words of a kill and were not understood
	NotUnderstood []Unread `json:"not_understood"`
	// place in Kills of the most informative one: the headline; absent if there is none
	TellsMost *int      `json:"tells_most,omitempty"`
	Lines     []string  `json:"lines"` // what systemd and the kernel say in addition
	Read      Read      `json:"read"`
	Missing   []gap.Gap `json:"missing"`
}

// FailedCache is a slab cache that could not grow.
type FailedCache struct {
	Name  string `json:"name"`
	Group string `json:"group,omitempty"` // the cgroup that it belongs to: a path, or the ID of a container
	Times int    `json:"times"`
}

// Stated is what people, manifests and kubectl say in the same text.
type Stated struct {
	RAM       *unit.Bytes `json:"ram_bytes,omitempty"`
	Swap      *unit.Bytes `json:"swap_bytes,omitempty"`
	Limit     *unit.Bytes `json:"limit_bytes,omitempty"` // of the container or the unit
	Kills     int         `json:"kills,omitempty"`
	Restarts  int         `json:"restarts,omitempty"`
	Pod       string      `json:"pod,omitempty"`
	Namespace string      `json:"namespace,omitempty"`
	Node      string      `json:"node,omitempty"`
	Exit      *Exit       `json:"exit_137,omitempty"`
}

// Exit is that of a container or a program with the code 137.
type Exit struct {
	Time   say.Message `json:"time"`
	Reason string      `json:"reason,omitempty"` // as Kubernetes reports it
}

// Asked is a request for a kill, from the keyboard or by /proc/sysrq-trigger.
type Asked struct {
	Time say.Message `json:"time"`
}

// Looked is the list of what systemd-oomd could kill.
type Looked struct {
	Time    say.Message `json:"time"`
	Cgroups int         `json:"cgroups"`         // that it compared
	First   string      `json:"first,omitempty"` // of them; "" if not logged
}

// Read says what was examined.
type Read struct {
	Lines   int  `json:"lines"`
	Reports int  `json:"reports"` // of the OOM killer, whole or not
	Server  int  `json:"server_events"`
	Cut     bool `json:"cut"` // more than the bounds: some was omitted
}

// Kill is one run of the OOM killer.
type Kill struct {
	// RFC 3339 if year and zone are known, otherwise as in the log; "" if it has none
	Time   say.Message `json:"time"`
	Kernel string      `json:"kernel"`
	// none (the whole host), memcg, cpuset, memory_policy, unknown
	Constraint string      `json:"constraint"`
	From       string      `json:"constraint_from,omitempty"` // oom_kill_line, group, kill_line, call_trace
	Group      string      `json:"group"`                     // cgroup whose limit was reached
	Limit      *unit.Bytes `json:"limit_bytes,omitempty"`
	LimitSwap  bool        `json:"limit_with_swap,omitempty"` // the limit is that of memory and swap together
	LimitHits  int64       `json:"limit_failures,omitempty"`  // failcnt: how often the limit was reached
	// the limit, or the total of Memory, is not in the report: the text around it states it
	FromText   bool         `json:"limit_from_text,omitempty"`
	Event      *Notice      `json:"event,omitempty"`   // of Kubernetes, that quotes the line of the kill
	Victim     *Task        `json:"victim,omitempty"`  // absent: the log does not name one
	Killed     int          `json:"killed"`            // processes; more than one: the whole group was killed
	NoVictim   bool         `json:"no_victim"`         // the killer found no process that it could kill
	Panic      bool         `json:"panic"`             // the kernel panicked instead of killing
	OnlyMemory bool         `json:"only_memory"`       // there is the state of memory alone, maybe of no kill
	Shown      bool         `json:"sysrq_m,omitempty"` // that state was requested with SysRq m
	Invoker    *Invoker     `json:"invoker,omitempty"`
	Memory     Memory       `json:"memory"`
	Programs   []Program    `json:"programs"` // the largest, by name and user
	Top        []Task       `json:"top"`      // the largest processes
	Cause      Cause        `json:"cause"`
	Also       []Cause      `json:"also"`
	Prevention []Prevention `json:"prevention"`
	After      After        `json:"after"`
	Missing    []gap.Gap    `json:"missing"`
}

// Task is a process. Sizes are absent if not logged.
type Task struct {
	PID  int    `json:"pid,omitempty"`
	Name string `json:"name"`
	UID  *int   `json:"uid,omitempty"`
	// in the instance: backend, postmaster, checkpointer, …; "other program"; "" if unknown
	Role       string      `json:"role"`
	RoleFrom   say.Message `json:"role_from"`          // how it is known
	Instance   string      `json:"instance,omitempty"` // if the snapshot has its postmaster
	Anon       *unit.Bytes `json:"anon_rss_bytes,omitempty"`
	File       *unit.Bytes `json:"file_rss_bytes,omitempty"`
	Shmem      *unit.Bytes `json:"shmem_rss_bytes,omitempty"`
	RSS        *unit.Bytes `json:"rss_bytes,omitempty"`
	PageTables *unit.Bytes `json:"pgtables_bytes,omitempty"`
	Swap       *unit.Bytes `json:"swap_bytes,omitempty"`
	Adj        *int        `json:"oom_score_adj,omitempty"`
	VM         *unit.Bytes `json:"vm_bytes,omitempty"` // address space
	Score      *int64      `json:"score,omitempty"`    // as the kernel reported it before 5.0
	LogPID     int         `json:"log_pid,omitempty"`  // in the server's log, if it has another ID there
	Statement  string      `json:"statement,omitempty"`
	Cgroup     string      `json:"cgroup,omitempty"` // of the victim
}

// Invoker is the process whose request could not be met.
type Invoker struct {
	PID   int    `json:"pid,omitempty"`
	Name  string `json:"name"`
	Role  string `json:"role"`
	Order *int   `json:"order,omitempty"` // 2^order pages in one piece
	Adj   *int   `json:"oom_score_adj,omitempty"`
	// the ID of the container that it was in
	Container string `json:"container,omitempty"`
}

// Notice is an event of Kubernetes.
type Notice struct {
	Age      string `json:"age,omitempty"` // before the list was made
	Reporter string `json:"reporter,omitempty"`
	Node     string `json:"node,omitempty"`
}

// Memory is what held the memory, of the host or of the cgroup.
type Memory struct {
	Total  *unit.Bytes `json:"total_bytes,omitempty"`
	Summed bool        `json:"total_is_sum"` // the report lacks the total: this is the sum of its parts
	Anon   *unit.Bytes `json:"anonymous_bytes,omitempty"`
	// shared_buffers on regular pages, dynamic shared memory, tmpfs
	Shared     *unit.Bytes `json:"shared_bytes,omitempty"`
	PageTables *unit.Bytes `json:"page_tables_bytes,omitempty"`
	Slab       *unit.Bytes `json:"slab_unreclaimable_bytes,omitempty"`
	// of the anonymous memory, as transparent huge pages
	THP *unit.Bytes `json:"transparent_huge_pages_bytes,omitempty"`
	// that the kernel cannot reclaim, as it is locked (mlock)
	Locked *unit.Bytes `json:"unevictable_bytes,omitempty"`
	// of the kernel, that it can drop
	Reclaimable *unit.Bytes `json:"slab_reclaimable_bytes,omitempty"`
	Cache       *unit.Bytes `json:"file_cache_bytes,omitempty"`
	Dirty       *unit.Bytes `json:"dirty_bytes,omitempty"` // of files, and not written yet or being written
	Used        *unit.Bytes `json:"used_bytes,omitempty"`  // of a cgroup
	Free        *unit.Bytes `json:"free_bytes,omitempty"`
	HugeTotal   *unit.Bytes `json:"huge_pages_bytes,omitempty"`
	HugeFree    *unit.Bytes `json:"huge_pages_unused_bytes,omitempty"`
	SwapTotal   *unit.Bytes `json:"swap_total_bytes,omitempty"`
	SwapFree    *unit.Bytes `json:"swap_free_bytes,omitempty"`
}

// Program is all processes of one name and user. Private is without shared memory; AtLeast says that it is a lower
// bound, because the kernel does not report resident memory by kind.
type Program struct {
	Name       string     `json:"name"`
	UID        int        `json:"uid"`
	Processes  int        `json:"processes"`
	Private    unit.Bytes `json:"private_bytes"`
	AtLeast    bool       `json:"at_least"`
	PageTables unit.Bytes `json:"page_tables_bytes"`
	Swap       unit.Bytes `json:"swap_bytes"`
}

// Death is a process that signal 9 ended, by the server's log.
type Death struct {
	Time      say.Message `json:"time"`
	PID       int         `json:"pid,omitempty"` // 0 if unknown, as if a postmaster is missing from the table
	Role      string      `json:"role"`
	Statement string      `json:"statement,omitempty"`
}

// Refusal is a query that was refused memory, or a process that could not be made.
type Refusal struct {
	Time      say.Message `json:"time"`
	What      string      `json:"what"` // query, process
	PID       int         `json:"pid,omitempty"`
	Text      string      `json:"text"`
	Statement string      `json:"statement,omitempty"`
}

// Facts is what is known in addition to the logs.
type Facts struct {
	Snapshot *snapshot.Snapshot // of the host that the logs are from; nil: unknown
	Changes  []Change           // of the plan for that host
	WorkMem  []WorkMem          // likewise, of each instance
	PlanGap  say.Message        // why there is no plan although there is a snapshot
}

// Diagnose makes the post-mortem.
func Diagnose(log *Log, f Facts) *Report {
	d := &Report{Kills: []Kill{}, Unexplained: []Death{}, Refused: []Refusal{}, Lines: []string{},
		Missing: []gap.Gap{}, Units: unitsOf(log, &f), NotUnderstood: []Unread{},
		Read: Read{Lines: log.Lines, Reports: len(log.Reports), Server: len(log.Server), Cut: log.Cut}}
	used := map[int]bool{} // deaths of the server's log that a report explains
	for i := range log.Reports {
		d.Kills = append(d.Kills, oomKillOf(&log.Reports[i], log, &f, used))
	}
	for i, e := range log.Server {
		switch {
		case e.Kind == pglog.ChildDied && !used[i]:
			d.Unexplained = append(d.Unexplained, Death{oomTime(e.At, &f), e.PID, roleOf(&log.Server[i]),
				e.Statement})
		case e.Orphaned && !used[i] && !slices.ContainsFunc(d.Unexplained, isPostmaster):
			d.Unexplained = append(d.Unexplained, Death{Time: oomTime(e.At, &f), Role: "postmaster"})
		case (e.Kind == pglog.OutOfMemory || e.Kind == pglog.ForkFailed) && len(d.Refused) < MaxRefused:
			what := "query"
			if e.Kind == pglog.ForkFailed {
				what = "process"
			}
			d.Refused = append(d.Refused, Refusal{oomTime(e.At, &f), what, e.PID, e.Text, e.Statement})
		}
	}
	d.Mention, d.Stated = log.Mention, statedOf(&log.Stated, f)
	for _, u := range log.Unread {
		d.NotUnderstood = append(d.NotUnderstood, Unread{u.What, u.Lines, u.First})
	}
	d.TellsMost = tellsMost(d.Kills)
	d.Looked, d.Asked = looked(log, d.Units, &f), asked(log, &f)
	for _, o := range log.Other {
		switch o.Kind {
		case kernlog.AllocFail:
			d.FailedAllocations++
			d.failedCache(o.Cache, o.CacheOf)
		case kernlog.ContainerSpared:
			d.Spared = true
			continue
		}
		if len(d.Lines) < oomMaxLines && !slices.Contains(d.Lines, o.Text) {
			d.Lines = append(d.Lines, o.Text)
		}
	}
	d.AtFailure = atFailure(log, &f)
	d.gaps(log, &f)
	return d
}

func isPostmaster(d Death) bool { return d.Role == "postmaster" }

// tellsMost is the most informative kill, and the last of several equal ones: a truncated report says less than one
// that names its victim, wherever it is in the log.
func tellsMost(kills []Kill) *int {
	if len(kills) == 0 {
		return nil
	}
	most, at := -1, 0
	for i := range kills {
		k, n := &kills[i], 0
		if k.Victim != nil || k.NoVictim || k.Panic {
			n += 8
		}
		if k.Victim != nil && host.IsServerName(k.Victim.Name) {
			n += 4
		}
		if k.Cause.ID != oomNotTold {
			n += 2
		}
		if k.Memory.Total != nil {
			n++
		}
		// A victim of some MB says little about what used the memory.
		if n > most || n == most && kills[at].Victim.held() <= oomFarMore*max(k.Victim.held(), 1) {
			most, at = n, i
		}
	}
	return &at
}

// oomFarMore is how many times the memory of another process makes the one that was killed a small one.
const oomFarMore = 8

// held is what a process had, as far as it is reported: 0 if it is not.
func (t *Task) held() unit.Bytes {
	if t == nil {
		return 0
	}
	return max(oomValue(t.Anon)+oomValue(t.File)+oomValue(t.Shmem), oomValue(t.RSS)) + oomValue(t.Swap)
}

// Bounds of what a person reads, and of a JSON.
const (
	MaxRefused     = 50 // of what was refused memory: as many mean that there may be more
	oomMaxLines    = 50
	oomMaxPrograms = 8
	oomMaxTop      = 10
)

// gaps says what the logs do not have at all.
func (d *Report) gaps(log *Log, f *Facts) {
	add := func(fact, reason, reveal say.Message) {
		d.Missing = append(d.Missing, gap.Gap{Fact: fact, Reason: reason, Reveal: reveal})
	}
	if len(log.Reports) == 0 && len(log.Unread) == 0 {
		reason := say.M("the logs that were read have no line of the kernel's OOM killer")
		if d.Asked != nil {
			reason = say.M("the logs that were read have no report of the kernel's OOM killer")
		}
		add(say.M("kernel OOM report"), reason,
			say.M("run journalctl -k -b all -o short-iso, or dmesg -T, as root, for a container on its host; the "+
				"kernel ring buffer keeps only the newest lines"))
	}
	if len(log.Server) == 0 {
		add(say.M("server log"), say.M("the logs that were read have no line of a PostgreSQL server about a crash, "+
			"a restart or memory"),
			say.M("add its file: pgfettle diagnose oom KERNEL-LOG SERVER-LOG; in languages other than English, only "+
				"messages with a signal number or an SQLSTATE are recognized"))
	}
	if s := f.Snapshot; s != nil && len(log.Reports) == 0 {
		if vm, ok := s.Host.VMStat.Get(); ok && vm["oom_kill"] > 0 {
			add(say.M("OOM kills since boot"), say.N(vm["oom_kill"],
				"the kernel counts {n} OOM kill since boot, but no report of it was read",
				"the kernel counts {n} OOM kills since boot, but no report of them was read"),
				say.M("read the journal of the host, if it is persistent: journalctl -k -b all"))
		}
	}
	if f.Snapshot == nil && len(log.Reports) > 0 {
		add(say.M("settings of the host and its servers"),
			say.M("only logs were read, so the advice rests on the numbers in them"),
			say.M("add an evidence file of the host to the files: pgfettle snapshot -o FILE"))
	} else if !f.PlanGap.IsZero() {
		add(say.M("plan"), f.PlanGap, say.M("run {command}", "command", "pgfettle plan"))
	}
}

// server reports whether anything that was read is of a PostgreSQL server.
func (c *oomCase) server() bool {
	if c.procs > 0 || len(c.log.Server) > 0 || c.facts.Snapshot != nil || host.IsServerName(c.report.Asker.Name) {
		return true
	}
	return slices.ContainsFunc(c.report.Victims, func(v kernlog.Victim) bool { return host.IsServerName(v.Name) })
}

// ofServer is server before the task table was gone through.
func (c *oomCase) ofServer() bool {
	return c.server() || slices.ContainsFunc(c.report.Table.Tasks, func(t kernlog.Task) bool {
		return host.IsServerName(t.Name)
	})
}

// wholeTable reports whether the processes that could have been killed were all read.
func (c *oomCase) wholeTable() bool { return len(c.report.Table.Tasks) > 0 && !c.rowsMissing() }

func oomPtr[T any](v T) *T { return &v }

func oomValue[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// oomTime spells a time: by the clock if known.
func oomTime(at kernlog.Stamp, f *Facts) say.Message {
	if t, ok := oomWall(at, f); ok {
		return say.Text(t.UTC().Format(time.RFC3339))
	}
	if at.Boot >= 0 && strings.Trim(at.Text, "[] .0123456789") == "" { // nothing else shows it
		return say.M("{seconds} after boot", "seconds", say.Number(fmt.Sprintf("%.3f s", at.Boot.Seconds())))
	}
	return say.Text(at.Text)
}

// oomKillOf makes the post-mortem of one report.
func oomKillOf(r *kernlog.Report, log *Log, f *Facts, used map[int]bool) Kill {
	k := Kill{Time: oomTime(r.At, f), Kernel: r.Kernel, Constraint: string(r.Constraint), Group: r.Group,
		From: string(r.From), NoVictim: r.NoVictim, Panic: r.Panic, OnlyMemory: !r.Called,
		Shown:    r.Shown,
		Programs: []Program{}, Top: []Task{}, Also: []Cause{}, Prevention: []Prevention{}, Missing: []gap.Gap{}}
	if r.Constraint == kernlog.Unclear {
		k.Constraint = "unknown"
	}
	if e := r.Event; e != nil {
		k.Event = &Notice{e.Age, e.Reporter, e.Node}
	}
	if k.Time.IsZero() && len(r.Victims) > 0 {
		k.Time = oomTime(r.Victims[0].At, f)
	}
	pids := map[int]bool{} // the first of a whole group is reported twice
	for _, v := range r.Victims {
		pids[v.PID] = true
	}
	k.Killed = len(pids)
	c := &oomCase{kill: &k, report: r, log: log, facts: f}
	c.page()
	c.smallest = c.smallestServer()
	c.memory()
	c.tasks()
	c.victim(used)
	c.invoker()
	c.after()
	c.cause()
	if r.Shown {
		return k
	}
	c.aside()
	c.prevent()
	c.missing()
	return k
}

// oomCase is a report at work.
type oomCase struct {
	kill   *Kill
	report *kernlog.Report
	log    *Log
	facts  *Facts
	size   unit.Bytes // of a page
	sized  bool       // it is known, not supposed
	death  *Event
	deathI int
	byTime bool       // found by the time alone
	timed  compared   // and how it was compared
	tables unit.Bytes // page tables of the server's processes
	procs  int        // of the server
	// address space of the smallest process of the server; nil: the table has none
	smallest *unit.Bytes
	// page tables of all rows
	rowTables unit.Bytes
	alone     *Program // that was killed, where there is no table
	most      *Task    // process of the server with the most private memory
	working   int      // processes of the server that the cause counts; 0: it counts none
}

func (c *oomCase) miss(fact, reason, reveal say.Message) {
	c.kill.Missing = append(c.kill.Missing, gap.Gap{Fact: fact, Reason: reason, Reveal: reveal})
}

// page finds the size of a page: from the report, or the snapshot. On x86-64 it
// is always 4 kB, and the report says pages and kB of the victim, which agree.
func (c *oomCase) page() {
	c.size, c.sized = c.report.PageSize, c.report.PageSize > 0
	for _, v := range c.report.Victims {
		for i := range c.report.Table.Tasks {
			t := &c.report.Table.Tasks[i]
			if c.sized || v.VM == nil || t.PID != v.PID || t.VM <= 0 || *v.VM <= 0 {
				continue
			}
			if s := *v.VM / unit.Bytes(t.VM); s >= 4*unit.KB && s <= 64*unit.KB && s&(s-1) == 0 {
				c.size, c.sized = s, true
			}
		}
	}
	if !c.sized && c.facts.Snapshot != nil {
		if s, ok := c.facts.Snapshot.Host.PageSize.Get(); ok {
			c.size, c.sized = s, true
		}
	}
	if !c.sized {
		c.size = 4 * unit.KB
	}
}

func (c *oomCase) pages(n *int64) *unit.Bytes {
	if n == nil || *n < 0 || *n > 1<<46 {
		return nil
	}
	return oomPtr(unit.Bytes(*n) * c.size)
}

// memory works out what held it.
func (c *oomCase) memory() {
	m, r := &c.kill.Memory, c.report
	if i := r.Info; i != nil {
		if i.RAM != nil {
			m.Total = c.pages(i.RAM)
			if i.Reserved != nil && *i.Reserved <= *i.RAM {
				m.Total = c.pages(oomPtr(*i.RAM - *i.Reserved))
			}
		}
		m.Shared, m.PageTables, m.Slab, m.Free = c.pages(i.Shmem), c.pages(i.PageTables), c.pages(i.SlabUnreclaimable),
			c.pages(i.Free)
		// Shared memory is on the kernel's lists of anonymous pages.
		if i.ActiveAnon != nil && i.InactiveAnon != nil && i.Shmem != nil {
			m.Anon = c.pages(oomPtr(max(*i.ActiveAnon+*i.InactiveAnon-*i.Shmem, 0)))
		} else if i.ActiveAnon != nil && i.InactiveAnon != nil && !c.ofServer() {
			// Kernels before 2.6.32 do not report it. Without a PostgreSQL server it is small, usually.
			m.Anon = c.pages(oomPtr(*i.ActiveAnon + *i.InactiveAnon))
		}
		if i.ActiveFile != nil && i.InactiveFile != nil {
			m.Cache = c.pages(oomPtr(*i.ActiveFile + *i.InactiveFile))
		}
		m.Locked, m.Reclaimable = c.pages(i.Unevictable), c.pages(i.SlabReclaimable)
		if i.Dirty != nil {
			m.Dirty = c.pages(oomPtr(*i.Dirty + oomValue(i.Writeback)))
		}
		m.SwapTotal, m.SwapFree = i.SwapTotal, i.SwapFree
		if len(i.Huge) > 0 {
			var total, free unit.Bytes
			for _, h := range i.Huge {
				total += unit.Bytes(h.Total) * h.Size
				free += unit.Bytes(h.Free) * h.Size
			}
			m.HugeTotal, m.HugeFree = &total, &free
		}
	}
	if g := r.Memcg; g != nil {
		// The limit of the group is what counts, not the host's memory.
		*m = Memory{Total: g.Limit, Used: g.Usage}
		c.kill.Limit = g.Limit
		if swapLimit(g) {
			m.Total, c.kill.Limit, c.kill.LimitSwap = g.SwapLimit, g.SwapLimit, true
			c.kill.LimitHits = g.SwapFails
		} else if g.Limit != nil {
			c.kill.LimitHits = g.Fails
		}
		figure := func(names ...string) *unit.Bytes {
			for _, n := range names {
				if v, ok := g.Stat[n]; ok && v >= 0 {
					return oomPtr(unit.Bytes(v))
				}
			}
			return nil
		}
		m.Anon, m.Shared, m.PageTables = figure("anon", "total_rss", "rss"), figure("total_shmem", "shmem"),
			figure("pagetables")
		if cache := figure("file", "total_cache", "cache"); cache != nil && m.Shared != nil {
			m.Cache = oomPtr(max(*cache-*m.Shared, 0))
		}
		m.Slab = figure("slab_unreclaimable")
		m.THP, m.Locked = figure("anon_thp", "total_rss_huge", "rss_huge"), figure("total_unevictable", "unevictable")
		if d := figure("file_dirty", "total_dirty", "dirty"); d != nil {
			if w := figure("file_writeback", "total_writeback", "writeback"); w != nil {
				*d += *w
			}
			m.Dirty = d
			if figure("file", "total_cache", "cache") == nil && *d > 0 { // it is a part of that
				m.Cache = oomPtr(*d)
			}
		}
	}
	if m.Total == nil && r.Constraint == kernlog.Global && c.facts.Snapshot != nil {
		if h, ok := c.facts.Snapshot.Host.Memory.Get(); ok {
			m.Total = oomPtr(h.Total)
		}
	}
	c.fromText()
	if m.Total == nil && m.Anon != nil && m.Shared != nil && m.Free != nil && r.Memcg == nil {
		sum := *m.Anon + *m.Shared + *m.Free
		for _, b := range []*unit.Bytes{m.PageTables, m.Slab, m.Reclaimable, m.Locked, m.Cache, m.HugeTotal} {
			if b != nil {
				sum += *b
			}
		}
		m.Total, m.Summed = &sum, true
	}
}

// fromText takes the memory of the host, or the limit of the cgroup, from what the text around a report states.
func (c *oomCase) fromText() {
	m, k, s := &c.kill.Memory, c.kill, &c.log.Stated
	switch {
	case m.Total != nil || c.report.Shown:
	case c.report.Constraint == kernlog.Memcg:
		if s.Limit != nil {
			m.Total, k.Limit, k.FromText = s.Limit, s.Limit, true
		}
	case c.report.Constraint != kernlog.Global || c.report.Info != nil:
	case s.RAM != nil:
		m.Total, k.FromText = s.RAM, true
	default: // earlyoom logs what there is
		for i := range c.log.Other {
			if l := c.log.Other[i].Level; l != nil {
				m.Total, m.SwapTotal = &l.Total, &l.SwapTotal
			}
		}
	}
}

// oomLimitReached is the share of a limit at which it counts as reached: each CPU charges a group 64 pages in
// advance, so what is reported may stay below the limit by 256 kB for each CPU.
const oomLimitReached = 0.99

// swapLimit reports whether a group of version 1 hit its limit of memory and swap together, and not that of memory: of
// the two that one of which less is left.
func swapLimit(g *kernlog.MemcgInfo) bool {
	full := func(usage, limit *unit.Bytes) bool {
		return usage != nil && limit != nil && float64(*usage) >= oomLimitReached*float64(*limit)
	}
	if !g.SwapTogether || g.Usage == nil || !full(g.SwapUsage, g.SwapLimit) {
		return false
	}
	return !full(g.Usage, g.Limit) || *g.SwapLimit-*g.SwapUsage < *g.Limit-*g.Usage
}

// task makes a row readable.
func (c *oomCase) task(t *kernlog.Task) Task {
	o := Task{PID: t.PID, Name: t.Name, UID: oomPtr(t.UID), Adj: oomPtr(t.Adj), RSS: c.pages(&t.RSS),
		Swap: c.pages(&t.Swap)}
	if c.report.Table.Split {
		o.Anon, o.File, o.Shmem = c.pages(&t.Anon), c.pages(&t.File), c.pages(&t.Shm)
	}
	for i := range c.report.Victims {
		if v := &c.report.Victims[i]; v.PID == t.PID && o.Anon == nil {
			o.Anon, o.File, o.Shmem = v.Anon, v.File, v.Shm
		}
	}
	if c.report.Table.PageTables {
		o.PageTables = oomPtr(t.PageTables)
	}
	return o
}

// private is the memory that a process has for itself, in RAM and in swap.
// Before 6.8 the table has only the sum: what shared memory could explain is
// taken off, so that what is left is the least that it can be.
func (c *oomCase) private(t *kernlog.Task) (b unit.Bytes, atLeast bool) {
	b = unit.Bytes(t.Swap) * c.size
	if c.report.Table.Split {
		return b + unit.Bytes(t.Anon)*c.size, false
	}
	for _, v := range c.report.Victims {
		if v.PID == t.PID && v.Anon != nil {
			return b + *v.Anon, false
		}
	}
	rss := unit.Bytes(t.RSS) * c.size
	if s := c.sharable(); s != nil {
		return b + max(rss-*s, 0), true
	}
	if host.IsServerName(t.Name) {
		if s := c.smallest; s != nil {
			b += max(rss-*s, 0)
		}
		return b, true
	}
	return b + rss, false
}

// sharable is the most that several processes may have together without having it twice: shared memory, and
// files that are mapped. Resident memory counts it in full for each of them.
func (c *oomCase) sharable() *unit.Bytes {
	if g := c.report.Memcg; g != nil {
		s := c.kill.Memory.Shared
		for _, name := range []string{"file_mapped", "total_mapped_file", "mapped_file"} {
			if v, ok := g.Stat[name]; ok && v >= 0 && (s == nil || unit.Bytes(v) > *s) {
				s = oomPtr(unit.Bytes(v))
			}
		}
		return s
	}
	if i := c.report.Info; i != nil && i.Mapped != nil {
		return c.pages(i.Mapped)
	}
	return c.kill.Memory.Shared
}

// smallestServer is the smallest address space of the server's processes. Each of them maps all of its shared memory
// (except for the dynamic) and the same programs, so no one can have touched more of them.
func (c *oomCase) smallestServer() *unit.Bytes {
	var least *int64
	for i := range c.report.Table.Tasks {
		if t := &c.report.Table.Tasks[i]; host.IsServerName(t.Name) && t.VM > 0 && (least == nil || t.VM < *least) {
			least = &t.VM
		}
	}
	return c.pages(least)
}

// tasks sums the table by program and picks the largest processes.
func (c *oomCase) tasks() {
	type key struct {
		name string
		uid  int
	}
	by := map[key]*Program{}
	least := map[key]unit.Bytes{}    // resident of the smallest of them
	resident := map[key]unit.Bytes{} // of all of them
	var residents unit.Bytes         // of all processes
	type sized struct {
		t *kernlog.Task
		b unit.Bytes
	}
	var all []sized
	for i := range c.report.Table.Tasks {
		t := &c.report.Table.Tasks[i]
		b, bound := c.private(t)
		p := by[key{t.Name, t.UID}]
		if p == nil {
			p = &Program{Name: t.Name, UID: t.UID}
			by[key{t.Name, t.UID}] = p
		}
		p.Processes++
		p.Private += b
		p.AtLeast = p.AtLeast || bound
		rss := unit.Bytes(t.RSS) * c.size
		resident[key{t.Name, t.UID}] += rss
		if residents += rss; p.Processes == 1 || rss < least[key{t.Name, t.UID}] {
			least[key{t.Name, t.UID}] = rss
		}
		p.PageTables += t.PageTables
		c.rowTables += t.PageTables
		p.Swap += unit.Bytes(t.Swap) * c.size
		// What the killer goes by: all that is resident, swap, page tables.
		all = append(all, sized{t, unit.Bytes(t.RSS+t.Swap)*c.size + t.PageTables})
		if host.IsServerName(t.Name) {
			c.tables += t.PageTables
			c.procs++
		}
	}
	for k, p := range by {
		if !c.report.Table.Split && c.sharable() == nil && !host.IsServerName(p.Name) && p.Processes > 1 {
			// How much of it they share is unknown: what each has beyond the smallest of them is not all shared.
			p.Private, p.AtLeast = max(p.Private-unit.Bytes(p.Processes-1)*least[k], p.Swap), true
		}
		c.remainder(p, resident[k], residents)
		c.kill.Programs = append(c.kill.Programs, *p)
	}
	slices.SortFunc(c.kill.Programs, func(a, b Program) int {
		if d := int64(b.Private+b.PageTables) - int64(a.Private+a.PageTables); d != 0 {
			return oomSign(d)
		}
		if d := strings.Compare(a.Name, b.Name); d != 0 {
			return d
		}
		return a.UID - b.UID
	})
	c.kill.Programs = c.kill.Programs[:min(len(c.kill.Programs), oomMaxPrograms)]
	slices.SortStableFunc(all, func(a, b sized) int { return oomSign(int64(b.b - a.b)) })
	for _, s := range all[:min(len(all), oomMaxTop)] {
		o := c.task(s.t)
		if c.report.Table.Split || host.IsServerName(s.t.Name) {
			c.role(&o)
		} else {
			o.Role, o.RoleFrom = oomOther, byName()
		}
		c.kill.Top = append(c.kill.Top, o)
	}
}

// remainder raises the private memory of a program to what no other can have of all anonymous memory, if the table does
// not divide it: the sum of many small processes is lost if each may be only shared memory.
func (c *oomCase) remainder(p *Program, own, all unit.Bytes) {
	m := &c.kill.Memory
	if c.report.Table.Split || m.Anon == nil || c.rowsMissing() {
		return
	}
	if float64(all) < oomCounted*float64(*m.Anon) { // rows are missing
		return
	}
	if rest := min(*m.Anon-(all-own), own) + p.Swap; rest > p.Private {
		p.Private, p.AtLeast = rest, true
	}
}

func oomSign(d int64) int {
	switch {
	case d < 0:
		return -1
	case d > 0:
		return 1
	}
	return 0
}

// rowsMissing reports whether the table is cut: the kernel counts far more page tables than its rows have. Rows of the
// leaders of threads are all that it has, so nothing else holds them.
func (c *oomCase) rowsMissing() bool {
	t := c.kill.Memory.PageTables
	return t != nil && c.report.Memcg == nil && c.report.Table.PageTables && len(c.report.Table.Tasks) > 0 &&
		*t >= oomTablesTell && c.rowTables < *t/2
}

// missing says what the report lacks, and what would have shown it.
func (c *oomCase) missing() {
	r := c.report
	whole := say.M(`give the whole report, from "invoked oom-killer" to "Killed process": journalctl -k -b all, or ` +
		`the syslog file`)
	if len(r.Victims) == 0 && !r.NoVictim && !r.Panic && r.Called {
		c.miss(say.M("victim"), say.M(`the line "Killed process" is missing`), whole)
	}
	if r.Asker.Name == "" {
		c.miss(say.M("process that asked for memory"), say.M(`the first line, "invoked oom-killer", is missing`), whole)
	}
	switch {
	case len(r.Table.Tasks) == 0 && r.Table.Header:
		c.miss(say.M("processes"), say.M("the task table has only its header"), whole)
	case len(r.Table.Tasks) == 0:
		c.miss(say.M("processes"), say.M("the task table is missing"),
			say.All("; ", whole, say.M("with vm.oom_dump_tasks = 0, the kernel does not log the table")))
	case !r.Table.Split:
		c.miss(say.M("private memory of each process"),
			say.M("kernels before 6.8 log only the resident memory of a process, which includes the shared "+
				"memory that it has touched"), say.Message{})
	}
	if c.rowsMissing() {
		c.miss(say.M("other processes"), say.M("rows of the task table are missing: those that were read have {rows} "+
			"of the {all} of page tables", "rows", c.rowTables, "all", *c.kill.Memory.PageTables), whole)
	}
	if r.Info == nil && r.Memcg == nil {
		c.miss(say.M("use of the memory"), say.M("neither Mem-Info nor the memory statistics of the cgroup were read"),
			whole)
	}
	if !c.sized && len(r.Table.Tasks) > 0 {
		c.miss(say.M("page size"), say.M("not in the logs; 4 kB is assumed, as on x86-64"),
			say.M("run {command}", "command", "getconf PAGESIZE"))
	}
	v := c.kill.Victim
	if v != nil && host.IsServerName(v.Name) && c.death == nil {
		c.miss(say.M("statement of the victim, and effect on the server"),
			say.M("no line of a server log reports that process {pid} was terminated by signal 9 at that time", "pid",
				strconv.Itoa(v.PID)), addServerLog())
	}
	if v != nil && v.Role == "" {
		c.miss(say.M("role of the victim"), say.M("the kernel log has the same name for all processes of a server"),
			addServerLog())
	}
}

func addServerLog() say.Message { return say.M("add the server log as another FILE") }
