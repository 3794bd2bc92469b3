package now

import (
	"cmp"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
)

const (
	clientBackend = "client backend" // backend_type of a process that serves a client
	// maxLockRows limits the tree of blocking sessions: more than fits any screen.
	maxLockRows = 200
)

// server adds what the server reported.
func (r *Report) server(in Input) {
	s := in.Server
	r.Server.Version = s.Version
	r.Server.Age = seconds(in.At.Sub(s.At))
	r.Cost.ServerMS = milliseconds(s.Took)
	if list, ok := s.Sessions.Get(); ok {
		r.sessions(list)
		r.waits(list)
		if l, ok := s.Locks.Get(); ok {
			r.locks(l, list)
		} else {
			r.gap(GapLocks, s.Locks.Gap())
		}
	} else {
		r.gap(GapSessions, s.Sessions.Gap())
	}
	if p, ok := s.Position.Get(); ok {
		r.Server.InRecovery = &p.InRecovery
		if up := int64(p.Now) - p.StartedAt; up >= 0 {
			r.Server.Uptime = &up
		}
	} else {
		r.gap(GapPosition, s.Position.Gap())
	}
	r.rates(in)
}

// sessions counts the clients.
func (r *Report) sessions(list []pg.LiveSession) {
	clients, active, inXact, hidden := 0, 0, 0, 0
	for _, s := range list {
		switch {
		case s.Hidden:
			hidden++
		case s.Type != clientBackend || s.Ours:
		case s.State == "active" || s.State == "fastpath function call":
			active++
			clients++
		case s.State == "idle in transaction" || s.State == "idle in transaction (aborted)":
			inXact++
			clients++
		default:
			clients++
		}
	}
	if hidden > 0 {
		r.miss(GapSessions, say.N(hidden, "this role cannot see {n} session of other roles",
			"this role cannot see {n} sessions of other roles"), say.Text("GRANT pg_monitor TO ROLE_NAME"))
		return
	}
	r.Server.Connections, r.Server.Active, r.Server.InXact = &clients, &active, &inXact
}

// waits counts what the processes wait for. An active one that waits for nothing computes, or is in the run queue.
func (r *Report) waits(list []pg.LiveSession) {
	seen := map[Wait]int{}
	for _, s := range list {
		if s.Hidden || s.Ours {
			continue
		}
		w := Wait{Type: s.WaitType, Event: s.WaitEvent}
		switch {
		case s.WaitType == "" && s.Type == clientBackend && s.State != "active":
			continue // between two waits: neither is it at work
		case s.WaitType == "Activity", s.WaitType == "Client" && s.WaitEvent == "ClientRead" && s.State != "active":
			w.Idle = true
		}
		seen[w]++
	}
	for w, n := range seen {
		w.Processes = n
		r.Waits = append(r.Waits, w)
	}
	slices.SortFunc(r.Waits, func(a, b Wait) int {
		if a.Idle != b.Idle {
			return map[bool]int{false: -1, true: 1}[a.Idle]
		}
		return cmp.Or(b.Processes-a.Processes, cmp.Compare(a.Type, b.Type), cmp.Compare(a.Event, b.Event))
	})
}

// locks makes trees of waiting and blocking sessions. One that waits for several is listed under the first; a ring,
// which is a deadlock that the server has not yet broken, is entered at its least process.
func (r *Report) locks(edges []pg.LiveLock, list []pg.LiveSession) {
	by := map[int]pg.LiveSession{}
	for _, s := range list {
		by[s.PID] = s
	}
	behind, waits := map[int][]int{}, map[int]bool{}
	var pids []int
	for _, e := range edges {
		behind[e.Blocker] = append(behind[e.Blocker], e.PID)
		waits[e.PID] = true
		pids = append(pids, e.PID, e.Blocker)
	}
	slices.Sort(pids)
	pids = slices.Compact(pids)
	shown := map[int]bool{}
	var tell func(pid, depth int)
	tell = func(pid, depth int) {
		if shown[pid] || len(r.Locks) >= maxLockRows {
			return
		}
		shown[pid] = true
		s := by[pid]
		l := Lock{PID: pid, Depth: depth, Waiters: len(waitersOf(behind, pid)), Role: s.Role, Database: s.Database,
			Application: s.Application, State: s.State,
			WaitEvent: s.WaitEvent, XactAge: s.XactAge, QueryAge: s.QueryAge, Query: s.Query}
		if pid == 0 {
			l.State = "prepared transaction"
		}
		r.Locks = append(r.Locks, l)
		for _, w := range behind[pid] {
			tell(w, depth+1)
		}
	}
	var roots []int
	for _, pid := range pids {
		if !waits[pid] {
			roots = append(roots, pid)
		}
	}
	slices.SortStableFunc(roots, func(a, b int) int { return len(waitersOf(behind, b)) - len(waitersOf(behind, a)) })
	for _, pid := range append(roots, pids...) { // of those that are left each is in a ring
		tell(pid, 0)
	}
}

