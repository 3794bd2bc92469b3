package diagnose

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
)

// victim tells who was killed, from the last line, the table and the server's log.
func (c *oomCase) victim(used map[int]bool) {
	r := c.report
	if len(r.Victims) == 0 {
		return
	}
	v := &r.Victims[0]
	o := OOMTask{PID: v.PID, Name: v.Name, Anon: v.Anon, File: v.File, Shmem: v.Shm, PageTables: v.Ptes, Adj: v.Adj}
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
	c.deathI = -1
	for i := range c.log.Server {
		e := &c.log.Server[i]
		if e.Kind != kernlog.Died || e.PID != v.PID || used[i] || !oomServer(v.Name) || !oomNear(v.At, e.At) {
			continue
		}
		c.death, c.deathI, used[i] = e, i, true
		o.Statement = e.Statement
		break
	}
	c.role(&o)
	c.kill.Victim = &o
}

// oomNear says whether two lines can be about the same kill: a postmaster sees the
// death of a child at once, but a host that swaps may take minutes. Where one of
// the clocks is not known the process id alone decides.
func oomNear(kernel, server kernlog.Stamp) bool {
	if kernel.Wall.IsZero() || server.Wall.IsZero() {
		return true
	}
	d := server.Wall.Sub(kernel.Wall)
	return d > -10*time.Minute && d < 10*time.Minute
}

const oomOther = "other program"

// role says what a process was in its instance.
func (c *oomCase) role(o *OOMTask) {
	if !oomServer(o.Name) {
		o.Role, o.RoleFrom = oomOther, "its name"
		return
	}
	for i := range c.log.Server {
		e := &c.log.Server[i]
		switch {
		case e.Kind == kernlog.Died && e.PID == o.PID:
			o.Role, o.RoleFrom = oomRole(e.Role), "the server's log"
			return
		case e.By == o.PID && o.PID > 0 && (e.Kind == kernlog.Started || e.Kind == kernlog.Died || e.Kind == kernlog.Reinit):
			o.Role, o.RoleFrom = "postmaster", "the server's log, which it wrote"
			return
		}
	}
	if s := c.facts.Snapshot; s != nil {
		for i := range s.Instances {
			in := &s.Instances[i]
			list, _ := in.Processes.Get()
			if j := slices.IndexFunc(list, func(p host.Process) bool { return p.PID == o.PID }); j >= 0 && list[j].Kind != "" {
				o.Role, o.RoleFrom, o.Instance = list[j].Kind, "the process that has this id now", in.Label()
				return
			}
		}
	}
	if pm := c.postmaster(o); pm {
		o.Role, o.RoleFrom = "postmaster", "it alone of its user's is protected (oom_score_adj), and has the lowest process id"
		return
	}
	// Only a backend gathers so much: the others have some MB of their own.
	if o.Anon != nil && *o.Anon >= 64*unit.MB {
		o.Role, o.RoleFrom = "backend or worker", "its private memory, of which the server's other processes have little"
	}
}

// postmaster says whether a process looks like the one that started the others.
func (c *oomCase) postmaster(o *OOMTask) bool {
	if o.Adj == nil || *o.Adj >= 0 || o.UID == nil {
		return false
	}
	n := 0
	for i := range c.report.Table.Tasks {
		t := &c.report.Table.Tasks[i]
		if !oomServer(t.Name) || t.UID != *o.UID || t.PID == o.PID {
			continue
		}
		n++
		if t.Adj <= *o.Adj || t.PID < o.PID {
			return false
		}
	}
	return n > 0
}

// oomRole is the role of a process that the postmaster names in a message
// of 13 to 18: «server process», «client backend», «checkpointer process».
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
	t := OOMTask{PID: a.PID, Name: a.Name}
	for i := range c.report.Table.Tasks {
		if r := &c.report.Table.Tasks[i]; a.PID > 0 && r.PID == a.PID {
			t = c.task(r)
		}
	}
	c.role(&t)
	c.kill.Invoker = &OOMInvoker{PID: a.PID, Name: a.Name, Role: t.Role}
	if a.Order >= 0 {
		c.kill.Invoker.Order = oomPtr(a.Order)
	}
}

// oomUnit is the unit of systemd that a control group belongs to, "" where none.
func oomUnit(group string) string {
	for p := group; p != "" && p != "/" && p != "."; p = path.Dir(p) {
		if b := path.Base(p); strings.HasSuffix(b, ".service") {
			return b
		}
	}
	return ""
}
