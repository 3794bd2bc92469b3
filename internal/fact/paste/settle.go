package paste

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// settle decides which parts speak of one host, and of those which speak for it: what
// contradicts is told, and one value is used, never a mixture.
func (r *Read) settle(host string) {
	r.sameUnit()
	r.chooseHost(host)
	r.compare()
	r.chooseSources()
}

// sameUnit gives a free whose command is not there the unit of another one, which has the same total in millions of
// bytes: MB was assumed of it.
func (r *Read) sameUnit() {
	const mega = 1_000_000
	total := func(p *Part) int64 {
		f, _ := p.Fact("memory.total", "")
		n, _ := f.Value.(int64)
		return n
	}
	for i := range r.Parts {
		p := &r.Parts[i]
		n := total(p)
		if p.Kind != part.Free || len(p.Notes) != 1 || n == 0 || n%amount.MB != 0 {
			continue
		}
		if !slices.ContainsFunc(r.Parts, func(q Part) bool {
			return q.Kind == part.Free && len(q.Notes) == 0 && total(&q) == n/amount.MB*mega
		}) {
			continue
		}
		p.Notes = nil
		for k := range p.Facts {
			if v, ok := p.Facts[k].Value.(int64); ok {
				p.Facts[k].Value, p.Facts[k].Step = v/amount.MB*mega, min(p.Facts[k].Step, mega)
			}
		}
	}
}

// sameHost says whether two names are of one host: db1 and db1.example.com are. localhost
// is a name of every host.
func sameHost(a, b string) bool {
	a, _, _ = strings.Cut(strings.ToLower(a), ".")
	b, _, _ = strings.Cut(strings.ToLower(b), ".")
	return a == b || a == "localhost" || b == "localhost"
}

// chooseHost marks the parts of one host. "" is the one that has the most parts.
func (r *Read) chooseHost(name string) {
	counts := map[string]int{}
	best := ""
	for _, p := range r.Parts {
		if p.Host == "" {
			continue
		}
		short, _, _ := strings.Cut(strings.ToLower(p.Host), ".")
		counts[short]++
		if _, ok := counts[best]; !ok || counts[short] > counts[best] {
			best = short
		}
	}
	if name != "" {
		best, _, _ = strings.Cut(strings.ToLower(name), ".")
	}
	r.Host = ""
	for _, h := range r.Hosts {
		if short, _, _ := strings.Cut(strings.ToLower(h), "."); short == best && r.Host == "" {
			r.Host = h
		}
	}
	for i := range r.Parts {
		p := &r.Parts[i]
		p.Used, p.Unused = true, ""
		if p.Host != "" && !sameHost(p.Host, best) {
			p.Used, p.Unused = false, "it is of another host"
		} else if p.planned {
			p.Used, p.Unused = false, "it is not known to be in effect"
		}
	}
}

// lasting facts do not change while a host runs as it is: two values are of two hosts or of
// two moments.
var lastingFacts = map[string]bool{"memory.total": true, "swap.total": true, "cpu.logical": true, "cpu.sockets": true,
	"numa.nodes": true, "kernel.release": true, "server.version": true, "server.major": true, "space.total": true,
	"setting":         true,
	"huge_pages.size": true, "os.name": true, "sysctl": true, "thp.enabled": true, "mount.type": true,
	"page.size":           true,
	"cgroup.memory_limit": true}

// machine are those whose difference makes all of a part be of another host or moment.
var machineFacts = []string{"memory.total", "cpu.logical", "numa.nodes", "kernel.release", "os.name", "space.total"}

// sourceOf is how near to the server a setting was read: the server's own answer, the
// control file, a file. A table that is only known by its form may be of a page.
func sourceOf(p *Part) int {
	switch p.Kind {
	case part.PgSettings:
		if p.Sure == part.Certain {
			return 3
		}
	case part.ShowAll, part.Show, part.Version:
		return 3
	case part.PgControldata:
		return 2
	}
	return 1
}

// ofPrimary reports whether the settings of a part are those of a primary: the control file of a standby keeps them.
func ofPrimary(p *Part) bool {
	state, _ := p.Fact("control.state", "")
	return p.Kind == part.PgControldata && (state.Value == "in archive recovery" ||
		state.Value == "shut down in recovery")
}

const mostConflicts = 1000

