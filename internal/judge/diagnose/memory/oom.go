package memory

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// OOM is the process that the OOM killer would choose if memory ran out now: on the host, or within a cgroup that has a
// limit.
type OOM struct {
	Scope string `json:"scope"`           // host or cgroup
	Group string `json:"group,omitempty"` // the group's path
	// what the choice is about: memory and swap of the host, or the limit
	Total   unit.Bytes      `json:"total_bytes"`
	Looked  int             `json:"looked_at"` // processes that were compared
	Next    []Victim        `json:"next"`      // the first five, in the order of the kernel
	Spared  int             `json:"spared"`    // of those examined: with oom_score_adj -1000
	Why     say.Message     `json:"why,omitzero"`
	Outcome say.Message     `json:"outcome,omitzero"` // what its death would mean
	Notes   []say.Message   `json:"notes"`
	order   []memoryContest // all of them
}

// Victim is a process as the OOM killer ranks it.
type Victim struct {
	PID        int        `json:"pid"`
	Name       string     `json:"name"`
	Instance   string     `json:"instance,omitempty"` // whose process it is
	Kind       string     `json:"kind,omitempty"`
	Database   string     `json:"database,omitempty"`
	Role       string     `json:"role,omitempty"`
	State      string     `json:"state,omitempty"`
	Points     unit.Bytes `json:"points_bytes"` // the sum of the next four
	RSS        unit.Bytes `json:"rss_bytes"`
	Shared     unit.Bytes `json:"shared_bytes"` // of the RSS: shared memory that its death does not free
	PageTables unit.Bytes `json:"page_tables_bytes"`
	Swap       unit.Bytes `json:"swap_bytes"`
	Adjustment unit.Bytes `json:"adjustment_bytes"` // oom_score_adj as bytes
	Adj        int        `json:"oom_score_adj"`
	Score      *int       `json:"oom_score,omitempty"` // the kernel's own, for comparison on this host only
}

// memoryContest is a process with its points.
type memoryContest struct {
	p      host.Process
	adj    int
	points unit.Bytes
}

// memoryVictims is how many are shown.
const memoryVictims = 5

// oom judges the cgroups that limit an instance, and the host.
func (r *Report) oom(s *snapshot.Snapshot, m host.Memory, names naming) {
	seen := map[string]bool{}
	for i := range s.Instances {
		in := &s.Instances[i]
		limit, limited := s.MemoryLimit(in)
		total, ok := limit.Get()
		group := memory.LimitGroup(in)
		if !limited || !ok || seen[group] {
			continue
		}
		seen[group] = true
		var ps []host.Process
		for j := range s.Instances {
			if _, also := s.MemoryLimit(&s.Instances[j]); also && memory.LimitGroup(&s.Instances[j]) == group {
				list, _ := s.Instances[j].Processes.Get()
				ps = append(ps, list...)
			}
		}
		o := r.contest(s, ps, total, names)
		o.Scope, o.Group = "control group", group
		o.Notes = append(o.Notes, say.M("The cgroup can run out of memory while the host has free memory. Other "+
			"programs in the cgroup were not compared."))
		r.OOM = append(r.OOM, o)
	}
	var ps []host.Process
	have := map[int]bool{}
	for i := range s.Instances {
		list, _ := s.Instances[i].Processes.Get()
		for _, p := range list {
			have[p.PID] = true
			ps = append(ps, p)
		}
	}
	looked := len(ps)
	k, all := s.Host.Killable.Get()
	if all {
		looked = max(k.Seen, looked)
		for _, p := range k.Processes {
			if !have[p.PID] && p.PID != 1 { // process 1 is never chosen
				ps = append(ps, p)
			}
		}
	} else {
		r.miss(s.Host.Killable.Gap())
	}
	if len(ps) == 0 {
		return
	}
	o := r.contest(s, ps, m.Total+m.SwapTotal, names)
	o.Scope, o.Looked = "host", looked
	if !all {
		o.Notes = append(o.Notes, say.M("Only processes of the instances were compared."))
	}
	if v, ok := s.Host.Sysctls.Int("vm.panic_on_oom").Get(); ok && v != 0 {
		o.Notes = append(o.Notes, say.M("vm.panic_on_oom = {value}: the kernel panics instead of choosing a process.",
			"value", v))
	}
	if v, ok := s.Host.Sysctls.Int("vm.oom_kill_allocating_task").Get(); ok && v != 0 {
		o.Notes = append(o.Notes, say.M("vm.oom_kill_allocating_task = {value}: the kernel kills the process that "+
			"asks for memory, without a comparison.", "value", v))
	}
	if v, ok := s.Host.Sysctls.Int("vm.overcommit_memory").Get(); ok && v == 2 {
		o.Notes = append(o.Notes, say.M("vm.overcommit_memory = 2: programs get an error before memory runs out, "+
			"unless page tables, kernel memory or a commit limit that is too high use it up."))
	}
	r.OOM = append(r.OOM, o)
}

