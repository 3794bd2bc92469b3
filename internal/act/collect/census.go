package collect

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// Processes reads the files of processes of a server by themselves, for who
// only takes their census.
func Processes(t target.Target, pids []int) *evidence.Archive {
	c := newCollector(t, Request{})
	for _, pid := range pids {
		c.oneProcess(pid)
	}
	return c.a
}

// rollups reads the proportional set sizes of the instance's processes.
func (c *collector) rollups(in *instance) {
	if !c.req.PSS {
		return
	}
	c.say("adding up what the processes of port %d share", in.port)
	for _, pid := range in.processes {
		name := host.PSSFile(pid)
		b, err := c.t.ReadFile(name, maxFile)
		switch {
		case err == nil && len(b) > 0:
			c.add(name, b)
		case err == nil || gone(err): // it ended meanwhile
			if err != nil {
				c.a.AddMissing(evidence.Missing{Name: name, State: known.Unread,
					Reason: "the process ended, or this kernel has no such file"})
				continue
			}
			c.a.AddMissing(evidence.Missing{Name: name, State: known.Unread,
				Reason: "the process has no memory any more"})
		default:
			c.miss(name, err, asOwner)
		}
	}
}

// candidate is a process as the OOM killer ranks it.
type candidate struct {
	pid, score int
	resident   int64 // pages
}

// killable finds the processes of the whole host that the OOM killer would look at first, by the kernel's own score,
// which takes two short files of each process; threads of the kernel have no memory and are skipped.
func (c *collector) killable() {
	if !c.req.Killable {
		return
	}
	names, err := c.t.ReadDir("proc")
	if err != nil {
		c.miss(host.KillableFile, err, asRoot)
		return
	}
	self, _ := c.t.Readlink("proc/self") // ends before it could be chosen
	var all []candidate
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil || pid <= 0 || strconv.Itoa(pid) != n || n == self {
			continue
		}
		b, err := c.t.ReadFile("proc/"+n+"/statm", maxFile)
		f := bytes.Fields(b)
		if err != nil || len(f) < 2 {
			continue
		}
		resident, err := strconv.ParseInt(string(f[1]), 10, 64)
		if err != nil || resident <= 0 {
			continue
		}
		b, err = c.t.ReadFile("proc/"+n+"/oom_score", maxFile)
		if err != nil {
			continue
		}
		score, err := host.ParseOOM(b)
		if err != nil {
			continue
		}
		all = append(all, candidate{pid, score, resident})
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.resident, a.resident), cmp.Compare(a.pid, b.pid))
	})
	list := struct {
		Seen      int   `json:"seen"`
		Processes []int `json:"processes"`
	}{Seen: len(all), Processes: []int{}}
	for _, p := range all[:min(len(all), host.MaxKillable)] {
		list.Processes = append(list.Processes, p.pid)
		for _, name := range host.KillableFiles(p.pid) {
			if _, err := c.a.ReadFile(name); err == nil {
				continue // a process of an instance
			}
			if b, err := c.t.ReadFile(name, maxFile); err == nil {
				c.add(name, b)
			} else if !gone(err) {
				c.miss(name, err, asRoot)
			}
		}
	}
	c.json(host.KillableFile, list)
}
