package oom

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Change is a change of the plan for the host that the logs are from.
type Change struct {
	Address  knob.Address
	Instance string // data directory; "" for the host
	From, To string
	Reason   say.Message
	Raises   bool // To is a larger number than From
}

// WorkMem is what the plan for the host says of an instance with its connections
// at work.
type WorkMem struct {
	Instance  string // data directory
	WorkMem   unit.Bytes
	Buffers   unit.Bytes // shared_buffers that is planned; 0: none
	Pinned    bool       // a person has fixed work_mem to another value
	Open, Fit int        // connections, and of them that fit at work with WorkMem
	Saved     unit.Bytes
}

// Prevention is something that would have prevented it.
type Prevention struct {
	What     say.Message `json:"what"`
	Why      say.Message `json:"why"`
	Commands []string    `json:"commands"`
	// plan: the change that pgfettle plan makes for this host; report: worked out from the numbers of the report
	From string `json:"from"`
}

// oomKnobs are the settings that bear on each cause, the most telling first.
var oomKnobs = map[string][]knob.Address{
	oomOneQuery: {"pg:work_mem", "pg:hash_mem_multiplier", "pg:maintenance_work_mem", "sysctl:vm.overcommit_memory",
		"sysctl:vm.overcommit_kbytes", "sysctl:vm.overcommit_ratio"},
	oomQueries: {"pg:work_mem", "pg:hash_mem_multiplier", "pg:max_parallel_workers_per_gather",
		"sysctl:vm.overcommit_memory", "sysctl:vm.overcommit_kbytes", "sysctl:vm.overcommit_ratio"},
	oomConnections: {"pg:max_connections", "pg:work_mem", "pg:shared_buffers", "sysctl:vm.overcommit_memory",
		"sysctl:vm.overcommit_kbytes"},
	oomPageTables: {"pg:huge_pages", "sysctl:vm.nr_hugepages", "pg:max_connections", "pg:shared_buffers"},
	oomShared: {"pg:shared_buffers", "pg:huge_pages", "sysctl:vm.nr_hugepages", "pg:max_connections",
		"pg:work_mem"},
	oomHugeUnused: {"sysctl:vm.nr_hugepages", "pg:huge_pages"},
	oomProgram:    {"pg:shared_buffers", "pg:work_mem"},
	oomFragments:  {"pg:huge_pages", "sysctl:vm.min_free_kbytes", "thp:defrag"},
	oomSlab:       {},
	oomLocked:     {},
	oomCache:      {"sysctl:vm.dirty_background_bytes", "sysctl:vm.dirty_bytes"},
	oomProcess:    {"pg:autovacuum_work_mem", "pg:maintenance_work_mem"},
	oomNotTold: {"pg:work_mem", "pg:shared_buffers", "pg:huge_pages", "sysctl:vm.nr_hugepages",
		"sysctl:vm.overcommit_memory", "sysctl:vm.overcommit_kbytes"},
}

// oomAlways concern what a kill does, whatever its cause.
var oomAlways = []knob.Address{"unit:OOMPolicy", "unit:OOMScoreAdjust", "sysctl:vm.oom_kill_allocating_task"}

// prevent says what would have helped: first the plan's own changes for this host, if there are any, then what follows
// from the numbers of the report.
func (c *oomCase) prevent() {
	if c.report.Manual {
		c.add("report", say.M("Do not trigger the OOM killer manually (SysRq f)"),
			say.M("SysRq f kills the process with the highest score even if memory is not short; kernel.sysrq limits "+
				"it on the keyboard, but root can always write f to /proc/sysrq-trigger"), "sysctl kernel.sysrq")
		return
	}
	causes := append([]Cause{c.kill.Cause}, c.kill.Also...)
	planned := map[knob.Address]bool{}
	for _, cause := range causes {
		for _, a := range oomKnobs[cause.ID] {
			c.planned(a, planned)
		}
	}
	for _, a := range oomAlways {
		c.planned(a, planned)
	}
	for _, cause := range causes {
		c.formula(cause.ID, planned)
	}
	// Gigabytes of page tables are worth huge pages in any case.
	if t, _ := c.allTables(); t >= unit.GB && c.kill.Memory.Shared != nil && !planned["pg:huge_pages"] && c.mapped() {
		c.hugePages()
	}
	c.protect(planned)
}

