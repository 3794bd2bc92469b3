// Package cgroup makes cgroups of our own with a limit on memory, puts processes that we started into them, and takes
// them away again. It knows both versions of the kernel's interface, and never changes a group that it did not make.
package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host/cgroup"
)

// Group is a cgroup that we made.
type Group struct {
	Version int    `json:"version"` // 1 or 2: of the hierarchy that has the memory controller
	Dir     string `json:"dir"`     // its directory
}

// Place is the directory of a group below which one of ours could be made, with the groups above it, whose limits hold
// for it too.
type Place struct {
	Version int
	Dirs    []string // the place itself first, the root of the mount last
}

// Places returns the groups below which ours could be made, the nearest first:
// our own group and those above it. Below the nearest one every limit that
// holds for us holds for it.
func Places() ([]Place, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	members, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	return places(mounts, members)
}

func places(mountinfo, group []byte) ([]Place, error) {
	version, dirs, err := cgroup.Dirs("memory", mountinfo, group)
	if err != nil {
		return nil, err
	}
	for i := range dirs {
		dirs[i] = "/" + dirs[i]
	}
	var out []Place
	for i := range dirs {
		out = append(out, Place{version, dirs[i:]})
	}
	return out, nil
}

// Room returns how much memory the groups above leave: the least, over them, of the limit less what is used, where
// cached pages of files count as free. ok is false if none of them has a limit, or none could be read.
func (p Place) Room() (room unit.Bytes, ok bool) {
	f := files[p.Version]
	for _, dir := range p.Dirs {
		b, err := os.ReadFile(path.Join(dir, f.limit))
		if err != nil {
			continue // the root of version 2 has no such file
		}
		limit, err := cgroup.ParseLimit(b)
		if err != nil || limit == cgroup.NoLimit {
			continue
		}
		used, err := number(path.Join(dir, f.usage))
		if err != nil {
			continue
		}
		left := max(unit.Bytes(limit-used)+cached(path.Join(dir, "memory.stat"), f.cached), 0)
		if !ok || left < room {
			room, ok = left, true
		}
	}
	return room, ok
}

// cached sums the lines of a memory.stat that count cached pages of files.
func cached(name string, keys []string) unit.Bytes {
	b, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	sum := unit.Bytes(0)
	for line := range strings.Lines(string(b)) {
		for _, k := range keys {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), k+" "); ok {
				if n, err := strconv.ParseInt(v, 10, 64); err == nil && n > 0 {
					sum += unit.Bytes(n)
				}
			}
		}
	}
	return sum
}

// files are the names of a version's files.
var files = map[int]struct {
	limit, usage, kills string
	cached              []string
	swap                []setting // keep what is over the limit from going to swap
}{
	1: {
		limit: "memory.limit_in_bytes", usage: "memory.usage_in_bytes", kills: "memory.oom_control",
		cached: []string{"total_inactive_file", "total_active_file"},
		swap:   []setting{{"memory.swappiness", "0"}, {"memory.memsw.limit_in_bytes", ""}},
	},
	2: {
		limit: "memory.max", usage: "memory.current", kills: "memory.events",
		cached: []string{"inactive_file", "active_file"},
		swap:   []setting{{"memory.swap.max", "0"}},
	},
}

// setting is a file of a group and what is written to it; "" is the limit.
type setting struct{ file, value string }

// mkdir makes the directory of a group, which the kernel fills with files.
var mkdir = func(dir string) error { return os.Mkdir(dir, 0o755) }

// New makes a group with a limit on memory, and without swap, at the first of
// the places where that works. The error says which right is missing.
func New(at []Place, name string, limit unit.Bytes) (*Group, error) {
	var errs []error
	for _, p := range at {
		g := &Group{Version: p.Version, Dir: path.Join(p.Dirs[0], name)}
		if err := mkdir(g.Dir); err != nil {
			errs = append(errs, err)
			continue
		}
		err := g.limit(limit)
		if err == nil {
			return g, nil
		}
		errs = append(errs, err, os.Remove(g.Dir))
	}
	return nil, noGroup(errors.Join(errs...))
}

// Candidates returns where New would make the group, for callers that must record it first.
func Candidates(at []Place, name string) []Group {
	var out []Group
	for _, p := range at {
		out = append(out, Group{p.Version, path.Join(p.Dirs[0], name)})
	}
	return out
}

func noGroup(err error) error {
	p := &say.Problem{Message: say.M("no cgroup with a memory limit can be created here"),
		Code: say.CodeNoAccess}
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		p.Detail = say.Text(first)
	}
	switch {
	case errors.Is(err, syscall.EROFS):
		p.Hint = say.M("the cgroup hierarchy is mounted read-only, as in most containers: run it on the host, or " +
			"in a container with a writable /sys/fs/cgroup")
	case errors.Is(err, fs.ErrPermission):
		p.Hint = say.M("run it as root; with cgroup v2, a cgroup that is delegated to you is enough: systemd-run " +
			"--user --scope -p Delegate=yes COMMAND")
	case errors.Is(err, fs.ErrNotExist):
		p.Hint = say.M("the memory controller is not enabled for child cgroups: as root, write +memory to " +
			"cgroup.subtree_control of the root cgroup")
	default:
		p.Hint = say.M("a cgroup hierarchy with the memory controller must be mounted and writable; root usually has " +
			"one in /sys/fs/cgroup")
	}
	return p
}

