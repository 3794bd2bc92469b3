package collect

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// serverProc is what one line of /proc/PID/stat says about a process.
type serverProc struct {
	pid, parent int
	start       int64 // clock ticks after boot
	ticks       int64 // of CPU time, its own and the kernel's on its behalf
	pages       int64 // resident
	server      bool  // it bears a server's name
}

// servers lists the processes that bear a server's name, in one skip /proc that reads stat of every process, and notes
// the others for the census.
func (c *collector) servers() map[int]serverProc {
	names, err := c.t.ReadDir("proc")
	if err != nil {
		c.miss("proc", err, asRoot)
		return nil
	}
	out := map[int]serverProc{}
	c.census = census{programs: map[string]*program{}, page: int64(c.t.PageSize())}
	for _, n := range names {
		if n[0] < '1' || n[0] > '9' {
			continue
		}
		pid, err := strconv.Atoi(n)
		if err != nil {
			continue
		}
		line, err := c.t.ReadFile("proc/"+n+"/stat", maxFile)
		if err != nil {
			continue
		}
		p, ok := parseStat(pid, line)
		if !ok {
			continue
		}
		if name := commOf(line); host.IsServerName(string(name)) {
			p.server = true
			out[pid] = p
		} else {
			c.census.note(p, name)
		}
		c.census.all = append(c.census.all, p)
	}
	return out
}

// commOf returns the name in a line of /proc/PID/stat.
func commOf(line []byte) []byte {
	l, err := host.ParseStatLine(line)
	if err != nil {
		return nil
	}
	return []byte(l.Name)
}

// stat reads proc/PID/stat. A process that has ended and only waits for its parent (Z), or ended meanwhile, does not
// exist.
func (c *collector) stat(pid int) (serverProc, bool) {
	b, err := c.t.ReadFile("proc/"+strconv.Itoa(pid)+"/stat", maxFile)
	if err != nil {
		return serverProc{}, false
	}
	return parseStat(pid, b)
}

func parseStat(pid int, line []byte) (serverProc, bool) {
	l, err := host.ParseStatLine(line)
	if err != nil || l.Len() < host.StatStart || l.Ended() {
		return serverProc{}, false
	}
	parent, err := strconv.Atoi(l.Field(host.StatParent))
	start, err2 := l.Number(host.StatStart)
	p := serverProc{pid: pid, parent: parent, start: start}
	if l.Len() >= host.StatResidentPages { // what the census alone wants: where it is odd, the process is none of its
		user, err1 := l.Number(host.StatUserTicks)
		system, err2 := l.Number(host.StatSystemTicks)
		pages, err3 := l.Number(host.StatResidentPages)
		if err1 == nil && err2 == nil && err3 == nil && user >= 0 && system >= 0 && pages < 1<<40 {
			p.ticks, p.pages = user+system, pages
		}
	}
	return p, err == nil && err2 == nil
}

// arguments returns the command line of a process.
func (c *collector) arguments(pid int) []string {
	b, err := c.t.ReadFile("proc/"+strconv.Itoa(pid)+"/cmdline", maxFile)
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
}

// nested reports whether a process lives in another mount namespace, that is, whether its paths differ from ours. If
// the namespace may not be read, a process with a second id, inside a process namespace, is taken for one.
func (c *collector) nested(pid int) bool {
	p := "proc/" + strconv.Itoa(pid)
	ours, err := c.t.Readlink("proc/self/ns/mnt")
	if err == nil {
		theirs, err := c.t.Readlink(p + "/ns/mnt")
		if err == nil {
			return ours != theirs
		}
		if !errors.Is(err, fs.ErrPermission) {
			return false
		}
	}
	return len(c.innerPIDs(pid)) > 1
}

// innerPIDs returns the ids of a process in each process namespace that it is
// in, ours first (NSpid of proc/PID/status).
func (c *collector) innerPIDs(pid int) []string {
	b, err := c.t.ReadFile("proc/"+strconv.Itoa(pid)+"/status", maxFile)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "NSpid:"); ok {
			return strings.Fields(rest)
		}
	}
	return nil
}

// Family lists the processes of a server, its postmaster first, in one skip the processes of the host; nil if that one
// does not run.
func Family(t target.Target, postmaster int) []int {
	procs := newCollector(t, Request{}).servers()
	if _, runs := procs[postmaster]; !runs {
		return nil
	}
	out := []int{postmaster}
	for _, pid := range slices.Sorted(maps.Keys(procs)) {
		if procs[pid].parent == postmaster {
			out = append(out, pid)
		}
	}
	return out
}

// latecomers reads the processes of an instance that are there since it was found. Where no connection came to be they
// are what can be seen of it: the backend of ours is one of them, and its title reports whether it waits for a lock.
func (c *collector) latecomers(in *instance) {
	procs := c.servers()
	for _, pid := range slices.Sorted(maps.Keys(procs)) {
		if procs[pid].parent == in.pid && !slices.Contains(in.processes, pid) && c.oneProcess(pid) {
			in.processes = append(in.processes, pid)
		}
	}
}
