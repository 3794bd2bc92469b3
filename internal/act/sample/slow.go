package sample

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/live"
)

// SlowOptions say what to watch.
type SlowOptions struct {
	Duration   time.Duration
	Postmaster int            // process id on this host; 0: not known
	CGroup     string         // folder of the instance's cgroup, of either version; "" if there is none
	Conn       *pgconn.PgConn // nil: the server is not asked
	Host       bool           // the files of the host are those of the instance's host
	Perf       bool           // run perf next to it
	Tell       func(string)   // progress; may be nil
}

const (
	// every is how often the server is asked: a wait that takes a share of the
	// time is seen that share of hundred times in half a minute, and the query
	// costs the server less than a millisecond.
	slowInterval = 250 * time.Millisecond
	// blockersEvery is how many looks go by between two for those who block: the
	// question takes every partition of the lock table for a moment.
	blockersEvery = 4
	// kthreadd is the parent of the kernel's threads.
	kthreadd = 2
	// topProcesses is how many of the busiest are kept.
	topProcesses = 8
)

// waits counts what every process of the server does at this moment.
const waits = `SELECT coalesce(backend_type, ''), coalesce(state, ''), coalesce(wait_event_type, ''), ` +
	`coalesce(wait_event, ''), count(*)
FROM pg_catalog.pg_stat_activity WHERE pid <> pg_catalog.pg_backend_pid() GROUP BY 1, 2, 3, 4`

// blockers are those at the head of each queue: they hold a lock that others wait
// for, and wait for none themselves; counted are all behind them. Process 0 stands
// for a prepared transaction. Fifty waiters are enough to find them.
const blockers = `WITH RECURSIVE edge AS MATERIALIZED (
  SELECT w.pid AS waiter, u.pid AS blocker, w.query, w.age
  FROM (SELECT pid, left(query, 200) AS query, coalesce(extract(epoch FROM now() - query_start), 0)::bigint AS age, ` +
	`pg_catalog.pg_blocking_pids(pid) AS by FROM ` +
	`pg_catalog.pg_stat_activity WHERE wait_event_type = 'Lock' LIMIT 50) w
  CROSS JOIN LATERAL unnest(w.by) AS u(pid)),
chain AS (SELECT blocker AS root, waiter FROM edge UNION SELECT c.root, e.waiter FROM chain c JOIN edge e ON ` +
	`e.blocker = c.waiter)
SELECT c.root, count(DISTINCT c.waiter), CASE WHEN c.root = 0 THEN 'a prepared transaction' ELSE coalesce(b.state, ` +
	`'') END,
  coalesce(extract(epoch FROM now() - b.xact_start), 0)::bigint, left(coalesce(b.query, ''), 200), coalesce((SELECT ` +
	`min(query) FROM edge WHERE blocker = c.root), ''),
  coalesce((SELECT string_agg(x.waiter || ' ' || x.age, ',' ORDER BY x.age DESC) FROM (SELECT waiter, ` +
	`max(age) AS age FROM edge WHERE blocker = c.root GROUP BY waiter ORDER BY 2 DESC LIMIT 5) x), '')
FROM chain c LEFT JOIN pg_catalog.pg_stat_activity b ON b.pid = c.root
WHERE coalesce(b.wait_event_type, '') <> 'Lock'
GROUP BY c.root, b.state, b.xact_start, b.query ORDER BY 2 DESC LIMIT 10`

// Slow watches. The error is the context's, or a server that went away at once;
// what else could not be seen is in the episode, with the reason.
func Slow(ctx context.Context, t target.Target, o SlowOptions) (*live.Episode, error) {
	w := &slowSampler{t: t, o: o, e: &live.Episode{HostSeen: o.Host}, waits: map[live.Wait]int{},
		blockers: map[int]live.Blocker{}, missed: map[string]bool{}}
	perf := w.perf(ctx)
	began := t.Now()
	procs := w.begin()
	last := began
	for n := 0; ; n++ {
		w.look(ctx, n)
		last = t.Now()
		left := o.Duration - last.Sub(began)
		if left <= 0 {
			break
		}
		if o.Tell != nil && n%4 == 0 {
			o.Tell(fmt.Sprintf("watching: %d s left", int(left.Seconds())+1))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(slowInterval, left)):
		}
	}
	w.end(procs, last.Sub(began))
	if r, ok := <-perf; ok {
		w.e.Perf = r.symbols
		if r.gap != nil {
			w.e.Missing = append(w.e.Missing, *r.gap)
		}
	}
	return w.e, ctx.Err()
}

