package now_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func float(v float64) *float64 { return &v }

// lookAt is a look at a server at some second after noon.
func lookAt(second int, commits int64) *now.ServerLook {
	return &now.ServerLook{
		At: noon.Add(time.Duration(second) * time.Second), Took: 4 * time.Millisecond, Version: "17.11",
		Sessions: known.Is([]pg.LiveSession{}), Locks: known.Is([]pg.LiveLock{}),
		Position: known.Is(pg.LivePosition{LSN: known.Is(unit.Bytes(1000 * (second + 1))),
			CheckpointAt: noon.Unix() - 60, StartedAt: noon.Unix() - 3600,
			Now: float64(noon.Unix()) + float64(second)}),
		Checkpoints: known.Is(pg.Checkpoints{Timed: 5, BuffersWritten: 100 + commits, StatsReset: 7, Secs: 3600}),
		Databases: known.Is([]pg.Database{{Name: "shop", AllowConn: true, Commits: commits, BlocksHit: 10 * commits,
			BlocksRead: commits, StatsReset: 7}, {Name: "template0"}}),
		IO: known.Is([]pg.IO{{Backend: "client backend", Object: "relation", Writes: commits},
			{Backend: "checkpointer", Object: "relation", Writes: 9999},
			{Backend: "client backend", Object: "wal", Writes: 9999}}),
	}
}

// TestNowRates: a rate is what a counter grew by over the time that passed by the
// server's clock; without a look before, after a restart and after a reset there is
// none, and it is never negative.
func TestNowRates(t *testing.T) {
	in := now.Input{At: noon.Add(20 * time.Second), Server: lookAt(20, 300), ServerBefore: lookAt(10, 100)}
	r := now.Diagnose(in)
	if len(r.Databases) != 1 {
		t.Fatalf("a database that nobody can connect to is shown, or none is: %+v", r.Databases)
	}
	d := r.Databases[0]
	if d.Xacts.Rate == nil || *d.Xacts.Rate != 20 || d.HitNow == nil || *d.HitNow < 90.9 || *d.HitNow > 91 ||
		r.Seconds != 10 {
		t.Errorf("200 transactions in 10 s: %+v over %v s", d, r.Seconds)
	}
	if c := r.Checkpoints; c.WAL == nil || *c.WAL.Rate != 1000 || c.BackendCalls == nil ||
		c.BackendCalls.Total != 300 || *c.BackendCalls.Rate != 20 || *c.LastAge != 80 {
		t.Errorf("%+v, WAL %+v, writes of backends %+v", c, c.WAL, c.BackendCalls)
	}
	restarted, reset := lookAt(10, 100), lookAt(10, 100)
	p, _ := restarted.Position.Get()
	p.StartedAt--
	restarted.Position = known.Is(p)
	ds, _ := reset.Databases.Get()
	ds[0].StatsReset = 6
	fresh := lookAt(10, 0)
	ds, _ = fresh.Databases.Get()
	ds[0].StatsReset = 0
	in.ServerBefore = fresh
	if d := now.Diagnose(in).Databases[0]; d.Xacts.Rate == nil || *d.Xacts.Rate != 30 {
		t.Errorf("what was counted for the first time: %+v", d)
	}
	for name, before := range map[string]*now.ServerLook{"no look before": nil, "another server": restarted,
		"a reset": reset, "a counter that went down": lookAt(10, 301), "a clock that was set back": lookAt(30, 100)} {
		in.ServerBefore = before
		if d := now.Diagnose(in).Databases[0]; d.Xacts.Rate != nil || d.HitNow != nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestNowLocks: the session that blocks most comes first, each waiter below the session it waits for, once; a prepared
// transaction is process 0; a ring of waiters ends.
func TestNowLocks(t *testing.T) {
	s := lookAt(0, 1)
	s.Sessions = known.Is([]pg.LiveSession{{PID: 11, Role: "app", Database: "shop", State: "idle in transaction",
		XactAge: float(9), Type: "client backend"}, {PID: 12, Role: "app", State: "active", Type: "client backend",
		WaitType: "Lock", WaitEvent: "tuple"}})
	s.Locks = known.Is([]pg.LiveLock{{PID: 20, Blocker: 0}, {PID: 12, Blocker: 11}, {PID: 13, Blocker: 12},
		{PID: 14, Blocker: 12}, {PID: 14, Blocker: 11}, {PID: 31, Blocker: 32}, {PID: 32, Blocker: 31}})
	r := now.Diagnose(now.Input{At: noon, Server: s})
	var got []string
	for _, l := range r.Locks {
		got = append(got, fmt.Sprintf("%s%d/%d", strings.Repeat(".", l.Depth), l.PID, l.Waiters))
	}
	want := []string{"11/3", ".12/2", "..13/0", "..14/0", "0/1", ".20/0", "31/1", ".32/1"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if l := r.Locks[0]; l.Role != "app" || l.Database != "shop" || l.State != "idle in transaction" || *l.XactAge != 9 {
		t.Errorf("%+v", l)
	}
}

// TestNowLocksEnd: whatever the edges, every process is listed exactly once, and deeper ones follow one that is one
// level higher.
func TestNowLocksEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pid := rapid.IntRange(0, 12)
		var edges []pg.LiveLock
		all := map[int]bool{}
		for range rapid.IntRange(0, 40).Draw(t, "edges") {
			e := pg.LiveLock{PID: pid.Draw(t, "pid"), Blocker: pid.Draw(t, "blocker")}
			edges = append(edges, e)
			all[e.PID], all[e.Blocker] = true, true
		}
		s := lookAt(0, 1)
		s.Locks = known.Is(edges)
		told := map[int]bool{}
		depth := -1
		for _, l := range now.Diagnose(now.Input{At: noon, Server: s}).Locks {
			if told[l.PID] {
				t.Fatalf("process %d is told twice", l.PID)
			}
			if l.Depth > depth+1 || l.Waiters >= len(all) {
				t.Fatalf("%+v after depth %d, of %d", l, depth, len(all))
			}
			told[l.PID], depth = true, l.Depth
		}
		if len(told) != len(all) {
			t.Fatalf("%d of %d processes are told", len(told), len(all))
		}
	})
}