// compare tells what two parts say differently.
func (r *Read) compare() {
	type place struct{ part, fact int }
	first := map[[2]string]place{}
	for i := range r.Parts {
		p := &r.Parts[i]
		if !p.Used {
			continue
		}
		seen := map[[2]string]bool{} // within a part the last value counts
		var later [][2]string
		for k := range p.Facts {
			f := &p.Facts[k]
			key := [2]string{f.Name, f.Of}
			if !lastingFacts[f.Name] || p.Kind == part.SysctlSet || p.Kind == part.AlterSystem || seen[key] ||
				f.Name == "setting" && (p.Kind == part.Stated || ofPrimary(p)) ||
				f.Name == "sysctl" && p.Kind == part.Tuned {
				continue
			}
			seen[key] = true
			at, ok := first[key]
			if !ok {
				first[key] = place{i, k}
				continue
			}
			other := &r.Parts[at.part]
			if agree(other.Facts[at.fact], *f) {
				if other.Facts[at.fact].Rounded && !f.Rounded {
					first[key] = place{i, k}
				}
				continue
			}
			if len(r.Conflicts) < mostConflicts {
				r.Conflicts = append(r.Conflicts, conflictOf(r, at.part, i, &other.Facts[at.fact], f))
			}
			c := &r.Conflicts[len(r.Conflicts)-1]
			if c.Kept == i {
				first[key] = place{i, k}
			}
			if r.oneSession(other, p, f.Name) {
				if c.Kept == i && other.Kind == p.Kind {
					other.Used, other.Unused = false, "a later part shows the same host after a change"
					if p.Host == "" {
						other.Unused = elsewhere(f.Name)
					}
				}
				continue
			}
			later = append(later, key)
		}
		for _, key := range later {
			if slices.Contains(machineFacts, key[0]) && sourceOf(p) == 1 {
				p.Used = false
				p.Unused = elsewhere(key[0])
				for f, at := range first { // what it said first is not used either
					if at.part == i {
						delete(first, f)
					}
				}
				break
			}
		}
	}
}

// elsewhere is why a part is not used that another one contradicts.
func elsewhere(fact string) string {
	return "another part has a different value of " + fact + ": it is of another host, or of another time"
}

// grows are facts that a person changes in a session: of prompts without a host, the others tell two hosts apart.
var grows = map[string]bool{"space.total": true, "swap.total": true}

// oneSession says whether two parts are answers to commands that were typed on one host, the first before the second.
func (r *Read) oneSession(a, b *Part, fact string) bool {
	return a.typed && b.typed && a.File == b.File && a.Host == b.Host && a.First < b.First &&
		(a.Host != "" || len(r.Hosts) == 0 && grows[fact])
}

func conflictOf(r *Read, a, b int, x, y *part.Fact) Conflict {
	c := Conflict{Fact: x.Name, Of: x.Of, Parts: [2]int{a, b}, Values: [2]any{x.Value, y.Value}, Unit: x.Unit, Kept: a,
		Why: "they are of different hosts, or of different times"}
	sa, sb := sourceOf(&r.Parts[a]), sourceOf(&r.Parts[b])
	switch {
	case r.oneSession(&r.Parts[a], &r.Parts[b], x.Name) && sa == sb:
		c.Kept = b
		c.Why = "it was changed in between; the later one is used"
		if r.Parts[a].Host == "" {
			c.Why = "it was changed in between, or they are of different servers; the later one is used"
		}
	case x.Name == "setting" && sa != sb:
		c.Why = "the file may not be in effect; the value that the server shows is used"
		if sb > sa {
			c.Kept = b
		}
	case x.Name == "setting" || x.Name == "sysctl" || x.Name == "thp.enabled":
		c.Kept = b
		c.Why = "it was changed in between, or they are of different servers; the later one is used"
		if host := r.Parts[a].Host; host != "" && host == r.Parts[b].Host && x.Name != "setting" {
			c.Why = "it was changed in between; the later one is used"
		}
	}
	return c
}

// agree says whether two facts can be the same value, each as exact as it was printed.
func agree(a, b part.Fact) bool {
	x, ok1 := a.Number()
	y, ok2 := b.Number()
	if ok1 && ok2 {
		off := a.Step + b.Step
		return math.Abs(x-y) <= off+1e-9*math.Max(math.Abs(x), math.Abs(y))
	}
	s, t := fmt.Sprint(a.Value), fmt.Sprint(b.Value)
	if a.Name == "server.version" || a.Name == "server.major" || a.Name == "os.name" { // one may say less
		return strings.HasPrefix(s, t) || strings.HasPrefix(t, s)
	}
	return s == t
}