// oomTakers take more memory if raised: a plan may do so for good reasons, but it prevents no kill.
var oomTakers = []knob.Address{"pg:work_mem", "pg:hash_mem_multiplier", "pg:maintenance_work_mem", "pg:shared_buffers",
	"pg:max_connections", "pg:max_parallel_workers_per_gather"}

// bears reports whether a change would have borne on this kill. Inside of a cgroup with a limit only the servers in
// that group matter, and the kernel's commit limit does not.
func (c *oomCase) bears(ch *Change) bool {
	if ch.Raises && slices.Contains(oomTakers, ch.Address) {
		return false
	}
	if c.report.Constraint != kernlog.Memcg {
		return true
	}
	if ch.Instance == "" {
		return !strings.HasPrefix(string(ch.Address), "sysctl:vm.overcommit_")
	}
	for i := range c.facts.Snapshot.Instances {
		in := &c.facts.Snapshot.Instances[i]
		cg, ok := in.CGroup.Get()
		if ok && in.Label() == ch.Instance && (cg.Path == c.report.Group ||
			strings.HasPrefix(cg.Path, strings.TrimSuffix(c.report.Group, "/")+"/")) {
			return true
		}
	}
	return false
}

func (c *oomCase) planned(a knob.Address, done map[knob.Address]bool) {
	if done[a] || c.facts.Snapshot == nil {
		return
	}
	for i := range c.facts.Changes {
		ch := &c.facts.Changes[i]
		if ch.Address != a || !c.bears(ch) {
			continue
		}
		done[a] = true
		cmd := "pgfettle apply"
		switch kind, name, _ := strings.Cut(string(a), ":"); kind {
		case "pg":
			cmd = fmt.Sprintf("ALTER SYSTEM SET %s = '%s';", name, strings.ReplaceAll(ch.To, "'", "''"))
		case "sysctl":
			cmd = fmt.Sprintf("sysctl -w %s=%s", name, ch.To)
		}
		c.add("plan", ch.words(), ch.Reason, cmd)
	}
}

func (ch *Change) words() say.Message {
	name := strings.TrimPrefix(strings.TrimPrefix(string(ch.Address), "pg:"), "sysctl:")
	switch {
	case ch.From == "" && ch.Instance == "":
		return say.M("Set {name} = {value}", "name", name, "value", ch.To)
	case ch.From == "":
		return say.M("Set {name} = {value} for {instance}", "name", name, "value", ch.To, "instance", ch.Instance)
	case ch.Instance == "":
		return say.M("Set {name} = {value} (now {present})", "name", name, "value", ch.To, "present", ch.From)
	}
	return say.M("Set {name} = {value} (now {present}) for {instance}", "name", name, "value", ch.To, "present",
		ch.From,
		"instance", ch.Instance)
}

func (c *oomCase) add(from string, what, why say.Message, commands ...string) {
	p := Prevention{What: what, Why: why, Commands: append([]string{}, commands...), From: from}
	if !slices.ContainsFunc(c.kill.Prevention, func(o Prevention) bool { return o.What.Equal(p.What) }) {
		c.kill.Prevention = append(c.kill.Prevention, p)
	}
}

