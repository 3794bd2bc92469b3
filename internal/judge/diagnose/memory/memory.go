package memory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Schema names the version of the JSON form.
const Schema = "pgfettle.diagnose.memory/1"

// The levels of a verdict, worst first.
const (
	Critical = "critical"
	Warning  = "warning"
	Notice   = "notice"
	Fine     = "fine"
	Unknown  = "unknown"
)

// Report is what holds the memory of a host, how much page tables take and can grow to, what would save how much, and
// which process the OOM killer would choose. An unknown amount is omitted, and Unknown says why.
type Report struct {
	Schema    string      `json:"schema"`
	TakenAt   int64       `json:"taken_at"` // seconds since the epoch, by the host's clock
	Level     string      `json:"level"`    // of the verdict: critical, warning, notice, fine or unknown
	Verdict   say.Message `json:"verdict"`  // one line
	Host      *Host       `json:"host,omitempty"`
	Instances []Instance  `json:"instances"`
	OOM       []OOM       `json:"oom"` // the cgroups that limit an instance first, then the host
	Unknown   []gap.Gap   `json:"unknown"`

	plan Plan
}

// Plan is the shared_buffers that the plan for the host gives, by Instance.Key;
// of an instance without one no value is advised.
type Plan map[string]unit.Bytes

// Host is the memory of the host and how it is used now.
type Host struct {
	Total unit.Bytes `json:"total_bytes"`
	// MemAvailable; absent if the line is missing, as in pasted text
	Available *unit.Bytes `json:"available_bytes,omitempty"`
	SwapTotal *unit.Bytes `json:"swap_total_bytes,omitempty"`
	SwapUsed  *unit.Bytes `json:"swap_used_bytes,omitempty"`
	// PageTables of /proc/meminfo, of all programs
	PageTables *unit.Bytes `json:"page_tables_bytes,omitempty"`
	Parts      []Part      `json:"parts"` // add up to the total
}

// Part is one part of the host's memory.
type Part struct {
	Name string     `json:"name"`
	Size unit.Bytes `json:"bytes"`
}

// Instance is what one instance holds.
type Instance struct {
	Label     string     `json:"label"`
	Version   string     `json:"version,omitempty"`
	HugePages string     `json:"huge_pages"` // on, off or unknown: whether its shared memory is in huge pages
	Limit     unit.Bytes `json:"memory_bytes,omitempty"`
	// the cgroup whose limit that is; "" for the host's memory
	LimitedBy   string     `json:"limited_by,omitempty"`
	Shared      unit.Bytes `json:"shared_bytes,omitempty"`
	Connections int        `json:"max_connections,omitempty"`
	Sum         Group      `json:"sum"`
	Kinds       []Group    `json:"kinds"` // the processes by kind, postmaster first
	// the backends by database, role and state, largest first; empty if not known
	Sessions  []Group   `json:"sessions"`
	Processes []Process `json:"processes"`
	// the worst case as it is, then what would save how much of it; empty if not known
	Options []Option `json:"options"`
}

// Group adds up processes.
type Group struct {
	Kind       string     `json:"kind,omitempty"`
	Database   string     `json:"database,omitempty"`
	Role       string     `json:"role,omitempty"`
	State      string     `json:"state,omitempty"`
	Processes  int        `json:"processes"`
	PageTables unit.Bytes `json:"page_tables_bytes"`
	// MostShared is the largest RssShmem of a process: a sum would count the
	// same memory as often as there are processes.
	MostShared unit.Bytes  `json:"most_shared_bytes"`
	Private    unit.Bytes  `json:"private_bytes"` // RssAnon
	Swap       unit.Bytes  `json:"swap_bytes"`
	PSS        *unit.Bytes `json:"pss_bytes,omitempty"` // if all of them reported it
}

// Process is one process of an instance.
type Process struct {
	PID        int         `json:"pid"`
	Kind       string      `json:"kind"` // "" if its title does not show it
	Database   string      `json:"database,omitempty"`
	Role       string      `json:"role,omitempty"`
	State      string      `json:"state,omitempty"`
	PageTables unit.Bytes  `json:"page_tables_bytes"` // VmPTE
	RSS        unit.Bytes  `json:"rss_bytes"`
	Shared     unit.Bytes  `json:"shared_bytes"`  // RssShmem, without huge pages
	Private    unit.Bytes  `json:"private_bytes"` // RssAnon
	Swap       unit.Bytes  `json:"swap_bytes"`
	PSS        *unit.Bytes `json:"pss_bytes,omitempty"`
}

// Diagnose judges what holds the memory.
func Diagnose(s *snapshot.Snapshot, plan Plan) *Report {
	r := &Report{plan: plan, Schema: Schema, TakenAt: s.TakenAt, Instances: []Instance{}, OOM: []OOM{},
		Unknown: []gap.Gap{}}
	m, ok := s.Host.Memory.Get()
	if !ok {
		r.miss(s.Host.Memory.Gap())
	}
	names := naming{}
	for i := range s.Instances {
		r.Instances = append(r.Instances, r.instance(s, &s.Instances[i], names))
	}
	if ok {
		r.Host = hostMemory(s, m)
		r.oom(s, m, names)
	}
	r.verdict()
	return r
}

// miss notes a fact that is not known, once.
func (r *Report) miss(g known.Gap) { r.Unknown = gap.Add(r.Unknown, gap.Of(g)) }

// naming holds what is known of a process beyond its files: its instance and
// its session.
type naming map[int]*Process