// NoHierarchy is the problem of a host where Places fails.
func NoHierarchy(err error) error { return noGroup(err) }

// limit sets the limit, and reads back that it holds.
func (g *Group) limit(limit unit.Bytes) error {
	f := files[g.Version]
	text := strconv.FormatInt(int64(limit), 10)
	if err := g.write(f.limit, text); err != nil {
		return err
	}
	if got, err := number(path.Join(g.Dir, f.limit)); err != nil || got != int64(limit) {
		return say.Named(path.Join(g.Dir, f.limit), say.Err("holds {value} where {other} was written: {reason}",
			"value", strconv.FormatInt(got, 10), "other", strconv.FormatInt(int64(limit), 10),
			"reason", errors.Join(err, syscall.EINVAL)))
	}
	for _, s := range f.swap { // a kernel that does not account swap lacks some of them
		v := s.value
		if v == "" {
			v = text
		}
		if err := g.write(s.file, v); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if g.Version == 1 {
		// A new group has its parent's switch; where the killer is off, a process over the limit would sleep forever.
		b, err := os.ReadFile(path.Join(g.Dir, f.kills))
		if err != nil {
			return err
		}
		if strings.Contains(string(b), "oom_kill_disable 1") {
			return g.write(f.kills, "0")
		}
	}
	return nil
}

func (g *Group) write(file, value string) error {
	f, err := os.OpenFile(path.Join(g.Dir, file), os.O_WRONLY, 0) // never made: the kernel has it or has it not
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// Add moves a process into the group; its children will be born there.
func (g *Group) Add(pid int) error {
	if err := g.write("cgroup.procs", strconv.Itoa(pid)); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return noGroup(err)
		}
		return say.Err("cgroup: {reason}", "reason", err)
	}
	return nil
}

// Processes returns the processes in the group.
func (g *Group) Processes() ([]int, error) {
	b, err := os.ReadFile(path.Join(g.Dir, "cgroup.procs"))
	if err != nil {
		return nil, err
	}
	var out []int
	for _, w := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(w)
		if err != nil {
			return nil, say.Named(g.Dir+"/cgroup.procs", err)
		}
		if pid > 1 { // 0 is a process of another pid namespace, and none of ours
			out = append(out, pid)
		}
	}
	return out, nil
}

// Kills returns how many processes of the group the OOM killer has ended.
func (g *Group) Kills() (int64, error) {
	b, err := os.ReadFile(path.Join(g.Dir, files[g.Version].kills))
	if err != nil {
		return 0, err
	}
	n, err := cgroup.ParseOOMKills(b)
	if err != nil {
		return 0, say.Named(g.Dir, err)
	}
	return n, nil
}

// Used returns how much memory the group uses, without page cache, which is reclaimed on demand.
func (g *Group) Used() (unit.Bytes, error) {
	f := files[g.Version]
	n, err := number(path.Join(g.Dir, f.usage))
	if err != nil {
		return 0, err
	}
	return max(unit.Bytes(n)-cached(path.Join(g.Dir, "memory.stat"), f.cached), 0), nil
}

const (
	emptyTimeout = 10 * time.Second     // a killed process with much memory takes a second to go
	emptyPoll    = 5 * time.Millisecond // most are gone at the second look
)

// Remove ends by force what still runs in the group, and takes it away. A group that does not exist is no error.
func (g *Group) Remove() error {
	for end := time.Now().Add(emptyTimeout); ; time.Sleep(emptyPoll) {
		if err := g.killAll(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return say.Err("cgroup: {reason}", "reason", err)
		}
		err := syscall.Rmdir(g.Dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if !errors.Is(err, syscall.EBUSY) || time.Now().After(end) {
			return say.Err("cgroup: {reason}", "reason", &fs.PathError{Op: "rmdir", Path: g.Dir, Err: err})
		}
	}
}

// killAll sends SIGKILL to every process of the group. A handle is taken first and membership is checked again, so that
// a process ID that was reused in between is harmless.
func (g *Group) killAll() error {
	pids, err := g.Processes()
	if err != nil || len(pids) == 0 {
		return err
	}
	handles := map[int]*os.Process{}
	for _, pid := range pids {
		if p, err := os.FindProcess(pid); err == nil {
			handles[pid] = p
		}
	}
	again, err := g.Processes()
	if err != nil {
		return err
	}
	for _, pid := range again {
		if p := handles[pid]; p != nil {
			_ = p.Kill() // one that has just ended is what we want
		}
	}
	for _, p := range handles {
		_ = p.Release()
	}
	return nil
}

func number(name string) (int64, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	n, err := cgroup.ParseLimit(b)
	if err != nil {
		return 0, say.Named(name, err)
	}
	return n, nil
}