// formula works a remedy out from the numbers of the report.
func (c *oomCase) formula(cause string, planned map[knob.Address]bool) {
	switch cause {
	case oomOneQuery, oomQueries, oomConnections:
		if !planned["pg:work_mem"] {
			c.workMem()
		}
		if cause == oomConnections {
			c.add("report", say.M("Use a connection pooler (PgBouncer), so that fewer sessions are open"),
				say.M("each session keeps some MB for catalog and plan caches, even when idle"),
				"pgfettle explain max_connections")
		}
		if !planned["sysctl:vm.overcommit_memory"] {
			c.strict()
		}
	case oomProcess:
		if c.kill.Victim.Role == "autovacuum worker" && !planned["pg:autovacuum_work_mem"] {
			c.add("report", say.M("Limit autovacuum_work_mem"),
				say.M("an autovacuum worker uses up to autovacuum_work_mem, or maintenance_work_mem if that is -1; "+
					"work_mem does not limit it"), "pgfettle explain autovacuum_work_mem")
		}
	case oomPageTables:
		if !planned["pg:huge_pages"] && c.mapped() {
			c.hugePages()
		}
	case oomShared:
		if c.report.Constraint == kernlog.Memcg {
			c.raiseLimit()
		}
		if planned["pg:shared_buffers"] || c.buffers() {
			return
		}
		if t := c.kill.Memory.Total; t != nil {
			quarter := (*t / 4).RoundDown(unit.MB).GUC()
			c.add("report", say.M("Set shared_buffers to at most {value}", "value", quarter),
				say.M("a quarter of the memory is the usual start on a dedicated server; use more only after "+
					"measuring, and with huge pages"), fmt.Sprintf("ALTER SYSTEM SET shared_buffers = '%s';", quarter))
		}
	case oomCache:
		c.add("report", say.M("Start the writeback of dirty pages earlier"),
			say.M("the kernel can drop clean page cache at once, but must write dirty pages first; cgroup v1 does not "+
				"throttle the writers of a cgroup"), "pgfettle explain dirty_background_bytes")
		if c.report.Constraint == kernlog.Memcg {
			c.add("report", say.M("Raise the cgroup limit"),
				say.M("page cache of the files that a cgroup reads and writes counts against its limit"))
		}
	case oomHugeUnused:
		if !planned["sysctl:vm.nr_hugepages"] {
			c.shrinkPool()
		}
	case oomProgram:
		c.otherProgram()
	case oomLocked:
		c.add("report", say.M("Find out which process locks memory, and limit it"),
			say.M("LimitMEMLOCK= of its unit, or ulimit -l, limits what a process may lock; root is not limited"),
			"grep -H VmLck /proc/[0-9]*/status | sort -k2 -n | tail")
	case oomNotTold:
		c.touched()
	case oomAllocating:
		if !planned["sysctl:vm.oom_kill_allocating_task"] {
			c.add("report", say.M("Set {name} = {value}", "name", "vm.oom_kill_allocating_task", "value", "0"),
				say.M("the OOM killer then chooses the process with the highest score, instead of any session that "+
					"asks for memory"), "sysctl -w vm.oom_kill_allocating_task=0")
		}
	case oomNodes:
		c.unrestrict()
	case oomFragments:
		c.add("report", say.M("Use huge pages for shared memory, and reserve them at boot"),
			say.M("they need no contiguous free memory later"), "pgfettle explain huge_pages")
	}
}

// otherProgram is about the largest program that is none of a server.
func (c *oomCase) otherProgram() {
	i := slices.IndexFunc(c.kill.Programs, func(p Program) bool { return !host.IsServerName(p.Name) })
	if i < 0 && c.alone == nil {
		return
	}
	p := c.alone
	if i >= 0 {
		p = &c.kill.Programs[i]
	}
	if c.report.Constraint == kernlog.Memcg && c.procs == 0 {
		// No server is in the group: its limit kept the memory of the others free.
		c.add("report", say.M("Reduce the memory of {name}, or raise the limit of its cgroup", "name", p.Name),
			say.M("the limit of the cgroup was reached, not that of the host; heap and workers of the program must "+
				"fit in it"))
		return
	}
	if c.procs == 0 && c.facts.Snapshot == nil && (c.wholeTable() || !c.server()) {
		why := say.M("if {name} exceeds a limit of its own, only its own processes are killed", "name", p.Name)
		if c.wholeTable() {
			why = say.M("the task table has no process of a PostgreSQL server; if {name} exceeds a limit of its own, "+
				"only its own processes are killed", "name", p.Name)
		}
		c.add("report", say.M("Limit the memory of {name}, or use a host with more memory", "name", p.Name), why,
			"systemctl set-property "+c.unitOf(p)+" MemoryMax=LIMIT")
		return
	}
	c.add("report", say.M("Move {name} to another host, or limit its memory", "name", p.Name),
		say.M("the server cannot use the memory that it takes; if it exceeds a limit of its own, only its own "+
			"processes are killed"), "systemctl set-property "+c.unitOf(p)+" MemoryMax=LIMIT")
}

