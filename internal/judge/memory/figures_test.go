package memory

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

func TestFiguresOfAServer(t *testing.T) {
	set := settings(t, 18, map[string]string{"work_mem": "65536", "autovacuum_work_mem": "-1",
		"maintenance_work_mem": "1048576", "max_worker_processes": "40", "max_parallel_workers": "16",
		"io_workers": "5"})
	m, ok := Figures(Present(set), Mixed)
	if !ok || m.WorkMem != 64*unit.MB || m.TempBuffers != 8*unit.MB || m.HashFactor != 2 || m.Connections != 100 {
		t.Errorf("%v %+v", ok, m)
	}
	if m.Autovacuum != unit.GB {
		t.Errorf("autovacuum_work_mem = -1 is %s, not maintenance_work_mem", m.Autovacuum)
	}
	// The other 24 slots of max_worker_processes are unused.
	with := m.Processes
	if m.Parallel != 16 {
		t.Errorf("%d parallel workers", m.Parallel)
	}
	method := set["io_method"]
	method.Value = "sync"
	set["io_method"] = method
	if m, _ := Figures(Present(set), Mixed); with-m.Processes != 5 {
		t.Errorf("%d processes with I/O workers, %d without", with, m.Processes)
	}
	delete(set, "work_mem")
	if _, ok := Figures(Present(set), Mixed); ok {
		t.Error("figures without work_mem")
	}
}

// TestFiguresOfIOWorkers: 19 has io_max_workers in place of io_workers, and both are processes.
func TestFiguresOfIOWorkers(t *testing.T) {
	before, _ := Figures(Present(settings(t, 18, nil)), Mixed) // 3 by default
	if m, ok := Figures(Present(settings(t, 19, nil)), Mixed); !ok || m.Processes != before.Processes+5 {
		t.Errorf("%v: %d processes with 8 I/O workers at most, %d with 3", ok, m.Processes, before.Processes)
	}
}

func TestFiguresOfNonsense(t *testing.T) {
	for _, v := range []string{"NaN", "Inf", "-5", "9e99", "1e15", "", "x"} {
		set := settings(t, 17, map[string]string{"temp_buffers": v})
		if m, ok := Figures(Present(set), Mixed); ok {
			t.Errorf("temp_buffers = %s: %+v", v, m)
		}
	}
}

func TestProcessors(t *testing.T) {
	quota := func(q float64, set int) known.Fact[host.CGroup] {
		cg := host.CGroup{}
		if q > 0 {
			cg.CPUs = known.Is(q)
		}
		if set > 0 {
			cg.CPUSet = known.Is(set)
		}
		return known.Is(cg)
	}
	s := &snapshot.Snapshot{Host: host.Host{CPU: known.Is(host.CPU{Logical: 16})}}
	for _, c := range []struct {
		group known.Fact[host.CGroup]
		want  int
	}{
		{quota(0, 0), 16}, {quota(2.5, 0), 2}, {quota(0.5, 0), 1}, {quota(64, 0), 16}, {quota(6, 4), 4},
		{known.Missed[host.CGroup](known.Gap{Fact: "cgroup"}), 16},
	} {
		in := &snapshot.Instance{CGroup: c.group}
		if got, ok := Processors(s, in).Get(); !ok || got != c.want {
			t.Errorf("%+v: %d, want %d", c.group, got, c.want)
		}
	}
	if f := Processors(&snapshot.Snapshot{}, nil); f.Known() {
		t.Error("processors of nothing")
	}
}

// TestActive: three per CPU, more if more are active now, and no more than there are connections.
func TestActive(t *testing.T) {
	busy := func(n int64) *snapshot.Instance {
		in := &snapshot.Instance{}
		in.Server.Activity = known.Is(pg.Activity{States: map[string]pg.StateCount{"active": {Count: n}}})
		return in
	}
	for _, c := range []struct {
		in                *snapshot.Instance
		cpus, conns, want int
	}{
		{&snapshot.Instance{}, 4, 100, 12}, {busy(5), 4, 100, 12}, {busy(40), 4, 100, 40}, {busy(400), 4, 100, 100},
		{busy(1), 64, 100, 100},
	} {
		if got := Mixed.Active(c.in, c.cpus, c.conns, 0); got != c.want {
			t.Errorf("%d processors, %d connections: %d, want %d", c.cpus, c.conns, got, c.want)
		}
	}
	if got := (Load{PerCPU: 0.25}).Active(&snapshot.Instance{}, 1, 10, 0); got != 1 {
		t.Errorf("nobody at work: %d", got)
	}
}

// TestActiveIsBoundedByMemory: one session for each 64 MB, unless more are at
// work now.
func TestActiveIsBoundedByMemory(t *testing.T) {
	busy := &snapshot.Instance{}
	busy.Server.Activity = known.Is(pg.Activity{States: map[string]pg.StateCount{"active": {Count: 70}}})
	for _, c := range []struct {
		in   *snapshot.Instance
		cpus int
		part unit.Bytes
		want int
	}{
		{&snapshot.Instance{}, 64, 4 * unit.GB, 64}, {&snapshot.Instance{}, 64, 16 * unit.GB, 192},
		{&snapshot.Instance{}, 4, 4 * unit.GB, 12},
		{&snapshot.Instance{}, 64, 127 * unit.MB, 1}, {&snapshot.Instance{}, 64, 32 * unit.MB, 1},
		{busy, 64, unit.GB, 70},
	} {
		if got := Mixed.Active(c.in, c.cpus, 300, c.part); got != c.want {
			t.Errorf("%d processors and %s: %d, want %d", c.cpus, c.part, got, c.want)
		}
	}
	if got := Mixed.AtWork(&snapshot.Instance{}, 64, 300, 96*unit.MB); got != 1.5 {
		t.Errorf("96 MB: %v", got)
	}
}