type slowSampler struct {
	t        target.Target
	o        SlowOptions
	e        *live.Episode
	waits    map[live.Wait]int
	blockers map[int]live.Blocker
	missed   map[string]bool
	broken   bool // the connection is gone
	noBlock  bool // who blocks cannot be asked
}

// miss notes once what could not be seen.
func (w *slowSampler) miss(name string, err error) {
	if w.missed[name] {
		return
	}
	w.missed[name] = true
	_, g := fileGap(err)
	g.Fact = name
	w.e.Missing = append(w.e.Missing, g)
}

// readWith reads a file with its reader, and notes it where that fails.
func readWith[T any](w *slowSampler, name string, parse func([]byte) (T, error)) (T, bool) {
	b, err := w.t.ReadFile(name, maxFile)
	var v T
	if err == nil {
		v, err = parse(b)
	}
	if err != nil {
		w.miss(name, err)
		return v, false
	}
	return v, true
}

func (w *slowSampler) counters() live.Counters {
	c := live.Counters{VM: map[string]int64{}, Pressure: map[string]host.PSITotals{}, CGroup: map[string]int64{},
		CGPressure: map[string]host.PSITotals{}}
	if !w.o.Host {
		return c
	}
	c.CPU, _ = readWith(w, "/proc/stat", host.ParseCPUCounters)
	named := func(names []string) func([]byte) (map[string]int64, error) {
		return func(b []byte) (map[string]int64, error) { return host.ParseCounters(b, names) }
	}
	if vm, ok := readWith(w, "/proc/vmstat", named(live.VMNames)); ok {
		c.VM = vm
	}
	for _, k := range []string{"cpu", "memory", "io"} {
		if p, ok := readWith(w, "/proc/pressure/"+k, host.ParsePSITotals); ok {
			c.Pressure[k] = p
		}
	}
	if w.o.CGroup != "" {
		w.group(&c, named(live.GroupNames))
	}
	return c
}

// group reads the cgroup. Version 1 has no pressure and no events; its failcnt counts how often the limit was met, as
// max of memory.events does.
func (w *slowSampler) group(c *live.Counters, named func([]byte) (map[string]int64, error)) {
	file := func(name string) string { return path.Join(w.o.CGroup, name) }
	one := func(b []byte) (int64, error) {
		s := strings.TrimSpace(string(b))
		if s == "max" {
			return 0, nil
		}
		return strconv.ParseInt(s, 10, 64)
	}
	current, limit, counters := "memory.current", "memory.max", []string{"memory.stat", "memory.events", "cpu.stat"}
	if _, err := w.t.Stat(file("memory.usage_in_bytes")); err == nil {
		current, limit, counters = "memory.usage_in_bytes", "memory.limit_in_bytes", []string{"memory.stat"}
		if n, ok := readWith(w, file("memory.failcnt"), one); ok {
			c.CGroup["max"] = max(n, 0)
		}
	} else {
		for _, k := range []string{"cpu", "memory", "io"} {
			if p, ok := readWith(w, file(k+".pressure"), host.ParsePSITotals); ok {
				c.CGPressure[k] = p
			}
		}
	}
	for _, f := range counters {
		if m, ok := readWith(w, file(f), named); ok {
			maps.Copy(c.CGroup, m)
		}
	}
	cur, _ := readWith(w, file(current), one)
	most, _ := readWith(w, file(limit), one)
	c.CGMemory = unit.Bytes(cur)
	if most < 1<<60 { // version 1 spells «no limit» as 2^63-4096
		c.CGMemoryMax = unit.Bytes(most)
	}
}

// begin reads the counters and the processes.
func (w *slowSampler) begin() map[int]host.ProcessStat {
	w.e.Before = w.counters()
	return w.processes()
}

func (w *slowSampler) end(before map[int]host.ProcessStat, took time.Duration) {
	e := w.e
	e.After, e.Seconds = w.counters(), took.Seconds()
	e.Processes = busiest(before, w.processes(), w.o.Postmaster)
	for wt, n := range w.waits {
		wt.Seen = n
		e.Waits = append(e.Waits, wt)
	}
	slices.SortFunc(e.Waits, func(a, b live.Wait) int {
		return cmp.Or(b.Seen-a.Seen, cmp.Compare(a.Type+a.Event, b.Type+b.Event),
			cmp.Compare(a.Backend+a.State, b.Backend+b.State))
	})
	e.Blockers = slices.SortedFunc(maps.Values(w.blockers), func(a, b live.Blocker) int {
		return cmp.Or(b.Waiters-a.Waiters, a.PID-b.PID)
	})
	if !w.o.Host {
		return
	}
	e.CPUs = w.cpus()
	if m, ok := readWith(w, "/proc/meminfo", host.ParseMemory); ok {
		e.Memory, e.Available, e.Tables = m.Total, m.Available, m.PageTables
	}
}