func backend(pid int, title string, tables unit.Bytes) host.Process {
	return host.Process{PID: pid, Inner: pid, Kind: host.KindBackend, Title: title, PageTables: tables, Anon: unit.MB}
}

func hostLook(ps ...host.Process) *now.HostLook {
	return &now.HostLook{At: noon, CensusAt: noon, Processes: known.Is(ps), CensusNext: 2 * time.Second,
		Memory: known.Is(host.Memory{Total: unit.GB, Available: 600 * unit.MB, Free: 500 * unit.MB,
			Cached: 200 * unit.MB, Shmem: 100 * unit.MB, AnonPages: 150 * unit.MB, PageTables: 20 * unit.MB})}
}

// TestNowProcesses: the host's and the server's half of a process are joined by its process ID and its title; if the ID
// was reused since, they are not; a backend that ended between the two looks is gone; one that began is there, its
// memory unknown.
func TestNowProcesses(t *testing.T) {
	h := hostLook(backend(11, "app shop [local] idle", 3*unit.MB), backend(12, "old shop [local] idle", 2*unit.MB),
		backend(13, "app shop [local] idle", unit.MB),
		host.Process{PID: 10, Inner: 10, Kind: host.KindPostmaster, Title: "postgres -D x", PageTables: unit.KB},
		host.Process{PID: 5014, Inner: 14, Kind: host.KindBackend, Title: "app shop [local] idle", PageTables: unit.KB})
	s := lookAt(1, 1)
	s.Sessions = known.Is([]pg.LiveSession{
		{PID: 11, Role: "app", Database: "shop", Application: "web", Type: "client backend", State: "active",
			QueryAge: float(3), Query: "select 1"},
		{PID: 12, Role: "new", Database: "shop", Type: "client backend", State: "idle"},
		{PID: 14, Role: "app", Database: "shop", Type: "client backend", State: "idle"},
		{PID: 15, Role: "app", Database: "shop", Type: "client backend", State: "idle"}})
	r := now.Diagnose(now.Input{At: noon.Add(time.Second), Host: h, Server: s})
	var got []string
	for _, p := range r.Processes {
		size := "-"
		if p.PageTables != nil {
			size = p.PageTables.GUC()
		}
		got = append(got, fmt.Sprintf("%d %s %s@%s %s", p.PID, p.Type, p.Role, p.Database, size))
	}
	want := []string{"11 client backend app@shop 3MB", "14 client backend app@shop 1kB", "10 postmaster @ 1kB",
		"12 client backend new@shop -", "15 client backend app@shop -"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if p := r.Processes[0]; p.PID != 11 || p.QueryAge == nil || p.HostPID != 0 || p.Application != "web" {
		t.Errorf("the largest page tables are %+v", p)
	}
	if i := slices.IndexFunc(r.Processes,
		func(p now.Process) bool { return p.PID == 14 }); r.Processes[i].HostPID != 5014 {
		t.Errorf("in a container: %+v", r.Processes[i])
	}
}

// TestNowHidden: what a role may not see is reported as unknown, never as none.
func TestNowHidden(t *testing.T) {
	s := lookAt(1, 1)
	s.Sessions = known.Is([]pg.LiveSession{{PID: 11, Role: "me", Database: "shop", Type: "client backend",
		State: "active"}, {PID: 12, Role: "app", Database: "shop", Hidden: true}})
	r := now.Diagnose(now.Input{At: noon, Host: hostLook(), Server: s})
	if r.Server.Connections != nil || r.Server.Active != nil {
		t.Errorf("connections are counted where some are hidden: %+v", r.Server)
	}
	if !slices.ContainsFunc(r.Unknown, func(g gap.Gap) bool {
		return g.Is(now.GapSessions) && strings.Contains(g.Reason.String(), "1 session of other roles") &&
			strings.Contains(g.Reveal.String(), "pg_monitor")
	}) {
		t.Errorf("nothing says so: %+v", r.Unknown)
	}
	if len(r.Processes) != 2 {
		t.Errorf("%+v", r.Processes)
	}
}

// TestNowWaits: sessions that work and wait for nothing are counted as such, idle ones separately, and our own session
// not at all.
func TestNowWaits(t *testing.T) {
	s := lookAt(1, 1)
	s.Sessions = known.Is([]pg.LiveSession{
		{PID: 1, Type: "client backend", State: "active"}, {PID: 2, Type: "client backend", State: "active",
			WaitType: "IO", WaitEvent: "DataFileRead"},
		{PID: 3, Type: "client backend", State: "active", WaitType: "IO", WaitEvent: "DataFileRead"},
		{PID: 4, Type: "client backend", State: "idle", WaitType: "Client", WaitEvent: "ClientRead"},
		{PID: 5, Type: "checkpointer", WaitType: "Activity", WaitEvent: "CheckpointerMain"},
		{PID: 6, Type: "client backend", State: "active", Ours: true},
		{PID: 7, Type: "client backend", State: "idle"}})
	r := now.Diagnose(now.Input{At: noon, Server: s})
	want := []now.Wait{{Type: "IO", Event: "DataFileRead", Processes: 2}, {Processes: 1},
		{Type: "Activity", Event: "CheckpointerMain", Processes: 1, Idle: true},
		{Type: "Client", Event: "ClientRead", Processes: 1, Idle: true}}
	if !slices.Equal(r.Waits, want) {
		t.Errorf("%+v", r.Waits)
	}
	if *r.Server.Connections != 5 || *r.Server.Active != 3 {
		t.Errorf("%d connections, %d active", *r.Server.Connections, *r.Server.Active)
	}
}

// TestNowMemory: the parts add up to the whole; if nothing is known of the instance's processes its memory is not said
// to be that of other programs.
func TestNowMemory(t *testing.T) {
	h := hostLook(backend(11, "app shop [local] idle", 3*unit.MB))
	for _, counted := range []bool{true, false} {
		if !counted {
			h.Processes = known.Barred[[]host.Process](known.Gap{Reason: "permission denied"})
		}
		r := now.Diagnose(now.Input{At: noon, Host: h})
		var sum unit.Bytes
		names := []string{}
		for _, p := range r.Memory.Parts {
			sum += p.Size
			names = append(names, p.Name)
		}
		if sum != unit.GB {
			t.Errorf("counted %v: the parts add up to %s", counted, sum)
		}
		if slices.Contains(names, memory.PartPrivate) != counted ||
			slices.Contains(names, memory.PartOthers) != counted || slices.Contains(names, now.PartAll) == counted {
			t.Errorf("counted %v: %q", counted, names)
		}
	}
}

// TestNowSilent: a server that does not answer any more keeps its last data, with their age, and shows why and since
// when.
func TestNowSilent(t *testing.T) {
	in := now.Input{At: noon.Add(30 * time.Second), Server: lookAt(10, 5),
		Failed: &known.Gap{Reason: "no answer within 5s"}, FailedSince: noon.Add(12 * time.Second)}
	r := now.Diagnose(in)
	if *r.Server.Age != 20 || *r.Server.Silent != 18 || r.Server.Problem == nil || len(r.Databases) != 1 {
		t.Errorf("%+v", r.Server)
	}
}

// TestNowNothing: a report of nothing is one, with no array that is null.
func TestNowNothing(t *testing.T) {
	for _, in := range []now.Input{{At: noon}, {At: noon, HostUnseen: &known.Gap{Reason: "x"},
		ServerUnseen: &known.Gap{Reason: "y"}},
		{At: noon, Host: &now.HostLook{}, Server: &now.ServerLook{}, HostBefore: &now.HostLook{},
			ServerBefore: &now.ServerLook{}}} {
		b, err := json.Marshal(now.Diagnose(in))
		if err != nil || strings.Contains(string(b), "null") {
			t.Errorf("%v: %s", err, b)
		}
	}
}