// TestPartOf: a cgroup's limit is shared by those under it, the host's memory by all.
func TestPartOf(t *testing.T) {
	group := func(path string, limit unit.Bytes) snapshot.Instance {
		return snapshot.Instance{CGroup: known.Is(host.CGroup{Path: path, Memory: known.Is(limit)})}
	}
	s := &snapshot.Snapshot{Host: host.Host{Memory: known.Is(host.Memory{Total: 64 * unit.GB})},
		Instances: []snapshot.Instance{group("/a", 8*unit.GB), group("/a", 8*unit.GB), group("/b", 60*unit.GB), {}}}
	for i, want := range []unit.Bytes{4 * unit.GB, 4 * unit.GB, 16 * unit.GB, 16 * unit.GB} {
		if got, _ := PartOf(s, &s.Instances[i]).Get(); got != want {
			t.Errorf("instance %d: %s, want %s", i, got, want)
		}
	}
	if f := PartOf(&snapshot.Snapshot{}, &snapshot.Instance{}); f.Known() {
		t.Error("a part of nothing")
	}
}

// TestTempBuffersThatSomebodyChose: another value than the default says that
// they are used.
func TestTempBuffersThatSomebodyChose(t *testing.T) {
	web := Load{}
	if m, _ := Figures(Present(settings(t, 17, nil)), web); m.TempTables != 0 {
		t.Errorf("the default: %v", m.TempTables)
	}
	if m, _ := Figures(Present(settings(t, 17, map[string]string{"temp_buffers": "4096"})), web); m.TempTables != 0.5 {
		t.Errorf("32 MB: %v", m.TempTables)
	}
	if m, _ := Figures(Present(settings(t, 17, map[string]string{"temp_buffers": "4096"})),
		Load{TempTables: 1}); m.TempTables != 1 {
		t.Errorf("32 MB for 1C: %v", m.TempTables)
	}
}

// TestAsItIs: on huge pages the segment takes whole ones, on ordinary ones the
// host's own size counts.
func TestAsItIs(t *testing.T) {
	s := &snapshot.Snapshot{Host: host.Host{Memory: known.Is(host.Memory{HugePageSize: 512 * unit.MB}),
		PageSize: known.Is(64 * unit.KB)}}
	in := serverOf(t, 17, map[string]string{"shared_memory_size": "4200", "huge_pages_status": "on"})
	if m, ok := AsItIs(s, in, Mixed).Get(); !ok || m.Shared != 4608*unit.MB || m.SharedPage != 512*unit.MB ||
		m.Active != 0 {
		t.Errorf("on huge pages: %+v", m)
	}
	in = serverOf(t, 17, map[string]string{"shared_memory_size": "4200", "huge_pages_status": "off"})
	if m, ok := AsItIs(s, in, Mixed).Get(); !ok || m.Shared != 4200*unit.MB || m.SharedPage != 64*unit.KB {
		t.Errorf("on ordinary ones: %+v", m)
	}
	if f := AtPeak(s, in, Mixed); f.Known() || f.Gap() == (known.Gap{}) {
		t.Error("a peak without processors")
	}
	s.Host.CPU = known.Is(host.CPU{Logical: 8})
	if m, _ := AtPeak(s, in, Mixed).Get(); m.Active != 24 {
		t.Errorf("%d at work on 8 processors", m.Active)
	}
}

// TestHugePagesUntold: if nothing reports whether a server runs on huge pages, it is computed on them when it asks for
// them and enough are free.
func TestHugePagesUntold(t *testing.T) {
	at := func(free, promised int64, asked string) unit.Bytes {
		s := &snapshot.Snapshot{Host: host.Host{Memory: known.Is(host.Memory{HugePageSize: 2 * unit.MB, HugeFree: free,
			HugeRsvd: promised})}}
		in := serverOf(t, 16, map[string]string{"shared_memory_size": "4200",
			"shared_memory_size_in_huge_pages": "2100", "huge_pages": asked})
		m, _ := AsItIs(s, in, Mixed).Get()
		return m.SharedPage
	}
	for _, c := range []struct {
		free, promised int64
		asked          string
		want           unit.Bytes
	}{
		{2100, 0, "try", 2 * unit.MB}, {2100, 0, "on", 2 * unit.MB},
		{2100, 1, "try", 4 * unit.KB}, {2099, 0, "on", 4 * unit.KB}, {2100, 0, "off", 4 * unit.KB},
	} {
		if got := at(c.free, c.promised, c.asked); got != c.want {
			t.Errorf("%d pages free, %d of them promised, huge_pages = %s: on pages of %s, want %s", c.free, c.promised,
				c.asked, got, c.want)
		}
	}
}

// TestCommits: what strict overcommit counts is what is mapped; a published
// server with everything in huge pages commits its private memory only.
func TestCommits(t *testing.T) {
	m := Instance{Shared: 16 * unit.GB, Connections: 90, Processes: 10, Active: 10, WorkMem: unit.MB, Sorts: 1,
		TempBuffers: 8 * unit.MB, TempTables: 0.5, Maintenance: unit.GB}
	private := m.Commits(false)
	if want := 1000*unit.MB + 40*unit.MB + 10*unit.MB + unit.GB; private != want {
		t.Errorf("%s, want %s", private, want)
	}
	if got := m.Commits(true) - private; got != 16*unit.GB {
		t.Errorf("shared memory on ordinary pages counts as %s", got)
	}
}
