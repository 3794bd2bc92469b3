package oom

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// victim identifies the process that was killed, from the last line, the table and the server's log.
func (c *oomCase) victim(used map[int]bool) {
	r := c.report
	if len(r.Victims) == 0 {
		return
	}
	v := &r.Victims[0]
	o := Task{PID: v.PID, Name: v.Name, Anon: v.Anon, File: v.File, Shmem: v.Shm, PageTables: v.Ptes, Adj: v.Adj,
		VM: v.VM, Score: r.Score, RSS: v.RSS, Swap: v.Swap, Cgroup: r.TaskGroup}
	if r.Chosen != nil && r.Chosen.Name != v.Name {
		o.Score = nil // it is of the process that was chosen
	}
	if v.UID >= 0 {
		o.UID = oomPtr(v.UID)
	}
	for i := range r.Table.Tasks {
		if t := &r.Table.Tasks[i]; t.PID == v.PID && t.Name == v.Name {
			row := c.task(t)
			o.RSS, o.Swap = row.RSS, row.Swap
			if o.PageTables == nil {
				o.PageTables = row.PageTables
			}
			if o.Adj == nil {
				o.Adj = row.Adj
			}
			if o.UID == nil {
				o.UID = row.UID
			}
		}
	}
	c.findDeath(v, used)
	if c.death != nil {
		o.Statement = c.death.Statement
	}
	c.role(&o)
	switch {
	case c.byTime && c.death.Orphaned:
		o.Role, o.RoleFrom = "postmaster",
			say.M("the server log ({when}): other processes report there that the postmaster is gone", "when",
				c.timed.words())
	case c.byTime:
		o.Role, o.LogPID = roleOf(c.death), c.death.PID
		o.RoleFrom = say.M("the server log ({when}, signal 9): the process ID there is {pid}, as in a container",
			"when", c.timed.words(), "pid", strconv.Itoa(c.death.PID))
	}
	if o.Instance == "" && host.IsServerName(o.Name) {
		o.Instance = strings.TrimSuffix(oomUnit(r.TaskGroup), ".service")
	}
	c.kill.Victim = &o
}

// findDeath finds the victim in the server's log: by its process ID, or, because the kernel numbers processes
// differently from a container, only by the time if only one died then. A postmaster cannot log its own death: its
// children log that it is gone.
func (c *oomCase) findDeath(v *kernlog.Victim, used map[int]bool) {
	c.deathI = -1
	if !host.IsServerName(v.Name) {
		return
	}
	then, timed, group := -1, notCompared, c.report.TaskGroup+c.report.Group
	for i := range c.log.Server {
		e := &c.log.Server[i]
		if e.Kind != pglog.ChildDied && !e.Orphaned || used[i] {
			continue
		}
		apart, how := c.apart(v.At, e.At)
		if e.Kind == pglog.ChildDied && e.PID == v.PID && (how != byClock || apart < oomApart) {
			c.death, c.deathI, used[i] = e, i, true
			return
		}
		if !e.Orphaned && group != "" && !oomContainer(group) {
			continue // its process IDs are those of the kernel
		}
		if how == notCompared ||
			apart > oomTogether && (how != byClock || apart > oomInContainer || !oomContainer(group)) {
			continue
		}
		switch {
		case then == -1:
			then, timed = i, how
		case then >= 0 && e.Orphaned && c.log.Server[then].Orphaned: // the others say the same
		default:
			then = -2 // two of them: which one is not known
		}
	}
	if then >= 0 {
		c.death, c.deathI, c.byTime, c.timed, used[then] = &c.log.Server[then], then, true, timed, true
		for i := then + 1; c.death.Orphaned && i < len(c.log.Server); i++ {
			e := &c.log.Server[i]
			if e.Kind == pglog.Ready || e.Kind == pglog.Starting {
				break
			}
			used[i] = used[i] || e.Orphaned // they say the same
		}
	}
}

const (
	// oomApart is how far apart two lines about one kill may be: a postmaster sees the death of a child at once, but a
	// host that swaps may take minutes.
	oomApart = 10 * time.Minute
	// oomTogether does the same if only the time is known.
	oomTogether = 5 * time.Second
	// oomInContainer is the same of a container, whose processes have other numbers for certain.
	oomInContainer = 30 * time.Second
)

