package memory

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// OOM is whom the OOM killer would choose where memory ended now: on the
// host, or within a control group that has a limit.
type OOM struct {
	Scope string `json:"scope"`           // host or control group
	Group string `json:"group,omitempty"` // the group's path
	// what the choice is about: memory and swap of the host, or the limit
	Total   unit.Bytes      `json:"total_bytes"`
	Looked  int             `json:"looked_at"` // processes that were compared
	Next    []Victim        `json:"next"`      // the first five, in the order of the kernel
	Spared  int             `json:"spared"`    // of those looked at: with oom_score_adj -1000
	Why     string          `json:"why,omitempty"`
	Outcome string          `json:"outcome,omitempty"` // what its death would mean
	Notes   []string        `json:"notes"`
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

// oom judges the control groups that limit an instance, and the host.
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
		o.Notes = append(o.Notes,
			"the limit is met before the memory of the host ends; other programs in the group were not looked at")
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
		o.Notes = append(o.Notes, "only the processes of the instances were compared")
	}
	if v, ok := s.Host.Sysctls.Int("vm.panic_on_oom").Get(); ok && v != 0 {
		o.Notes = append(o.Notes,
			fmt.Sprintf("vm.panic_on_oom is %d: the kernel stops the whole host instead of choosing", v))
	}
	if v, ok := s.Host.Sysctls.Int("vm.oom_kill_allocating_task").Get(); ok && v != 0 {
		o.Notes = append(o.Notes,
			"vm.oom_kill_allocating_task is set: the kernel kills whoever asks for memory, and compares nothing")
	}
	if v, ok := s.Host.Sysctls.Int("vm.overcommit_memory").Get(); ok && v == 2 {
		o.Notes = append(o.Notes,
			"vm.overcommit_memory is 2: programs are refused memory first, and the killer is met only where page "+
				"tables, the kernel or a limit that is too high use it up")
	}
	r.OOM = append(r.OOM, o)
}

// contest ranks processes as the kernel does.
func (r *Report) contest(s *snapshot.Snapshot, ps []host.Process, total unit.Bytes, names naming) OOM {
	o := OOM{Total: total, Looked: len(ps), Next: []Victim{}, Notes: []string{}}
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
		r.miss(known.Gap{Fact: "oom_score_adj",
			Reason: fmt.Sprintf("it could not be read of %d of %d processes: these are not compared", hidden, len(ps))})
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
		o.Why, o.Outcome = memoryWhy(&o), memoryOutcome(&o.Next[0])
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
func memoryWhy(o *OOM) string {
	v := &o.Next[0]
	text := fmt.Sprintf("It has the most points: %s resident", v.RSS)
	if v.Shared > 0 {
		text += fmt.Sprintf(
			" (%s of it shared memory, which counts in full in each process that touched it, and which its death "+
				"does not free)", v.Shared)
	}
	text += fmt.Sprintf(", %s of page tables, %s in swap", v.PageTables, v.Swap)
	if v.Adj != 0 {
		text += fmt.Sprintf(", and %s for its oom_score_adj of %d", v.Adjustment, v.Adj)
	}
	if len(o.Next) > 1 {
		switch ahead := v.Points - o.Next[1].Points; {
		case ahead == 0:
			text += ". The next one has as many: which of them it is may change at any moment"
		case ahead < o.Total/100:
			text += fmt.Sprintf(". The next one is only %s behind: which of them it is may change at any moment", ahead)
		}
	}
	return text + "."
}

// memoryOutcome says what the death of a process means.
func memoryOutcome(v *Victim) string {
	switch {
	case v.Instance == "":
		return "No instance would lose a session by it, unless the next one is chosen as well."
	case v.Kind == host.KindPostmaster:
		return "The whole instance would be gone, and nothing but its unit would start it again: protect the " +
			"postmaster with OOMScoreAdjust=-900 in its unit and PG_OOM_ADJUST_FILE for its children."
	}
	return "Every session of the instance would be thrown out and the server would go through crash recovery, as it " +
		"cannot tell what the killed process left in the shared memory."
}
