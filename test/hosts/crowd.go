package hosts

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Crowd is a host whose processes are known, for the diagnosis of memory.
type Crowd struct {
	Name     string
	Snapshot *snapshot.Snapshot
}

// Crowds returns the same hosts every time: those of the founding articles, and
// those where something is missing.
func Crowds() ([]Crowd, error) {
	var out []Crowd
	for _, c := range []struct {
		name, spec string
		fill       func(*snapshot.Snapshot)
	}{
		{"many_connections",
			"ram=128GB,cpus=32,storage=nvme,pg=15,set.shared_buffers=16GB,set.max_connections=1500,set.huge_pages=off",
			func(s *snapshot.Snapshot) {
				crowd(s, 1400, 30*unit.MB, 15*unit.GB, 0)
				others(s)
			}},
		{"huge_pages",
			"ram=128GB,cpus=32,storage=nvme,pg=17,set.shared_buffers=16GB,set.max_connections=1500,set.huge_pages=on,set.huge_pages_status=on", func(s *snapshot.Snapshot) {
				crowd(s, 1400, 380*unit.KB, 0, 16*unit.GB)
				m, _ := s.Host.Memory.Get()
				m.HugeTotal, m.HugeFree, m.HugePageSize = 8500, 12, 2*unit.MB
				m.Lines["Hugetlb"] = 8500 * 2 * unit.MB
				s.Host.Memory = known.Is(m)
				others(s)
			}},
		{"container",
			"ram=64GB,cpus=16,pg=16,cgroup=4GB,container=docker,set.shared_buffers=1GB,set.max_connections=300,set.huge_pages=off", func(s *snapshot.Snapshot) {
				crowd(s, 120, 2200*unit.KB, unit.GB, 0)
				inside(s)
			}},
		{"hidden", "ram=16GB,cpus=8,pg=14", func(s *snapshot.Snapshot) {
			in := &s.Instances[0]
			in.Server.Backends = known.Barred[[]pg.Backend](known.Gap{Fact: "pg/1/sessions.json",
				Reason: "7 sessions of other roles are hidden from this role", Reveal: "GRANT pg_monitor TO <role>"})
			ps := processes(3, 400*unit.KB, 90*unit.MB, 0)
			ps[2].OOMScoreAdj = known.Barred[int](known.Gap{Fact: "proc/102/oom_score_adj",
				Reason: "permission denied"})
			ps[3].PSS = known.Barred[unit.Bytes](known.Gap{Fact: "proc/103/smaps_rollup", Reason: "permission denied"})
			in.Processes = known.Is(ps)
		}},
		{"from_afar", "ram=16GB,cpus=8,pg=18,set.huge_pages=off", func(s *snapshot.Snapshot) {
			gap := known.Gap{Fact: "proc/meminfo",
				Reason: "the server was reached by SQL only; nothing of its host was seen",
				Reveal: "run pgfettle on the database host"}
			s.HostSeen = false
			s.Host.Memory = known.Missed[host.Memory](gap)
		}},
		{"none", "ram=8GB,cpus=2", func(s *snapshot.Snapshot) { s.Instances = nil }},
	} {
		a, err := snapshot.Describe(c.spec)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		s, err := snapshot.Read(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		s.TakenAt = 1_795_000_000 // a moment that does not move
		c.fill(s)
		out = append(out, Crowd{c.name, s})
	}
	return out, nil
}

// processes are a postmaster, a checkpointer, and backends that have touched
// about as much as each other.
func processes(backends int, tables, shared, huge unit.Bytes) []host.Process {
	one := func(pid int, kind, title string, tables, anon, shared unit.Bytes, adj, score int) host.Process {
		return host.Process{PID: pid, Inner: pid, Parent: 100, Name: "postgres", Kind: kind, Title: title,
			PageTables: tables, RSS: anon + shared + 20*unit.MB,
			Anon: anon, File: 20 * unit.MB, Shmem: shared, Huge: huge, UID: 101, OOMScoreAdj: known.Is(adj),
			OOMScore: known.Is(score)}
	}
	out := []host.Process{one(100, host.KindPostmaster, "/usr/lib/postgresql/bin/postgres -D /var/lib/postgresql/data",
		200*unit.KB, 3*unit.MB, min(shared, 120*unit.MB), -900, 66),
		one(101, "checkpointer", "checkpointer", tables, 2*unit.MB, shared, 0, 740)}
	for i := range backends {
		p := one(102+i, host.KindBackend, "app shop 10.0.0.7(5000) idle", tables+unit.Bytes(i%7)*4*unit.KB,
			unit.Bytes(3+i%5)*unit.MB, shared, 0, 740)
		if i == 5 {
			p.Swap = 7 * unit.MB
		}
		out = append(out, p)
	}
	return out
}

// crowd fills the first instance with backends of two databases.
func crowd(s *snapshot.Snapshot, backends int, tables, shared, huge unit.Bytes) {
	ps := processes(backends, tables, shared, huge)
	pss := 40 * unit.MB
	ps[2].PSS = known.Is(pss)
	in := &s.Instances[0]
	in.Processes = known.Is(ps)
	var list []pg.Backend
	states := []string{"idle", "idle", "idle", "active", "idle in transaction"}
	for i, p := range ps {
		switch {
		case p.Kind != host.KindBackend:
			list = append(list, pg.Backend{PID: p.PID, Type: p.Kind})
		case i%100 == 99: // a session that came after the look at the server
		case i%100 == 98: // one whose number another process has now
			list = append(list, pg.Backend{PID: p.PID, Type: "client backend", Database: "shop", Role: "batch",
				State: "active"})
		default:
			db := []string{"shop", "reports"}[i%2]
			ps[i].Title = "app " + db + " 10.0.0.7(5000) idle"
			list = append(list, pg.Backend{PID: p.PID, Type: "client backend", Database: db, Role: "app",
				State: states[i%5]})
		}
	}
	list = append(list, pg.Backend{PID: 99_999, Type: "client backend", Database: "postgres", Role: "postgres",
		State: "active", Ours: true})
	in.Server.Backends = known.Is(list)
	m, _ := s.Host.Memory.Get()
	m.PageTables, m.AnonPages, m.Shmem = 90*unit.MB, 2*unit.GB, max(shared, 100*unit.MB)
	for _, p := range ps {
		m.PageTables += p.PageTables
		m.AnonPages += p.Anon
	}
	m.Free = 3 * unit.GB
	m.Cached = m.Shmem + 12*unit.GB
	m.Available = m.Free + 11*unit.GB // most of the page cache
	s.Host.Memory = known.Is(m)
}

// others gives the host processes of other programs: one is larger than any
// backend and may not be chosen, one is the first process, one is of no matter.
func others(s *snapshot.Snapshot) {
	one := func(pid int, name string, rss unit.Bytes, adj, score int) host.Process {
		return host.Process{PID: pid, Inner: pid, Name: name, RSS: rss, Anon: rss, PageTables: rss / 500,
			OOMScoreAdj: known.Is(adj), OOMScore: known.Is(score)}
	}
	ps, _ := s.Instances[0].Processes.Get()
	s.Host.Killable = known.Is(host.Killable{Seen: 1700, Processes: []host.Process{
		one(7000, "backup\x1b[2Jagent", 40*unit.GB, -1000, 0), one(7001, "java", 1500*unit.MB, 80, 720),
		one(1, "systemd", 12*unit.MB, 0, 667), ps[2]}})
}

// inside gives the processes of an instance the numbers that they have in a
// container, by which its server names them.
func inside(s *snapshot.Snapshot) {
	in := &s.Instances[0]
	ps, _ := in.Processes.Get()
	for i := range ps {
		ps[i].Inner = ps[i].PID - 99
	}
	list, _ := in.Server.Backends.Get()
	for i := range list {
		list[i].PID -= 99
	}
}
