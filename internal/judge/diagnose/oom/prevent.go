package oom

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Change is a change of the plan for the host that the logs are from.
type Change struct {
	Address  knob.Address
	Instance string // data directory; "" for the host
	From, To string
	Reason   string
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
	What     string   `json:"what"`
	Why      string   `json:"why"`
	Commands []string `json:"commands"`
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
	oomCache:      {"sysctl:vm.dirty_background_bytes", "sysctl:vm.dirty_bytes"},
	oomProcess:    {"pg:autovacuum_work_mem", "pg:maintenance_work_mem"},
	oomNotTold: {"pg:work_mem", "pg:shared_buffers", "pg:huge_pages", "sysctl:vm.nr_hugepages",
		"sysctl:vm.overcommit_memory", "sysctl:vm.overcommit_kbytes"},
}

// oomAlways concern what a kill does, whatever its cause.
var oomAlways = []knob.Address{"unit:OOMPolicy", "unit:OOMScoreAdjust", "sysctl:vm.oom_kill_allocating_task"}

// prevent says what would have helped: first the plan's own changes for this
// host, where there are any, then what the numbers of the report give.
func (c *oomCase) prevent() {
	if c.report.Manual {
		c.add("report", "no manual OOM kill (SysRq f)",
			"SysRq f kills the process with the highest score even if memory is not short; programs such as earlyoom "+
				"can request it too", "journalctl -u earlyoom", "sysctl kernel.sysrq")
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
	// Gigabytes of page tables are worth huge pages whatever else there was.
	if t, _ := c.allTables(); t >= unit.GB && c.kill.Memory.Shared != nil && !planned["pg:huge_pages"] {
		c.hugePages()
	}
	c.protect(planned)
}

// oomTakers take more memory where they are raised: a plan may do so for good
// reasons, but it prevents no kill.
var oomTakers = []knob.Address{"pg:work_mem", "pg:hash_mem_multiplier", "pg:maintenance_work_mem", "pg:shared_buffers",
	"pg:max_connections", "pg:max_parallel_workers_per_gather"}

// bears says whether a change would have borne on this kill. Inside of a control
// group with a limit only the servers in that group matter, and the kernel's
// commit limit does not.
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
		what := fmt.Sprintf("%s = %s", strings.TrimPrefix(strings.TrimPrefix(string(a), "pg:"), "sysctl:"), ch.To)
		if ch.From != "" {
			what += " instead of " + ch.From
		}
		if ch.Instance != "" {
			what += ", for " + ch.Instance
		}
		cmd := "pgfettle apply"
		switch kind, name, _ := strings.Cut(string(a), ":"); kind {
		case "pg":
			cmd = fmt.Sprintf("ALTER SYSTEM SET %s = '%s';", name, strings.ReplaceAll(ch.To, "'", "''"))
		case "sysctl":
			cmd = fmt.Sprintf("sysctl -w %s=%s", name, ch.To)
		}
		c.add("plan", what, ch.Reason, cmd)
	}
}

func (c *oomCase) add(from, what, why string, commands ...string) {
	p := Prevention{What: what, Why: why, Commands: append([]string{}, commands...), From: from}
	if !slices.ContainsFunc(c.kill.Prevention, func(o Prevention) bool { return o.What == p.What }) {
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
			c.add("report", "fewer sessions at once, by a pool of connections",
				"each session keeps some MB for caches of catalogues and plans, even when idle",
				"pgfettle explain max_connections")
		}
		if !planned["sysctl:vm.overcommit_memory"] {
			c.strict()
		}
	case oomProcess:
		if c.kill.Victim.Role == "autovacuum worker" && !planned["pg:autovacuum_work_mem"] {
			c.add("report", "a bound on autovacuum_work_mem",
				"an autovacuum worker uses up to autovacuum_work_mem, and maintenance_work_mem where that is -1; "+
					"work_mem does not bound it", "pgfettle explain autovacuum_work_mem")
		}
	case oomPageTables:
		if !planned["pg:huge_pages"] {
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
			c.add("report", fmt.Sprintf("shared_buffers of at most %s", (*t/4).RoundDown(unit.MB).GUC()),
				"a quarter of the memory is where to begin on a server of its own; more only after measuring, and "+
					"with huge pages",
				fmt.Sprintf("ALTER SYSTEM SET shared_buffers = '%s';", (*t/4).RoundDown(unit.MB).GUC()))
		}
	case oomCache:
		c.add("report", "dirty pages written back earlier",
			"the kernel can drop clean page cache at once, but it has to write dirty pages first; cgroup version 1 "+
				"does "+
				"not slow the writers of a group down", "pgfettle explain dirty_background_bytes")
		if c.report.Constraint == kernlog.Memcg {
			c.add("report", "a higher limit of the control group",
				"page cache of the files that a group reads and writes counts against its limit")
		}
	case oomHugeUnused:
		if !planned["sysctl:vm.nr_hugepages"] {
			c.shrinkPool()
		}
	case oomProgram:
		c.otherProgram()
	case oomAllocating:
		if !planned["sysctl:vm.oom_kill_allocating_task"] {
			c.add("report", "vm.oom_kill_allocating_task = 0",
				"the killer then picks the process with the highest score, and a session of the server is not "+
					"killed for "+
					"another program's memory", "sysctl -w vm.oom_kill_allocating_task=0")
		}
	case oomNodes:
		c.add("report", "no restriction of the server to some NUMA nodes",
			"memory of the other nodes stays unused, and the killer comes while they are free",
			"cat /sys/fs/cgroup/…/cpuset.mems; numactl --show")
	case oomFragments:
		c.add("report", "huge pages for shared memory, reserved at boot",
			"they need no free memory in one piece later on", "pgfettle explain huge_pages")
	}
}