// cpus counts the lines cpuN of /proc/stat.
func (w *slowSampler) cpus() int {
	b, err := w.t.ReadFile("/proc/stat", maxFile)
	if err != nil {
		return 0
	}
	return host.CountCPUs(b)
}

// processes reads /proc/PID/stat of all; those that end meanwhile are omitted.
func (w *slowSampler) processes() map[int]host.ProcessStat {
	out := map[int]host.ProcessStat{}
	if !w.o.Host {
		return out
	}
	names, err := w.t.ReadDir("/proc")
	if err != nil {
		w.miss("/proc", err)
		return out
	}
	for _, n := range names {
		if n[0] < '0' || n[0] > '9' {
			continue
		}
		if b, err := w.t.ReadFile("/proc/"+n+"/stat", 4096); err == nil {
			if p, err := host.ParseProcessStat(b); err == nil {
				out[p.PID] = p
			}
		}
	}
	return out
}

// busiest returns the processes that used most CPU time. A reused process ID has less than before, and counts from
// zero.
func busiest(before, after map[int]host.ProcessStat, postmaster int) []live.Busy {
	var out []live.Busy
	for pid, p := range after {
		b := before[pid]
		if b.Name != p.Name || b.Ticks > p.Ticks {
			b = host.ProcessStat{}
		}
		busy := live.Busy{PID: pid, Name: p.Name, CPU: float64(p.Ticks-b.Ticks) * tick.Seconds(),
			Major: p.Major - b.Major, Minor: p.Minor - b.Minor,
			Kernel: pid == kthreadd || p.Parent == kthreadd, Ours: postmaster > 0 &&
				(pid == postmaster || p.Parent == postmaster)}
		if busy.CPU > 0 {
			out = append(out, busy)
		}
	}
	slices.SortFunc(out, func(a, b live.Busy) int { return cmp.Or(cmp.Compare(b.CPU, a.CPU), a.PID-b.PID) })
	return out[:min(topProcesses, len(out))]
}

// look reads the run queue and asks the server once.
func (w *slowSampler) look(ctx context.Context, n int) {
	if w.o.Host {
		if c, ok := readWith(w, "/proc/stat", host.ParseCPUCounters); ok {
			w.e.Ticks = append(w.e.Ticks, live.Tick{Running: max(c.Running-1, 0), Blocked: c.Blocked}) // we run as well
		}
	}
	if w.o.Conn == nil || w.broken {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	rows, err := w.ask(ctx, waits)
	if err != nil {
		w.miss("pg_stat_activity", err)
		w.broken = w.o.Conn.IsClosed()
		return
	}
	w.e.Asked++
	locked := false
	for _, r := range rows {
		count, _ := strconv.Atoi(r[4])
		w.waits[live.Wait{Backend: r[0], State: r[1], Type: r[2], Event: r[3]}] += count
		locked = locked || r[2] == "Lock"
	}
	if !locked || n%blockersEvery != 0 || w.noBlock {
		return
	}
	if rows, err = w.ask(ctx, blockers); err != nil {
		w.miss("pg_blocking_pids", err)
		w.noBlock = true
		return
	}
	for _, r := range rows {
		var b live.Blocker
		b.PID, _ = strconv.Atoi(r[0])
		b.Waiters, _ = strconv.Atoi(r[1])
		b.State, b.Query, b.Example = r[2], r[4], r[5]
		b.Since, _ = strconv.ParseInt(r[3], 10, 64)
		for _, one := range strings.Split(r[6], ",") {
			pid, age, ok := strings.Cut(one, " ")
			var x live.Waiter
			x.PID, _ = strconv.Atoi(pid)
			if x.Seconds, _ = strconv.ParseInt(age, 10, 64); ok && x.PID > 0 {
				b.Waiting = append(b.Waiting, x)
			}
		}
		if old, ok := w.blockers[b.PID]; (!ok || old.Waiters <= b.Waiters) && (ok || len(w.blockers) < 100) {
			w.blockers[b.PID] = b
		}
	}
}

func (w *slowSampler) ask(ctx context.Context, sql string) ([][7]string, error) {
	res := w.o.Conn.ExecParams(ctx, sql, nil, nil, nil, nil).Read()
	if res.Err != nil {
		return nil, res.Err
	}
	var out [][7]string
	for _, r := range res.Rows {
		var row [7]string
		for i := range min(len(r), len(row)) {
			row[i] = string(r[i])
		}
		out = append(out, row)
	}
	return out, nil
}