// unitOf is the unit of a program, or what stands for its name.
func (c *oomCase) unitOf(p *Program) string {
	if u := oomUnit(c.report.TaskGroup); u != "" && c.kill.Victim != nil && c.kill.Victim.Name == p.Name {
		return shell.Quote(u)
	}
	return "UNIT-OF-" + shell.Quote(p.Name)
}

// touchedTimes is how many times its private memory a victim has touched of shared memory before that is worth a word.
const touchedTimes = 4

// touched is about a victim of a server that had little of its own, where the log shows nothing else.
func (c *oomCase) touched() {
	v := c.kill.Victim
	if v == nil || !host.IsServerName(v.Name) || v.Anon == nil || v.Shmem == nil || *v.Shmem < touchedTimes**v.Anon {
		return
	}
	c.add("report", say.M("Check that shared_buffers and the other programs fit in the memory"),
		say.M("the victim had little memory of its own ({private}); what it had touched of shared memory ({shared}) "+
			"is counted in full for each process", "private", *v.Anon, "shared",
			*v.Shmem), "SHOW shared_buffers;", "ps -eo rss,pid,args --sort=-rss | head")
}

// workMem bounds work_mem by the plan's own number if the host is known. Otherwise by what the report shows: what
// shared memory, page tables, other programs and the private memory of the sessions leave, for a sort and a hash in
// each session of the table at once, as sessions that wait hold their memory.
func (c *oomCase) workMem() {
	for _, p := range c.facts.WorkMem {
		if !c.bears(&Change{Address: "pg:work_mem", Instance: p.Instance}) {
			continue
		}
		why := say.N(p.Open, "the largest value with which {n} connection can be active",
			"the largest value with which {n} connections can be active at once")
		var pinned say.Message
		if p.Pinned {
			pinned = say.M("work_mem is pinned to another value")
		}
		c.add("plan", say.M("Set {name} to at most {value} for {instance}", "name", "work_mem", "value",
			p.WorkMem.GUC(),
			"instance", p.Instance), say.All("; ", why, pinned, moreByRole()),
			fmt.Sprintf("ALTER SYSTEM SET work_mem = '%s';", p.WorkMem.GUC()), oomRoleCommand)
		if p.Fit < p.Open {
			c.add("plan", say.N(p.Fit, "Use a connection pooler for {instance}, with at most {n} session",
				"Use a connection pooler for {instance}, with at most {n} sessions", "instance", p.Instance),
				say.N(p.Open, "not even {n} active connection fits in the memory; a pooler saves {saved} of private "+
					"memory and page tables", "no more of the {n} connections fit in the memory if they are active; "+
					"a pooler saves {saved} of private memory and page tables", "saved", p.Saved),
				"pgfettle explain max_connections")
		}
		return
	}
	m := &c.kill.Memory
	// The postmaster and five processes of its own are in every table of 13 to 18, one more if an io worker or an
	// archiver runs: then this counts one session too many.
	sessions := max(c.procs-6, c.working)
	if m.Total == nil || m.Shared == nil || sessions < 1 {
		return
	}
	rest := *m.Total - *m.Shared - unit.Bytes(c.procs)*memory.BackendBase
	if m.HugeTotal != nil {
		rest -= *m.HugeTotal // no session can have any of it
	}
	if t, _ := c.allTables(); t > 0 {
		rest -= t
	}
	for _, p := range c.kill.Programs {
		if !host.IsServerName(p.Name) && c.report.Constraint != kernlog.Memcg {
			rest -= p.Private
		}
	}
	// A kernel's report has no settings: 2 is the default of hash_mem_multiplier from 15
	// on, and errs on the safe side before.
	all := memory.Instance{Connections: sessions, Sorts: memory.Mixed.Sorts, Hashes: memory.Mixed.Hashes,
		HashFactor: 2}.AllAtWork()
	each := memory.WorkMemFor(rest, all.Claims())
	if each < memory.WorkMemFloor {
		c.add("report", say.M("Use fewer sessions, or more memory"),
			say.N(sessions, "with {n} active session, not even work_mem = {least} fits in addition to shared memory",
				"with {n} active sessions, not even work_mem = {least} fits in addition to shared memory", "least",
				memory.WorkMemFloor.GUC()), "pgfettle explain work_mem")
		return
	}
	c.add("report", say.N(sessions, "Set work_mem to at most {value} with {n} session",
		"Set work_mem to at most {value} with {n} sessions", "value", each.GUC()),
		say.All("; ", say.M("shared memory, page tables, sessions and other programs leave {size} for one sort and "+
			"one hash in each session", "size", rest),
			say.M("with more sessions, reduce it in proportion"), moreByRole()),
		fmt.Sprintf("ALTER SYSTEM SET work_mem = '%s';", each.GUC()), oomRoleCommand)
}