// waitersOf returns those that wait for a process, directly or not, without itself.
func waitersOf(behind map[int][]int, pid int) []int {
	seen := map[int]bool{pid: true}
	queue := []int{pid}
	for i := 0; i < len(queue); i++ {
		for _, w := range behind[queue[i]] {
			if !seen[w] {
				seen[w] = true
				queue = append(queue, w)
			}
		}
	}
	return queue[1:]
}

// processes combines what the host and the server report about each process. The largest page tables come first.
func (r *Report) processes(in Input) {
	var census []host.Process
	var sessions []pg.LiveSession
	told, taken := false, false
	if in.Server != nil {
		sessions, told = in.Server.Sessions.Get()
	}
	switch {
	case in.HostUnseen != nil:
		r.gap(GapProcesses, *in.HostUnseen)
	case in.Host != nil:
		if census, taken = in.Host.Processes.Get(); !taken {
			r.gap(GapProcesses, in.Host.Processes.Gap())
		}
	}
	by := map[int]*pg.LiveSession{}
	for i := range sessions {
		by[sessions[i].PID] = &sessions[i]
	}
	for i := range census {
		p := &census[i]
		s := by[p.Inner]
		if s != nil && !s.Hidden && !memory.SameSession(*p, s.Type, s.Role, s.Database) {
			s = nil
		}
		// The census is older than the server's answer: a backend that is not in
		// this has ended since.
		if s == nil && told && p.Kind == host.KindBackend && in.Server.At.After(in.Host.CensusAt) {
			continue
		}
		q := Process{PID: p.Inner, PageTables: &p.PageTables, Private: &p.Anon, Shared: &p.Shmem, Swap: &p.Swap}
		if p.Inner != p.PID {
			q.HostPID = p.PID
		}
		if s == nil {
			q.Type, q.Title = p.Kind, p.Title
		} else {
			q.says(s)
			if q.Type == "" {
				q.Type = p.Kind
			}
			delete(by, p.Inner)
		}
		r.Processes = append(r.Processes, q)
	}
	for i := range sessions { // those that came since, or all if the host is not seen
		if by[sessions[i].PID] == &sessions[i] {
			q := Process{PID: sessions[i].PID}
			q.says(&sessions[i])
			r.Processes = append(r.Processes, q)
		}
	}
	slices.SortStableFunc(r.Processes, func(a, b Process) int {
		return cmp.Or(cmp.Compare(zeroUnless(b.PageTables), zeroUnless(a.PageTables)),
			cmp.Compare(zeroUnless(b.Private), zeroUnless(a.Private)), a.PID-b.PID)
	})
}

func (q *Process) says(s *pg.LiveSession) {
	q.Type, q.Role, q.Database, q.Application, q.State, q.Hidden = s.Type, s.Role, s.Database, s.Application,
		s.State, s.Hidden
	q.WaitType, q.WaitEvent, q.XactAge, q.Query = s.WaitType, s.WaitEvent, s.XactAge, s.Query
	if q.Query != "" { // background processes have an empty one
		q.QueryAge = s.QueryAge
	}
}

// zeroUnless orders what is not known below all that is.
func zeroUnless[T ~int64 | ~float64](v *T) T {
	if v == nil {
		return -1
	}
	return *v
}