// memoryRank orders the parts that the state of the memory may be taken from: all of it is
// from one part, as two are of two moments.
func memoryRank(p *Part) int {
	total, ok := p.Fact("memory.total", "")
	if !ok {
		return 0
	}
	switch {
	case p.Kind == part.Meminfo && len(p.Facts) > 1:
		return 9
	case p.Kind == part.Free && !total.Rounded:
		return 8
	case p.Kind == part.VmstatSums:
		return 7
	case p.Kind == part.Top && !total.Rounded:
		return 6
	case p.Kind == part.Meminfo:
		return 5
	case p.Kind == part.Free && total.Step <= amount.MB:
		return 4
	case p.Kind == part.Top:
		return 3
	case p.Kind == part.Free:
		return 2
	case p.Kind == part.Numactl:
		return 1
	}
	return 0
}

func cpuRank(p *Part) int {
	if _, ok := p.Fact("cpu.logical", ""); !ok {
		return 0
	}
	switch p.Kind {
	case part.CPUInfo:
		return 4
	case part.Lscpu:
		return 3
	case part.Answer:
		return 2
	}
	return 1
}

// best returns the place of the used part of the highest rank, the first of several; -1: none.
func (r *Read) best(rank func(*Part) int) int {
	at, most := -1, 0
	for i := range r.Parts {
		if p := &r.Parts[i]; p.Used && rank(p) > most {
			at, most = i, rank(p)
		}
	}
	return at
}

// inEvidence are the kinds of which an evidence has an entry.
var inEvidence = map[part.Kind]bool{part.Meminfo: true, part.Free: true, part.VmstatSums: true, part.Top: true,
	part.Swaps: true, part.Lscpu: true, part.CPUInfo: true,
	part.Numactl: true, part.Df: true, part.Mount: true, part.Findmnt: true, part.Mounts: true, part.Mountinfo: true,
	part.Fstab: true, part.Uname: true, part.OSRelease: true,
	part.Sysctl: true, part.SysctlConf: true, part.THP: true, part.Cmdline: true, part.Tuned: true,
	part.SystemctlStatus: true, part.Cgroup: true, part.Ps: true, part.ShowAll: true,
	part.PgSettings: true, part.Show: true, part.Version: true, part.PostgresConf: true, part.PgControldata: true,
	part.KernelLog: true, part.ServerLog: true, part.Answer: true, part.Tuner: true, part.PgCtl: true}

// newNodes says whether a part tells of a NUMA node that no part before it has told of, and
// notes those that it tells of.
func newNodes(p *Part, seen map[string]bool) bool {
	isNew := false
	for _, f := range p.Facts {
		if f.Name == "numa.node.total" && !seen[f.Of] {
			isNew, seen[f.Of] = true, true
		}
	}
	return isNew
}

// chooseSources marks what the evidence takes nothing of.
func (r *Read) chooseSources() {
	memory, cpu := r.best(memoryRank), r.best(cpuRank)
	nodes := map[string]bool{} // that a part has told of
	for i := range r.Parts {
		p := &r.Parts[i]
		if !p.Used {
			continue
		}
		switch {
		case p.Kind == part.SysctlSet || p.Kind == part.AlterSystem:
			p.Used, p.Unused = false, "it is not known to be in effect"
		case !inEvidence[p.Kind]:
			p.Used, p.Unused = false, "check and plan need nothing from it"
		case p.Kind == part.Numactl:
			if !newNodes(p, nodes) {
				p.Used, p.Unused = false, "the NUMA nodes are taken from another part"
			}
		case p.Kind == part.Meminfo || p.Kind == part.Free || p.Kind == part.VmstatSums || p.Kind == part.Top:
			if i != memory {
				p.Used, p.Unused = false, "the state of the memory is taken from another part"
				if memory < 0 {
					p.Unused = "it does not show the total memory"
				}
			}
		case p.Kind == part.CPUInfo || p.Kind == part.Lscpu:
			if i != cpu {
				p.Used, p.Unused = false, "the CPUs are taken from another part"
				if cpu < 0 {
					p.Unused = "it does not show how many CPUs there are"
				}
			}
		}
	}
}
