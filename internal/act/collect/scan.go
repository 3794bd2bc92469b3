package collect

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// serverNames are the names under which a PostgreSQL server runs (comm).
// "postmaster" is that of old packages, "edb-postgres" of EDB's.
var serverNames = []string{"postgres", "postmaster", "edb-postgres"}

// serverProc is what one line of /proc/PID/stat tells of a process.
type serverProc struct {
	pid, parent int
	start       int64 // clock ticks after boot
	ticks       int64 // of processor time, its own and the kernel's on its behalf
	pages       int64 // resident
	server      bool  // it bears a server's name
}

// servers lists the processes that bear a server's name, in one pass over
// /proc that reads stat of every process, and notes the others for the census.
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
		p, ok := parseStat(pid, string(line))
		if !ok {
			continue
		}
		if name := commOf(line); slices.Contains(serverNames, string(name)) {
			p.server = true
			out[pid] = p
		} else {
			c.census.note(p, name)
		}
		c.census.all = append(c.census.all, p)
	}
	return out
}

// commOf returns the name in a line of /proc/PID/stat. It stands in
// parentheses, and may itself hold some.
func commOf(line []byte) []byte {
	from, to := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if from < 0 || to <= from {
		return nil
	}
	return line[from+1 : to]
}

// stat reads proc/PID/stat. A process that has ended and only waits for its
// parent (Z), or ended meanwhile, is not there.
func (c *collector) stat(pid int) (serverProc, bool) {
	b, err := c.t.ReadFile("proc/"+strconv.Itoa(pid)+"/stat", maxFile)
	if err != nil {
		return serverProc{}, false
	}
	return parseStat(pid, string(b))
}

func parseStat(pid int, line string) (serverProc, bool) {
	// the name in parentheses may itself hold spaces and parentheses
	i := strings.LastIndexByte(line, ')')
	if i < 0 {
		return serverProc{}, false
	}
	f := strings.Fields(line[i+1:]) // f[0] is field 3 of proc(5)
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return serverProc{}, false
	}
	parent, err := strconv.Atoi(f[1])
	start, err2 := strconv.ParseInt(f[19], 10, 64)
	p := serverProc{pid: pid, parent: parent, start: start}
	if len(f) > 21 { // what the census alone wants: where it is odd, the process is none of its
		user, err1 := strconv.ParseInt(f[11], 10, 64)
		system, err2 := strconv.ParseInt(f[12], 10, 64)
		pages, err3 := strconv.ParseInt(f[21], 10, 64)
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

// nested says whether a process lives in a mount namespace of its own, that
// is, whether its paths are not ours. Where the namespace may not be read, a
// process with a second id, inside a process namespace, is taken for one.
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