// compared is how two times were compared.
type compared int

const (
	notCompared compared = iota
	byClock
	byZone // but for the zone
)

// words say that the times agree.
func (how compared) words() say.Message {
	if how == byZone {
		return say.M("same time, if the unknown time zone of one log is ignored")
	}
	return say.M("same time")
}

// apart is how long two lines are apart, if comparable.
func (c *oomCase) apart(kill, death kernlog.Stamp) (d time.Duration, how compared) {
	a, known := oomWall(kill, c.facts)
	b, both := oomWall(death, c.facts)
	if known && both {
		return a.Sub(b).Abs(), byClock
	}
	// A clock without its zone is some quarters of an hour off.
	a, known = oomLocal(kill.Text, death)
	b, both = oomLocal(death.Text, kill)
	if !known || !both {
		return 0, notCompared
	}
	const quarter, most = 15 * time.Minute, 14 * time.Hour
	if d = a.Sub(b); d.Abs() > 2*most {
		return d.Abs(), byZone
	}
	return (d - d.Round(quarter)).Abs(), byZone
}

// oomLocal is a time as a clock showed it, in any zone; for syslog's, which have no year, in the year of the other.
func oomLocal(text string, other kernlog.Stamp) (time.Time, bool) {
	for _, layout := range []string{"Mon Jan _2 15:04:05 2006", "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if n := len("2006-01-02 15:04:05"); len(text) > n && layout[0] == '2' {
			text = text[:n] // without a fraction and a zone
		}
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	year := other.Wall.Year()
	if other.Wall.IsZero() {
		if y, err := strconv.Atoi(other.Text[:min(len(other.Text), 4)]); err == nil {
			year = y
		}
	}
	return oomYearless(text, year)
}

// oomYearless is a time as syslog writes it, in a year; its month is in English.
func oomYearless(text string, year int) (time.Time, bool) {
	for _, layout := range []string{"2006 Jan _2 15:04:05", "2006 Jan 2 15:04:05"} {
		if t, err := time.Parse(layout, fmt.Sprint(year, " ", text)); err == nil && year > 1 {
			return t, true
		}
	}
	return time.Time{}, false
}

// oomContainer reports whether a cgroup is that of a container, in which processes have other ids than the kernel's log
// has.
func oomContainer(group string) bool {
	for _, w := range []string{"docker", "kubepods", "containerd", "libpod", "crio", "lxc", "machine.slice", "ecs/",
		"nspawn"} {
		if strings.Contains(group, w) {
			return true
		}
	}
	return false
}

// oomWall is a stamp by the clock. The time since boot is one if there is a snapshot of the same boot.
func oomWall(at kernlog.Stamp, f *Facts) (time.Time, bool) {
	if !at.Wall.IsZero() {
		return at.Wall, true
	}
	if at.Boot >= 0 && f.Snapshot != nil {
		if t, ok := f.Snapshot.Host.CPUTime.Get(); ok && t.BootTime > 0 {
			if when := time.Unix(t.BootTime, 0).Add(at.Boot); when.Unix() <= f.Snapshot.TakenAt {
				return when.UTC(), true
			}
		}
	}
	return time.Time{}, false
}

const oomOther = "other program"

func byName() say.Message { return say.M("its name") }