// otherProgram is about the largest program that is none of a server.
func (c *oomCase) otherProgram() {
	i := slices.IndexFunc(c.kill.Programs, func(p Program) bool { return !oomServer(p.Name) })
	if i < 0 {
		return
	}
	p := &c.kill.Programs[i]
	if c.report.Constraint == kernlog.Memcg && c.procs == 0 {
		// No server is in the group: its limit kept the memory of the others free.
		c.add("report", fmt.Sprintf("less memory for %s, or a higher limit of its control group", p.Name),
			"the limit kept the memory of the other processes free; the heap and the workers of a program have to "+
				"fit under its limit")
		return
	}
	of := "UNIT-OF-" + oomShellWord(p.Name)
	if u := oomUnit(c.report.TaskGroup); u != "" && c.kill.Victim != nil && c.kill.Victim.Name == p.Name {
		of = oomShellWord(u)
	}
	c.add("report", p.Name+" on another host, or with a limit of its own",
		"what it takes, the server cannot have; under a limit of its own it is the one that is killed",
		"systemctl set-property "+of+" MemoryMax=…")
}

// workMem bounds work_mem by the plan's own number where the host is known. Else by
// what the report shows: what shared memory, page tables, other programs and the
// private memory of the sessions leave, for a sort and a hash in each session of the
// table at once, as sessions that wait hold their memory.
func (c *oomCase) workMem() {
	for _, p := range c.facts.WorkMem {
		if !c.bears(&Change{Address: "pg:work_mem", Instance: p.Instance}) {
			continue
		}
		gives := "the most that a plan gives here"
		if p.Pinned {
			gives = "the most that a plan would give here if work_mem were not pinned"
		}
		c.add("plan", fmt.Sprintf("work_mem of at most %s, for %s", p.WorkMem.GUC(), p.Instance),
			fmt.Sprintf(gives+
				", so that %s may be at work at once; a report that needs more gets it for its role alone",
				oomCount(p.Open, "connection", "connections")),
			fmt.Sprintf("ALTER SYSTEM SET work_mem = '%s';", p.WorkMem.GUC()), "ALTER ROLE report SET work_mem = '…';")
		if p.Fit < p.Open {
			c.add("plan", fmt.Sprintf("a pooler in front of %s, with at most %s", p.Instance,
				oomCount(p.Fit, "session", "sessions")),
				fmt.Sprintf("of %s no more fit the memory at work; it would save %s of private memory and page tables",
					oomCount(p.Open, "connection", "connections"), p.Saved), "pgfettle explain max_connections")
		}
		return
	}
	m := &c.kill.Memory
	// The postmaster and five processes of its own are in every table of 13 to 18, one
	// more where an io worker or an archiver runs: then this counts a session too many.
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
		if !oomServer(p.Name) && c.report.Constraint != kernlog.Memcg {
			rest -= p.Private
		}
	}
	// A kernel's report has no settings: 2 is the default of hash_mem_multiplier from 15
	// on, and errs on the safe side before.
	all := memory.Instance{Connections: sessions, Sorts: memory.Mixed.Sorts, Hashes: memory.Mixed.Hashes,
		HashFactor: 2}.AllAtWork()
	each := memory.WorkMemFor(rest, all.Claims())
	if each < memory.WorkMemFloor {
		c.add("report", "fewer sessions, or more memory",
			fmt.Sprintf("with %s at work not even a work_mem of 4MB fits beside shared memory",
				oomCount(sessions, "session", "sessions")), "pgfettle explain work_mem")
		return
	}
	c.add("report", fmt.Sprintf("work_mem of at most %s for %s at once", each.GUC(),
		oomCount(sessions, "session", "sessions")),
		fmt.Sprintf(
			"of the %s that shared memory, sessions and others leave, for one sort and one hash in each session; "+
				"more sessions, less in the same proportion; a report that needs more gets it for its role alone",
			rest),
		fmt.Sprintf("ALTER SYSTEM SET work_mem = '%s';", each.GUC()), "ALTER ROLE report SET work_mem = '…';")
}