// contest ranks processes as the kernel does.
func (r *Report) contest(s *snapshot.Snapshot, ps []host.Process, total unit.Bytes, names naming) OOM {
	o := OOM{Total: total, Looked: len(ps), Next: []Victim{}, Notes: []say.Message{}}
	page := memory.BasePage(s)
	hidden := 0
	for _, p := range ps {
		adj, ok := p.OOMScoreAdj.Get()
		switch {
		case !ok:
			hidden++
		case adj == memory.OOMNever:
			o.Spared++
		default:
			o.order = append(o.order, memoryContest{p, adj, memory.OOMPoints(p, adj, total, page)})
		}
	}
	if hidden > 0 {
		r.Unknown = gap.Add(r.Unknown, gap.Gap{Fact: say.Text("oom_score_adj"),
			Reason: say.N(hidden, "not readable for {n} of {all} processes, which is not compared",
				"not readable for {n} of {all} processes, which are not compared", "all", len(ps))})
	}
	slices.SortFunc(o.order, func(a, b memoryContest) int {
		return cmp.Or(cmp.Compare(b.points, a.points), cmp.Compare(a.p.PID, b.p.PID))
	})
	for _, c := range o.order[:min(len(o.order), memoryVictims)] {
		v := Victim{PID: c.p.PID, Name: c.p.Name, Kind: c.p.Kind, Points: c.points, RSS: c.p.RSS, Shared: c.p.Shmem,
			PageTables: c.p.PageTables, Swap: c.p.Swap,
			Adj: c.adj, Adjustment: memory.OOMAdjustment(c.adj, total, page)}
		if n := names[c.p.PID]; n != nil {
			v.Kind, v.Database, v.Role, v.State = n.Kind, n.Database, n.Role, n.State
			v.Instance = instanceOf(r.Instances, c.p.PID)
		}
		if score, ok := c.p.OOMScore.Get(); ok {
			v.Score = &score
		}
		o.Next = append(o.Next, v)
	}
	if len(o.Next) > 0 {
		o.Why, o.Outcome = memoryWhy(&o), r.outcome(&o.Next[0])
	}
	return o
}

func instanceOf(list []Instance, pid int) string {
	for i := range list {
		if slices.ContainsFunc(list[i].Processes, func(p Process) bool { return p.PID == pid }) {
			return list[i].Label
		}
	}
	return ""
}

// memoryWhy says what put the first one before the others.
func memoryWhy(o *OOM) say.Message {
	v := &o.Next[0]
	adj := strconv.Itoa(v.Adj)
	text := say.M("It ranks first with {total}: {rss} resident, {tables} of page tables and {swap} in swap.", "total",
		v.Points, "rss", v.RSS, "tables", v.PageTables, "swap", v.Swap)
	if v.Adj != 0 {
		text = say.M("It ranks first with {total}: {rss} resident, {tables} of page tables, {swap} in swap, and "+
			"{adjustment} for oom_score_adj = {adj}.", "total", v.Points, "rss", v.RSS, "tables", v.PageTables, "swap",
			v.Swap, "adjustment", v.Adjustment, "adj", adj)
	}
	var shared, next say.Message
	if v.Shared > 0 {
		shared = say.M("Of the resident memory, {size} is shared memory: it counts in full for each process that has "+
			"touched it, and the kill does not free it.", "size", v.Shared)
	}
	if len(o.Next) > 1 {
		switch ahead := v.Points - o.Next[1].Points; {
		case ahead == 0:
			next = say.M("The next process has the same total, so the choice can change at any moment.")
		case ahead < o.Total/100:
			next = say.M("The next process is only {size} behind, so the choice can change at any moment.", "size",
				ahead)
		}
	}
	return say.All(" ", text, shared, next)
}

// outcome says what the death of a process means.
func (r *Report) outcome(v *Victim) say.Message {
	switch {
	case v.Instance == "":
		return say.M("It does not belong to an instance, so no server is restarted by its death.")
	case v.Kind == host.KindPostmaster:
		return say.M("The whole instance stops, until systemd, a cluster manager or an administrator starts it " +
			"again. Protect the postmaster with OOMScoreAdjust=-900 in its unit; PG_OOM_ADJUST_FILE gives its " +
			"child processes the normal value again.")
	case r.apart(v):
		return say.M("The server starts this process again; its sessions continue.")
	}
	return say.M("The server terminates all sessions and runs crash recovery (restart_after_crash = on, the " +
		"default), because the killed process may have damaged the shared memory.")
}

// apart reports whether a process of a server does not use its shared memory: others go on when it dies.
func (r *Report) apart(v *Victim) bool {
	switch v.Kind {
	case "logger", "stats collector":
		return true
	case "archiver": // uses it from 14 on
		return slices.ContainsFunc(r.Instances, func(in Instance) bool {
			return in.Label == v.Instance && strings.HasPrefix(in.Version, "13.")
		})
	}
	return false
}
