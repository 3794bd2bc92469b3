package memory_test

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// beside is a host of 16 GB that has been up for 40 days, with these groups.
func beside(groups ...host.Residence) *snapshot.Snapshot {
	const at, up = 1_795_000_000, 40 * 86400
	s := &snapshot.Snapshot{TakenAt: at}
	s.Host.Memory = known.Is(host.Memory{Total: 16 * unit.GB, AnonPages: 3 * unit.GB, SlabUnreclaim: 200 * unit.MB})
	s.Host.CPUTime = known.Is(host.CPUTime{BootTime: at - up})
	s.Host.Residents = known.Is(host.Residents{Groups: groups})
	return s
}

func group(path string, enabled bool, limit unit.Bytes, ageMB ...[2]float64) host.Residence {
	g := host.Residence{Group: path, Enabled: known.Is(enabled)}
	if limit > 0 {
		g.Limit = known.Is(limit)
	}
	for _, p := range ageMB {
		g.Members = append(g.Members, host.Resident{Since: 40*86400 - p[0], Private: unit.Bytes(p[1]) * unit.MB})
	}
	return g
}

// TestOthersOf: what counts, from which source, and to which step it is rounded.
func TestOthersOf(t *testing.T) {
	const day = 86400
	daemon := group("/system.slice/d.service", true, 0, [2]float64{10 * day, 400})
	inside := beside(daemon)
	inside.Host.Virt = known.Is(host.Virt{Container: "docker"})
	watched := beside(daemon)
	week := &history.Week{Peak: history.Peak{Value: 900 << 20}, Span: history.Span{To: watched.TakenAt - 3600, Days: 7}}
	watched.History = known.Is(snapshot.History{Others: week})
	stale, short := *week, *week
	stale.To -= 2 * day
	short.Days = 3
	pasted := func(meminfo string) *snapshot.Snapshot { // what free prints, and no list of processes
		m, err := host.ParseMemory([]byte(meminfo))
		if err != nil {
			t.Fatal(err)
		}
		s := &snapshot.Snapshot{TakenAt: watched.TakenAt}
		s.Host.Memory = known.Is(m)
		return s
	}
	old, young := beside(daemon), beside(daemon)
	old.History = known.Is(snapshot.History{Others: &stale})
	young.History = known.Is(snapshot.History{Others: &short})
	for name, c := range map[string]struct {
		s       *snapshot.Snapshot
		source  memory.OthersSource
		held    unit.Bytes
		counted unit.Bytes
	}{
		"a service": {beside(daemon), memory.OthersServices, 400 * unit.MB, 512 * unit.MB},
		"no service at all": {beside(group("/", false, 0, [2]float64{601, 400},
			[2]float64{599, 4000})), memory.OthersNow, 400 * unit.MB, 512 * unit.MB},
		"a build in a session": {beside(daemon,
			group("/user.slice/session-1.scope", false, 0, [2]float64{20000, 4000})), memory.OthersServices,
			400 * unit.MB, 512 * unit.MB},
		"a session of a day": {beside(daemon,
			group("/user.slice/session-1.scope", false, 0, [2]float64{2 * day, 500})), memory.OthersServices,
			900 * unit.MB, unit.GB},
		"a job of cron": {beside(daemon,
			group("/system.slice/cron.service", true, 0, [2]float64{7200, 4000})), memory.OthersServices, 400 * unit.MB,
			512 * unit.MB},
		"a backup that a timer started": {beside(daemon,
			group("/system.slice/backup.service", false, 0, [2]float64{7200, 4000})), memory.OthersServices,
			400 * unit.MB, 512 * unit.MB},
		"a container": {beside(daemon, group("/system.slice/docker-0a1b.scope", false, 0,
			[2]float64{7200, 1000})), memory.OthersServices, 1400 * unit.MB, 1536 * unit.MB},
		"a limit": {beside(daemon,
			group("/system.slice/app.service", true, unit.GB, [2]float64{7200, 100})), memory.OthersServices,
			1424 * unit.MB, 1536 * unit.MB},
		"limits of many": {beside(daemon, group("/system.slice/app.service", true, 12*unit.GB,
			[2]float64{7200, 100})), memory.OthersServices, 2548 * unit.MB, 3 * unit.GB},
		"a paste of free": {pasted("MemTotal: 16777216 kB\nMemAvailable: 2097152 kB\n"), memory.OthersUnknown,
			256 * unit.MB, 256 * unit.MB},
		"a paste of meminfo": {pasted("MemTotal: 16777216 kB\nMemAvailable: 2097152 kB\nAnonPages: 3145728 kB\n"),
			memory.OthersAnonymous, 3 * unit.GB, 3 * unit.GB},
		"in a container":                      {inside, memory.OthersAnonymous, 3 * unit.GB, 3 * unit.GB},
		"a watched week":                      {watched, memory.OthersHistory, 900 * unit.MB, unit.GB},
		"a week that nobody goes on watching": {old, memory.OthersServices, 400 * unit.MB, 512 * unit.MB},
		"three days":                          {young, memory.OthersServices, 400 * unit.MB, 512 * unit.MB},
	} {
		o, ok := memory.OthersOf(c.s)
		if !ok || o.Source != c.source || o.Held != c.held || o.Counted != c.counted {
			t.Errorf("%s: %s held, %s counted by %s; want %s, %s by %s", name, o.Held, o.Counted, o.Source, c.held,
				c.counted, c.source)
		}
	}
}