func moreByRole() say.Message { return say.M("give more only to roles that need it") }

const oomRoleCommand = "ALTER ROLE ROLE_NAME SET work_mem = 'VALUE';"

// buffers bounds shared_buffers by the plan's own number, if the host is known.
func (c *oomCase) buffers() (told bool) {
	for _, p := range c.facts.WorkMem {
		if p.Buffers == 0 || !c.bears(&Change{Address: "pg:shared_buffers", Instance: p.Instance}) {
			continue
		}
		c.add("plan", say.M("Set {name} to at most {value} for {instance}", "name", "shared_buffers", "value",
			p.Buffers.GUC(), "instance", p.Instance), say.M("the value in the plan for this host"),
			fmt.Sprintf("ALTER SYSTEM SET shared_buffers = '%s';", p.Buffers.GUC()))
		told = true
	}
	return told
}

// strict is the commit limit that refuses instead of killing.
func (c *oomCase) strict() {
	m := &c.kill.Memory
	if c.report.Constraint == kernlog.Memcg {
		c.add("report", say.M("Choose work_mem and the number of sessions so that they fit in the cgroup limit"),
			say.M("strict overcommit makes a query fail instead of a process being killed, but it limits the memory "+
				"of the host, not that of a cgroup"))
		return
	}
	if c.report.Constraint != kernlog.Global || m.Total == nil || m.SwapTotal == nil {
		return
	}
	k := memory.Commit{Total: *m.Total, Swap: *m.SwapTotal}
	if m.HugeTotal != nil {
		k.Hugetlb = *m.HugeTotal
	}
	k.KBytes = k.KBytesFor()
	if k.KBytes <= 0 {
		return
	}
	limit := say.M("the limit is {percent} of the {total} of RAM", "percent", commitShare(), "total", k.Total)
	if k.Hugetlb > 0 {
		limit = say.M("the limit is {percent} of the {total} of RAM, minus {size} of huge pages", "percent",
			commitShare(),
			"total", k.Total, "size", k.Hugetlb)
	}
	c.add("report", say.M("Use strict overcommit with a limit of {limit}, if the host runs only PostgreSQL", "limit",
		k.Limit()), say.All("; ",
		say.M(`a session that asks for more gets the error "out of memory" instead of being killed`), limit),
		"sysctl -w vm.overcommit_memory=2", fmt.Sprintf("sysctl -w vm.overcommit_kbytes=%d", k.KBytes/unit.KB))
}

func commitShare() say.Number { return say.Number(fmt.Sprintf("%.0f%%", 100*memory.CommitShare)) }

// mapped reports whether shared memory can be that of a PostgreSQL server, and is large enough to need page tables.
func (c *oomCase) mapped() bool {
	if s := c.kill.Memory.Shared; s != nil && *s < oomSharedTables {
		return false
	}
	return !c.wholeTable() || c.server()
}

