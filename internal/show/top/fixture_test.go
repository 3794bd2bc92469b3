package top

import (
	"fmt"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func some(v float64) *float64 { return &v }

// hostile is what a client may call itself: it wipes the screen, reverses the order
// of letters, is wider than it is long, and piles marks upon a letter.
const hostile = "\x1b[2J\x1b]0;owned\x07\u202eevil\u200b 東京データ☕️👍🏽 e\u0301\u0301\u0301\u0301\u0301\u0301\r\nnext"

// fake hands out looks.
type fake struct {
	hosts    []*now.HostLook
	servers  []*now.ServerLook
	asked    [2]int
	recounts int
}

func (f *fake) Host(time.Duration) *now.HostLook {
	f.asked[0]++
	return f.hosts[min(f.asked[0], len(f.hosts))-1]
}

func (f *fake) Server() *now.ServerLook {
	f.asked[1]++
	return f.servers[min(f.asked[1], len(f.servers))-1]
}

func (f *fake) Recount() { f.recounts++ }

// hostAt is a look at a host of 64 GB with an instance that has six clients.
func hostAt(second int) *now.HostLook {
	at := noon.Add(time.Duration(second) * time.Second)
	ps := []host.Process{{PID: 4100, Inner: 4100, Kind: host.KindPostmaster, Title: "postgres -D /srv/17/main",
		PageTables: 300 * unit.KB, Anon: 2 * unit.MB, Shmem: 50 * unit.MB},
		{PID: 4102, Inner: 4102, Kind: "checkpointer", Title: "checkpointer", PageTables: 8 * unit.MB, Anon: unit.MB,
			Shmem: 4 * unit.GB}}
	for i := range 6 {
		ps = append(ps, host.Process{PID: 4200 + i, Inner: 4200 + i, Kind: host.KindBackend,
			Title: "app shop [local] idle", PageTables: unit.Bytes(16-i) * unit.MB, Anon: unit.Bytes(3+7*i) * unit.MB,
			Shmem: unit.Bytes(8-i) * unit.GB, Swap: unit.Bytes(i) * unit.MB})
	}
	busy := int64(1000 + 150*second)
	return &now.HostLook{At: at, Took: 700 * time.Microsecond, Name: known.Is("db1"), CensusAt: at,
		CensusTook: 3600 * time.Microsecond, CensusNext: 2 * time.Second,
		Memory: known.Is(host.Memory{Total: 64 * unit.GB, Available: 30 * unit.GB, Free: 12 * unit.GB,
			Cached: 34 * unit.GB, Buffers: unit.GB, Shmem: 16 * unit.GB, AnonPages: 9 * unit.GB,
			PageTables: 400 * unit.MB, SlabReclaim: unit.GB, SwapTotal: 4 * unit.GB, SwapFree: 3 * unit.GB,
			CommitLimit: 40 * unit.GB, CommittedAS: 38 * unit.GB, HugeTotal: 100, HugeFree: 60,
			HugePageSize: 2 * unit.MB}),
		Overcommit: known.Is(int64(2)), Load: known.Is(host.Load{One: 2.75, Five: 1.9, Fifteen: 0.64}),
		Pressure: host.Pressure{CPU: known.Is(host.PSI{Some10: 12.4}), Memory: known.Is(host.PSI{}),
			IO: known.Is(host.PSI{Some10: 3.1})},
		CPU: known.Is(host.CPUTime{User: busy, Idle: 1000 + 50*int64(second), Steal: 5 * int64(second),
			BootTime: noon.Unix() - 400_000}), Processes: known.Is(ps),
		Own: known.Is(now.Ticked{CPU: 60 * time.Millisecond, Over: 10 * time.Second})}
}

// serverAt is a look at its server: one session blocks two others.
func serverAt(second int) *now.ServerLook {
	n := int64(second)
	client := func(pid int, state, wait, event string, age float64, query string) pg.LiveSession {
		return pg.LiveSession{PID: pid, Role: "app", Database: "shop", Application: "web", Type: "client backend",
			State: state, WaitType: wait, WaitEvent: event, QueryAge: some(age), Query: query}
	}
	list := []pg.LiveSession{{PID: 4102, Type: "checkpointer", WaitType: "Activity", WaitEvent: "CheckpointerMain"},
		client(4200, "active", "Lock", "transactionid", 61, "update stock set n = n - 1 where id = 7"),
		client(4201, "active", "Lock", "tuple", 12.34, "update stock set n = n - 1 where id = 7"),
		client(4202, "idle in transaction", "Client", "ClientRead", 75, "select n from stock where id = 7 for update"),
		client(4203, "idle", "Client", "ClientRead", 4000, "commit"),
		client(4204, "active", "IO", "DataFileRead", 0.8, "select count(*)\n  from orders"),
		client(4205, "active", "", "", 0.01, "select 1")}
	list[3].XactAge, list[1].XactAge, list[2].XactAge = some(80), some(62), some(13)
	list[3].Application = hostile
	at := float64(noon.Unix()) + float64(second)
	return &now.ServerLook{At: noon.Add(time.Duration(second) * time.Second), Took: 3 * time.Millisecond,
		Version: "17.11", Sessions: known.Is(list),
		Locks: known.Is([]pg.LiveLock{{PID: 4200, Blocker: 4202}, {PID: 4201, Blocker: 4200}}),
		Position: known.Is(pg.LivePosition{LSN: known.Is(800*unit.GB + unit.Bytes(n)*9*unit.MB),
			CheckpointAt: noon.Unix() - 140, StartedAt: noon.Unix() - 200_000, Now: at}),
		Checkpoints: known.Is(pg.Checkpoints{Timed: 660, Requested: 41, WriteTime: 4e6, SyncTime: 9000,
			BuffersWritten: 5_000_000 + 900*n, BuffersClean: 700_000, MaxWritten: 12, BuffersAlloc: 90_000_000 + 4000*n,
			StatsReset: 9, Secs: 200_000}),
		Databases: known.Is([]pg.Database{{Name: "postgres", AllowConn: true, Commits: 40000, BlocksHit: 1_000_000,
			BlocksRead: 100, StatsReset: 9},
			{Name: "shop", AllowConn: true, Backends: 6, Commits: 80_000_000 + 1250*n, Rollbacks: 300 * n,
				BlocksHit: 9_000_000_000 + 99_000*n, BlocksRead: 60_000_000 + 1000*n, TempFiles: 81,
				TempBytes: 30*unit.GB + 4*unit.MB*unit.Bytes(n), Deadlocks: 3, StatsReset: 9},
			{Name: hostile, AllowConn: true, StatsReset: 9}}),
		IO: known.Is([]pg.IO{{Backend: "client backend", Object: "relation", Writes: 12000 + 30*n}})}
}

// seen is a view of a given size that has looked twice.
func seen(width, height int, st Style) *Model {
	m := New(&fake{}, Subject{Label: "/srv/17/main", CPUs: 8, Connections: 100}, st, 2*time.Second)
	give(m, width, height)
	m.saw(hostAt(0))
	m.saw(hostAt(2))
	m.answered(serverAt(0))
	m.answered(serverAt(2))
	m.in.At = noon.Add(3 * time.Second)
	m.tell()
	return m
}

// many gives a view a server with many sessions.
func many(m *Model, n int) {
	s := serverAt(4)
	list, _ := s.Sessions.Get()
	for i := range n {
		list = append(list, pg.LiveSession{PID: 5000 + i, Role: fmt.Sprintf("role%d", i), Database: "shop",
			Type: "client backend", State: "idle", WaitType: "Client", WaitEvent: "ClientRead"})
	}
	s.Sessions = known.Is(list)
	m.answered(s)
	m.lines = nil
}