func (r *Report) instance(s *snapshot.Snapshot, in *snapshot.Instance, names naming) Instance {
	out := Instance{Label: in.Label(), HugePages: Unknown, Kinds: []Group{}, Sessions: []Group{},
		Processes: []Process{}, Options: []Option{}}
	out.Version = in.Version()
	if on, ok := memory.OnHugePages(in).Get(); ok {
		out.HugePages = map[bool]string{true: "on", false: "off"}[on]
	}
	if limit, limited := s.MemoryLimit(in); limited {
		out.Limit, _ = limit.Get()
		out.LimitedBy = memory.LimitGroup(in)
	} else {
		out.Limit, _ = limit.Get()
	}
	set, _ := in.Server.Settings.Get()
	if n, ok := set.Int("max_connections"); ok {
		out.Connections = int(n)
	}
	if seg, ok := memory.SegmentOf(in).Get(); ok {
		out.Shared = seg.Size
	}
	r.processes(in, &out)
	for i := range out.Processes {
		names[out.Processes[i].PID] = &out.Processes[i]
	}
	r.options(s, in, &out)
	return out
}

// processes takes the census of an instance and adds it up.
func (r *Report) processes(in *snapshot.Instance, out *Instance) {
	ps, ok := in.Processes.Get()
	if !ok {
		r.miss(in.Processes.Gap())
		return
	}
	type session struct{ database, role, state, kind string }
	sessions := map[int]session{}
	backends, told := in.Server.Backends.Get()
	if !told {
		r.miss(in.Server.Backends.Gap())
	}
	// pgfettle's own session has ended by the time this is read, and perhaps while its process was examined.
	ours := map[int]session{}
	for _, b := range backends {
		to := sessions
		if b.Ours {
			to = ours
		}
		to[b.PID] = session{b.Database, b.Role, b.State, b.Type}
	}
	ps = slices.DeleteFunc(slices.Clone(ps), func(p host.Process) bool {
		b, ok := ours[p.Inner]
		return ok && SameSession(p, b.kind, b.role, b.database)
	})
	unasked := 0
	for _, p := range ps {
		q := Process{PID: p.PID, Kind: p.Kind, PageTables: p.PageTables, RSS: p.RSS, Shared: p.Shmem, Private: p.Anon,
			Swap: p.Swap}
		if b, ok := sessions[p.Inner]; ok && SameSession(p, b.kind, b.role, b.database) {
			q.Database, q.Role, q.State = b.database, b.role, b.state
			if q.Kind == "" && b.kind == "client backend" {
				q.Kind = host.KindBackend
			}
		}
		if pss, ok := p.PSS.Get(); ok {
			q.PSS = &pss
		} else if p.PSS.State() == known.Forbidden {
			unasked++
		}
		out.Processes = append(out.Processes, q)
	}
	if unasked > 0 {
		r.Unknown = gap.Add(r.Unknown, gap.Gap{Fact: say.M("PSS of {instance}", "instance", out.Label),
			Reason: say.M("smaps_rollup of {n} of {all} processes is not readable", "n", unasked, "all", len(ps)),
			Reveal: say.M("run pgfettle as root or as the owner of the data directory")})
	}
	kinds, groups := map[string]*Group{}, map[session]*Group{}
	var kindOrder []string
	for i := range out.Processes {
		q := &out.Processes[i]
		out.Sum.add(q)
		k := kinds[q.Kind]
		if k == nil {
			k = &Group{Kind: q.Kind}
			kinds[q.Kind] = k
			kindOrder = append(kindOrder, q.Kind)
		}
		k.add(q)
		if q.Kind != host.KindBackend || !told {
			continue
		}
		key := session{database: q.Database, role: q.Role, state: q.State}
		g := groups[key]
		if g == nil {
			g = &Group{Database: q.Database, Role: q.Role, State: q.State}
			groups[key] = g
		}
		g.add(q)
	}
	for _, k := range kindOrder {
		out.Kinds = append(out.Kinds, *kinds[k])
	}
	// The postmaster stays first: it is the first process. Of the others those
	// that take most page tables come first.
	if len(out.Kinds) > 1 {
		largestFirst(out.Kinds[1:])
	}
	for _, g := range groups {
		out.Sessions = append(out.Sessions, *g)
	}
	largestFirst(out.Sessions)
}

// SameSession reports whether a process is still the one that the server named by its number: between the two looks the
// number may have been given to another. Only a backend has a client's session, and its title begins with whose it is.
func SameSession(p host.Process, kind, role, database string) bool {
	switch {
	case p.Kind == "":
		return true // not shown by its title
	case (kind == "client backend") != (p.Kind == host.KindBackend):
		return false
	case p.Kind != host.KindBackend || role == "":
		return true
	}
	return strings.HasPrefix(p.Title+" ", role+" "+database+" ")
}

func largestFirst(list []Group) {
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.PageTables, a.PageTables), cmp.Compare(b.Private, a.Private),
			strings.Compare(a.Kind, b.Kind),
			strings.Compare(a.Database, b.Database), strings.Compare(a.Role, b.Role), strings.Compare(a.State, b.State))
	})
}

func (g *Group) add(q *Process) {
	g.Processes++
	g.PageTables += q.PageTables
	g.MostShared = max(g.MostShared, q.Shared)
	g.Private += q.Private
	g.Swap += q.Swap
	// One that is not known makes the sum unknown.
	switch {
	case q.PSS == nil:
		g.PSS = nil
	case g.Processes == 1:
		sum := *q.PSS
		g.PSS = &sum
	case g.PSS != nil:
		*g.PSS += *q.PSS
	}
}

// hostMemory breaks down the memory of the host.
func hostMemory(s *snapshot.Snapshot, m host.Memory) *Host {
	var tables, private unit.Bytes
	for i := range s.Instances {
		ps, _ := s.Instances[i].Processes.Get()
		for _, p := range ps {
			tables += p.PageTables
			private += p.Anon
		}
	}
	return LayOut(m, tables, private)
}