// hugePages says what huge pages would have saved.
func (c *oomCase) hugePages() {
	m := &c.kill.Memory
	const huge = 2 * unit.MB
	why := []say.Message{say.M("huge pages need far fewer page table entries, and the OOM killer does not count them")}
	cmds := []string{"postgres -D DATA -C shared_memory_size_in_huge_pages"}
	exact := say.M("the first command shows the exact number of pages (PostgreSQL 15 and later, server stopped)")
	if m.Shared != nil {
		// What is left is what a process has for everything but shared memory.
		switch saved := c.tables - unit.Bytes(c.procs)*memory.ProcessPageTables; {
		case c.rowsMissing():
			why = append(why, say.M("of the {size} of page tables, they save most of what maps shared memory", "size",
				*m.PageTables))
		case saved > 0:
			why = append(why, say.M("they would have saved about {size} of page tables", "size", saved))
		}
		// If a regular page is larger, so is a huge one, and the report may not say how large.
		if c.size == 4*unit.KB {
			cmds = append(cmds, fmt.Sprintf("sysctl -w vm.nr_hugepages=%d", m.Shared.Pages(huge)))
		}
	}
	c.add("report", say.M("Use huge pages for shared memory"), say.All("; ", append(why, exact)...),
		append(cmds, "ALTER SYSTEM SET huge_pages = 'on';")...)
}

// shrinkPool returns unused pages.
func (c *oomCase) shrinkPool() {
	for _, h := range c.report.Info.Huge {
		if h.Free > 0 && h.Size == 2*unit.MB {
			total, free := int64(0), int64(0)
			for _, o := range c.report.Info.Huge {
				if o.Size == h.Size {
					total, free = total+o.Total, free+o.Free
				}
			}
			c.add("report", say.M("Reduce the pool of huge pages from {present} to {needed}", "present", total,
				"needed",
				total-free), say.M("that many were in use; add HugePages_Rsvd of /proc/meminfo, which a server has "+
				"reserved but not yet used"), fmt.Sprintf("sysctl -w vm.nr_hugepages=%d", total-free))
			return
		}
	}
	c.add("report", say.M("Reduce the pool of huge pages"), say.M("the kernel cannot use it for regular pages"),
		"pgfettle explain nr_hugepages")
}

// raiseLimit gives a group the room for its shared memory, and as much again for
// the rest.
func (c *oomCase) raiseLimit() {
	m := &c.kill.Memory
	if m.Shared == nil || m.Total == nil {
		return
	}
	want := max(*m.Shared*4, *m.Total).RoundUp(unit.MB)
	if want == *m.Total {
		return
	}
	what := say.M("Raise the memory limit of {group} to about {size}", "group", path.Base(c.kill.Group), "size", want)
	var cmds []string
	if u := oomUnit(c.kill.Group); u != "" {
		cmds = append(cmds, fmt.Sprintf("systemctl set-property %s MemoryMax=%d", shell.Quote(u), want))
	} else if strings.Contains(c.kill.Group, "docker") {
		cmds = append(cmds, fmt.Sprintf("docker update --memory %d --memory-swap %d CONTAINER", want, want))
	} else {
		what = say.M("Raise the memory limit of the container or pod (cgroup {group}) to about {size}", "group",
			path.Base(c.kill.Group), "size", want)
	}
	c.add("report", what, say.M("shared memory should be about a quarter of the limit; page cache counts against the "+
		"limit too"), cmds...)
}

// protect is about what the kill did.
func (c *oomCase) protect(planned map[knob.Address]bool) {
	if c.unitFailed() != "" && !planned["unit:OOMPolicy"] {
		c.add("report", say.M("Set OOMPolicy=continue for {unit}", "unit", c.unitFailed()),
			say.M("systemd stops a unit if one of its processes is killed, although the server recovers without help"),
			"systemctl edit "+shell.Quote(c.unitFailed()), "[Service]", "OOMPolicy=continue")
	}
	if v := c.kill.Victim; v != nil && v.Role == "postmaster" {
		c.add("report", say.M("Protect the postmaster from the OOM killer"),
			say.M("without its postmaster, a server does not restart; PG_OOM_ADJUST_FILE gives its child processes "+
				"the normal value again"),
			"systemctl edit UNIT", "[Service]", "OOMScoreAdjust=-1000",
			"Environment=PG_OOM_ADJUST_FILE=/proc/self/oom_score_adj PG_OOM_ADJUST_VALUE=0")
	}
}
