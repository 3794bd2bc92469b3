package collect

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/pgctl/distribution"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// Bounds of what is read of single processes.
const (
	// smallResident is the size up to which a process is not examined: a hundred of them are below the smallest step
	// that a plan rounds to.
	smallResident = int64(unit.MB)
	// mostResidents bounds the reads, two for each process: 4,096 take some 40 ms.
	mostResidents = 4096
)

// resident is an entry of residents.json: the processes of one cgroup.
type resident struct {
	Group string `json:"group"`
	// they bear a PostgreSQL server's name, and are of no instance of the evidence
	Servers bool     `json:"servers,omitempty"`
	Enabled *bool    `json:"enabled,omitempty"` // of a service: systemd starts it at boot
	High    *int64   `json:"high,omitempty"`    // bytes, memory.high; none: no limit, or not known
	Max     *int64   `json:"max,omitempty"`
	Anon    *int64   `json:"anon,omitempty"` // bytes, of memory.stat: what its processes share is in it once
	Members []member `json:"members"`
}

// member is one process.
type member struct {
	Start   int64 `json:"start"`   // hundredths of a second after the boot
	Private int64 `json:"private"` // bytes
}

// smallOnes are the processes that were not examined.
type smallOnes struct {
	Processes int   `json:"processes"`
	RSS       int64 `json:"rss"`
}

// residents writes residents.json: the private memory of every process that belongs to no instance of the evidence,
// with its start and its cgroup.
func (c *collector) residents(found []*instance) {
	if c.census.programs == nil || c.hidden() {
		reason := "the processes could not be listed"
		m := evidence.Missing{Name: host.ResidentsFile, State: known.Unread, Reason: reason}
		if c.hidden() {
			m.State, m.Reason, m.Reveal = known.Forbidden,
				"/proc is mounted with hidepid: processes of other users are hidden", asRoot
		}
		c.a.AddMissing(m)
		return
	}
	ours := map[int]bool{}
	for _, in := range found {
		for _, pid := range in.processes {
			ours[pid] = true
		}
	}
	list := slices.DeleteFunc(slices.Clone(c.census.all), func(p serverProc) bool { return ours[p.pid] })
	slices.SortFunc(list, func(a, b serverProc) int {
		return cmp.Or(cmp.Compare(b.pages, a.pages), cmp.Compare(a.pid, b.pid))
	})
	var small smallOnes
	type key struct {
		group   string
		servers bool
	}
	groups := map[key]*resident{}
	for i, p := range list {
		rss := p.pages * c.census.page
		if i >= mostResidents || rss < smallResident {
			small.Processes, small.RSS = small.Processes+1, small.RSS+rss
			continue
		}
		private := c.private(&program{pids: []int{p.pid}, RSS: rss})
		if private == nil {
			small.Processes, small.RSS = small.Processes+1, small.RSS+rss
			continue
		}
		if *private == 0 {
			continue
		}
		k := key{c.groupOf(p.pid), p.server}
		if groups[k] == nil {
			groups[k] = &resident{Group: k.group, Servers: k.servers}
		}
		groups[k].Members = append(groups[k].Members, member{p.start, *private})
	}
	out := []*resident{}
	enabled, told := c.startedUnits()
	for k, g := range groups {
		if name := path.Base(k.group); strings.HasSuffix(name, ".service") && told {
			on := enabled[name]
			g.Enabled = &on
		}
		if !g.Servers {
			c.groupMemory(g)
		}
		slices.SortFunc(g.Members, func(a, b member) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Private, b.Private))
		})
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *resident) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), cmp.Compare(len(a.Members), len(b.Members)))
	})
	c.json(host.ResidentsFile, map[string]any{"groups": out, "small": small})
}

// groupOf returns the cgroup of a process: of the unified hierarchy, else of systemd's own; "" if unknown.
func (c *collector) groupOf(pid int) string {
	b, err := c.t.ReadFile("proc/"+strconv.Itoa(pid)+"/cgroup", maxFile)
	if err != nil {
		return ""
	}
	group := ""
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) == 3 && (f[1] == "name=systemd" || f[1] == "" && (group == "" || group == "/")) {
			group = f[2]
		}
	}
	return group
}

// groupMemory adds the limits of a control group (version 2) and the anonymous
// memory that is charged to it.
func (c *collector) groupMemory(g *resident) {
	if g.Group == "" || g.Group == "/" || strings.Contains(g.Group, "..") {
		return
	}
	dir := path.Join("sys/fs/cgroup", g.Group)
	limit := func(name string) *int64 {
		b, err := c.t.ReadFile(dir+"/"+name, maxFile)
		n, bad := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64) // "max" is none
		if err != nil || bad != nil || n < 0 {
			return nil
		}
		return &n
	}
	g.High, g.Max = limit("memory.high"), limit("memory.max")
	b, err := c.t.ReadFile(dir+"/memory.stat", maxFile)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "anon "); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64); err == nil && n >= 0 {
				g.Anon = &n
			}
		}
	}
}

// generated are where generators put links, such as those for scripts of /etc/init.d.
var generated = []string{"/run/systemd/generator", "/run/systemd/generator.late"}

// startedUnits returns the names of the units that another one wants or requires; told is false if no directory could
// be listed.
func (c *collector) startedUnits() (names map[string]bool, told bool) {
	names = map[string]bool{}
	for _, dir := range slices.Concat(distribution.UnitPlaces, generated) {
		list, err := c.t.ReadDir(dir)
		if err != nil {
			continue
		}
		told = true
		for _, d := range list {
			if !strings.HasSuffix(d, ".wants") && !strings.HasSuffix(d, ".requires") {
				continue
			}
			units, _ := c.t.ReadDir(dir + "/" + d)
			for _, u := range units {
				names[u] = true
			}
		}
	}
	return names, told
}