// buffers bounds shared_buffers by the plan's own number, where the host is known.
func (c *oomCase) buffers() (told bool) {
	for _, p := range c.facts.WorkMem {
		if p.Buffers == 0 || !c.bears(&Change{Address: "pg:shared_buffers", Instance: p.Instance}) {
			continue
		}
		c.add("plan", fmt.Sprintf("shared_buffers of at most %s, for %s", p.Buffers.GUC(), p.Instance),
			"what a plan gives for this host",
			fmt.Sprintf("ALTER SYSTEM SET shared_buffers = '%s';", p.Buffers.GUC()))
		told = true
	}
	return told
}

// strict is the commit limit that refuses instead of killing.
func (c *oomCase) strict() {
	m := &c.kill.Memory
	if c.report.Constraint == kernlog.Memcg {
		c.add("report", "work_mem and the number of sessions have to fit under the limit of the group",
			"strict overcommit, which refuses a query instead of killing a process, knows the host's memory only "+
				"and would not have helped here")
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
	c.add("report", fmt.Sprintf("strict overcommit with a limit of %s, on a host that serves PostgreSQL alone",
		k.Limit()),
		fmt.Sprintf("the query gets «out of memory» and fails alone; the limit is four fifths of %s", *m.Total),
		"sysctl -w vm.overcommit_memory=2", fmt.Sprintf("sysctl -w vm.overcommit_kbytes=%d", k.KBytes/unit.KB))
}

// hugePages says what huge pages would have saved.
func (c *oomCase) hugePages() {
	m := &c.kill.Memory
	const huge = 2 * unit.MB
	why := "the map of a huge page is one entry instead of 512, and is not counted by the killer"
	cmds := []string{
		"postgres -D DATA -C shared_memory_size_in_huge_pages   (15 and later, server stopped: the exact number)"}
	if m.Shared != nil {
		n := m.Shared.Pages(huge)
		// What is left is what a process has for everything but shared memory.
		switch saved := c.tables - unit.Bytes(c.procs)*memory.ProcessPageTables; {
		case c.rowsMissing():
			why += fmt.Sprintf("; most of the %s of page tables would not have been", *m.PageTables)
		case saved > 0:
			why += fmt.Sprintf("; about %s of page tables would not have been", saved)
		}
		cmds = append(cmds, fmt.Sprintf("sysctl -w vm.nr_hugepages=%d", n))
	}
	c.add("report", "huge pages for shared memory", why, append(cmds, "ALTER SYSTEM SET huge_pages = 'on';")...)
}

// shrinkPool gives back what nobody uses.
func (c *oomCase) shrinkPool() {
	for _, h := range c.report.Info.Huge {
		if h.Free > 0 && h.Size == 2*unit.MB {
			total, free := int64(0), int64(0)
			for _, o := range c.report.Info.Huge {
				if o.Size == h.Size {
					total, free = total+o.Total, free+o.Free
				}
			}
			c.add("report", fmt.Sprintf("a pool of %d huge pages instead of %d", total-free, total),
				"as many as were in use; count HugePages_Rsvd of /proc/meminfo in, which a server has reserved and "+
					"not touched", fmt.Sprintf("sysctl -w vm.nr_hugepages=%d", total-free))
			return
		}
	}
	c.add("report", "no unused huge pages", "ordinary memory cannot be taken from the pool",
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
	cmd := "memory limit of the container or pod"
	if u := oomUnit(c.kill.Group); u != "" {
		cmd = fmt.Sprintf("systemctl set-property %s MemoryMax=%d", oomShellWord(u), want)
	} else if strings.Contains(c.kill.Group, "docker") {
		cmd = fmt.Sprintf("docker update --memory %d --memory-swap %d CONTAINER", want, want)
	}
	c.add("report", fmt.Sprintf("a limit of about %s for %s", want, path.Base(c.kill.Group)),
		"shared memory should be about a quarter of what the group may have; the page cache counts against it too", cmd)
}

// protect is about what the kill did.
func (c *oomCase) protect(planned map[knob.Address]bool) {
	if c.unitFailed() != "" && !planned["unit:OOMPolicy"] {
		c.add("report", "OOMPolicy=continue for "+c.unitFailed(),
			"systemd stops a unit of which a process was killed, although the server recovers by itself",
			"systemctl edit "+oomShellWord(c.unitFailed()), "[Service]", "OOMPolicy=continue")
	}
	if v := c.kill.Victim; v != nil && v.Role == "postmaster" {
		c.add("report", "the postmaster out of the killer's reach",
			"without it nobody restarts the server; its children take the usual value by PG_OOM_ADJUST_FILE",
			"systemctl edit UNIT", "[Service]", "OOMScoreAdjust=-1000",
			"Environment=PG_OOM_ADJUST_FILE=/proc/self/oom_score_adj PG_OOM_ADJUST_VALUE=0")
	}
}

// oomShellWord makes a name that others chose fit to stand in a command.
func oomShellWord(s string) string {
	ok := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@._:/-", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !ok(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