// oomKernelThread reports whether a task is one of the kernel's own, which asks for memory but holds none that could be
// freed by killing it.
func oomKernelThread(name string) bool {
	for _, p := range []string{"kworker/", "kswapd", "khugepaged", "kcompactd", "kthreadd", "ksoftirqd/", "migration/",
		"events/", "kblockd", "jbd2/", "xfsaild/", "xfs-", "rcu_", "flush-", "pdflush", "kauditd", "ksmd",
		"md_", "loop",
		"nfsd", "kjournald", "writeback"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// role says what a process was in its instance.
func (c *oomCase) role(o *Task) {
	if oomKernelThread(o.Name) {
		o.Role, o.RoleFrom = "kernel thread", byName()
		return
	}
	if !host.IsServerName(o.Name) {
		o.Role, o.RoleFrom = oomOther, byName()
		return
	}
	for i := range c.log.Server {
		e := &c.log.Server[i]
		switch {
		case e.Kind == pglog.ChildDied && e.PID == o.PID:
			o.Role, o.RoleFrom = roleOf(e), say.M("the server log")
			return
		case e.By == o.PID && o.PID > 0 && (e.Kind == pglog.Starting || e.Kind == pglog.ChildDied ||
			e.Kind == pglog.Reinit):
			o.Role, o.RoleFrom = "postmaster", say.M("its own messages in the server log")
			return
		}
	}
	if s := c.facts.Snapshot; s != nil {
		for i := range s.Instances {
			in := &s.Instances[i]
			list, _ := in.Processes.Get()
			if j := slices.IndexFunc(list, func(p host.Process) bool { return p.PID == o.PID }); j >= 0 &&
				list[j].Kind != "" {
				o.Role, o.RoleFrom, o.Instance = list[j].Kind, say.M("the current process with this ID"), in.Label()
				return
			}
		}
	}
	if v := c.report.Victims; len(v) > 0 && v[0].MainOf != "" && v[0].PID == o.PID {
		o.Role, o.RoleFrom = "postmaster", say.M("systemd: the main process of {unit} was killed next", "unit",
			v[0].MainOf)
		return
	}
	if pm := c.postmaster(o); pm {
		o.Role, o.RoleFrom = "postmaster", say.M("the lowest process ID and the lowest oom_score_adj of the server "+
			"processes of its user")
		return
	}
	// Only a backend gathers so much: the others have some MB of their own.
	if o.Anon != nil && *o.Anon >= 64*unit.MB {
		o.Role, o.RoleFrom = "backend or worker",
			say.M("its private memory: auxiliary processes such as the checkpointer need little")
	}
}

// postmaster reports whether a process looks like the one that started the others.
func (c *oomCase) postmaster(o *Task) bool {
	if o.Adj == nil || *o.Adj >= 0 || o.UID == nil {
		return false
	}
	n := 0
	for i := range c.report.Table.Tasks {
		t := &c.report.Table.Tasks[i]
		if !host.IsServerName(t.Name) || t.UID != *o.UID || t.PID == o.PID {
			continue
		}
		n++
		if t.Adj <= *o.Adj || t.PID < o.PID {
			return false
		}
	}
	return n > 0
}

// roleOf is the role of a process that the server reports dead. Before 18 it uses one name for all its processes that
// have a database: the statement shows which of them was autovacuum's.
func roleOf(e *Event) string {
	role := oomRole(e.Role)
	if role == "backend" && strings.HasPrefix(e.Statement, "autovacuum: ") {
		return "autovacuum worker"
	}
	return role
}

// oomRole is the role of a process that the postmaster names in a message
// of 13 to 18: "server process", "client backend", "checkpointer process".
func oomRole(said string) string {
	switch said {
	case "":
		return "child of the postmaster"
	case "server process", "client backend":
		return "backend"
	case "WAL writer process":
		return "walwriter"
	}
	return strings.TrimSuffix(said, " process")
}

func (c *oomCase) invoker() {
	a := c.report.Asker
	if a.Name == "" {
		return
	}
	t := Task{PID: a.PID, Name: a.Name}
	for i := range c.report.Table.Tasks {
		if r := &c.report.Table.Tasks[i]; a.PID > 0 && r.PID == a.PID {
			t = c.task(r)
		}
	}
	c.role(&t)
	c.kill.Invoker = &Invoker{PID: a.PID, Name: a.Name, Role: t.Role, Adj: a.Adj, Container: a.Container}
	if a.Order >= 0 {
		c.kill.Invoker.Order = oomPtr(a.Order)
	}
}

func lastPart(group string) string { return path.Base(group) }

// oomUnit is the unit of systemd that a cgroup belongs to, "" if none.
func oomUnit(group string) string {
	for p := group; p != "" && p != "/" && p != "."; p = path.Dir(p) {
		if b := path.Base(p); strings.HasSuffix(b, ".service") {
			return b
		}
	}
	return ""
}
