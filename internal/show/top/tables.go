package top

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
)

// The tables, in the order of their keys.
const (
	processes = iota
	waits
	checkpoints
	databases
	tableCount
)

var (
	tableNames = [tableCount]say.Message{say.M("Processes"), say.M("Waits"), say.M("Checkpoints"), say.M("Databases")}
	// for a narrow screen
	shortNames = [tableCount]say.Message{say.M("Procs"), say.M("Waits"), say.M("Ckpts"), say.M("DBs")}
)

// first is what each table is sorted by before anybody chose.
var first = [tableCount]order{{title: "TABLES"}, {}, {}, {title: "XACT/S"}}

// facts are the names of the gaps that leave something out of each table.
var facts = [tableCount][]say.Template{
	{now.GapServer, now.GapProcesses, now.GapSessions},
	{now.GapServer, now.GapSessions, now.GapLocks},
	{now.GapServer, now.GapCheckpoints, now.GapPosition},
	{now.GapServer, now.GapDatabases},
}

// tables makes a page of the report: one table, or several that follow each other.
// The first is what can be sorted.
func tables(st Style, page int, r *now.Report, wide bool) []*table {
	switch page {
	case processes:
		return []*table{processTable(st, r, wide)}
	case waits:
		return waitTables(st, r)
	case checkpoints:
		return []*table{checkpointTable(st, r)}
	}
	return []*table{databaseTable(st, r)}
}

// number is what a cell sorts by.
func number[T ~int64 | ~float64](v *T) float64 {
	if v == nil {
		return math.NaN()
	}
	return float64(*v)
}

// processTable is the processes of the instance. wide says that there is room for
// the texts of queries.
func processTable(st Style, r *now.Report, wide bool) *table {
	p := r.Processes
	size := func(title string, rank int, of func(*now.Process) *unit.Bytes) column {
		return column{title: title, width: 8, rank: rank, cell: func(i int) string { return st.size(of(&p[i])) },
			num: func(i int) float64 { return number(of(&p[i])) }}
	}
	t := &table{n: len(p), empty: st.say("no process of an instance was found"), cols: []column{
		{title: "PID", width: 7, cell: func(i int) string { return fmt.Sprint(p[i].PID) },
			num: func(i int) float64 { return float64(p[i].PID) }},
		size("TABLES", 0, func(q *now.Process) *unit.Bytes { return q.PageTables }),
		size("ANON", 0, func(q *now.Process) *unit.Bytes { return q.Private }),
		size("SHARED", 3, func(q *now.Process) *unit.Bytes { return q.Shared }),
		size("SWAP", 6, func(q *now.Process) *unit.Bytes { return q.Swap }),
		{title: "STATE", width: 10, left: true, rank: 2, cell: func(i int) string { return state(st, &p[i]) },
			tone: func(i int) tone { return stateTone(p[i].State) }},
		{title: "QUERY", width: 7, rank: 4, cell: func(i int) string { return queryAge(st, &p[i]) },
			num: func(i int) float64 { return number(p[i].QueryAge) }},
		{title: "TYPE", width: 17, left: true, rank: 7, cell: func(i int) string { return clean(p[i].Type) }},
		{title: "WAITS FOR", width: 22, left: true, rank: 5, cell: func(i int) string {
			return waitName(p[i].WaitType, p[i].WaitEvent)
		}, tone: func(i int) tone { return waitTone(p[i].WaitType) }},
		{title: "WHO", width: 16, left: true, rest: !wide, cell: func(i int) string { return ownerText(st, &p[i]) }},
	}}
	if wide {
		t.cols[len(t.cols)-1].width = 30
		t.cols = append(t.cols, column{title: "LAST QUERY", width: 20, rest: true, left: true,
			cell: func(i int) string { return clean(p[i].Query) }})
	}
	return t
}

// state shortens the state of a session for a narrow column.
func state(st Style, p *now.Process) string {
	switch {
	case p.Hidden:
		return st.say("hidden")
	case p.State == "idle in transaction":
		return "idle in tx"
	case p.State == "idle in transaction (aborted)":
		return "aborted tx"
	case p.State == "fastpath function call":
		return "fastpath"
	case p.State == "" && untold(p):
		return st.none()
	}
	return clean(p.State)
}

// untold reports whether the server could report what a process does, and did not. It reports nothing about its
// postmaster.
func untold(p *now.Process) bool {
	return p.Hidden || p.Title != "" && p.Type != host.KindPostmaster
}

func queryAge(st Style, p *now.Process) string {
	if p.QueryAge == nil && !untold(p) { // it runs none
		return ""
	}
	return st.age(p.QueryAge)
}

func stateTone(s string) tone {
	switch s {
	case "active":
		return good
	case "idle in transaction", "idle in transaction (aborted)":
		return warn
	case "idle":
		return faint
	}
	return plain
}

// waitName spells a wait event as the manual does: Lock:transactionid.
func waitName(kind, event string) string {
	if kind == "" {
		return ""
	}
	return clean(kind) + ":" + clean(event)
}

func waitTone(kind string) tone {
	switch kind {
	case "Lock":
		return bad
	case "LWLock", "BufferPin", "Buffer":
		return warn
	case "IO":
		return info
	case "Activity", "Client":
		return faint
	}
	return plain
}

// ownerText says whose a process is: role@database and the application of a client, the
// type of every other process.
func ownerText(st Style, p *now.Process) string {
	of := sessionOf(st, p.Role, p.Database)
	switch {
	case p.Title != "" && p.Type != host.KindPostmaster:
		return clean(p.Title)
	case p.Type == "client backend" || p.Hidden:
		return strings.TrimSpace(of + " " + clean(p.Application))
	case of != "":
		return clean(p.Type) + " " + of
	}
	return clean(p.Type)
}

func sessionOf(st Style, role, database string) string {
	if role == "" && database == "" {
		return ""
	}
	if role == "" {
		return "@" + clean(database)
	}
	if database == "" {
		return clean(role)
	}
	return clean(role) + "@" + clean(database)
}

// waitTables is what the processes wait for, which session blocks which, and the idle ones, which are many and matter
// least.
func waitTables(st Style, r *now.Report) []*table {
	var busy, idle []now.Wait
	for _, w := range r.Waits {
		if w.Idle {
			idle = append(idle, w)
		} else {
			busy = append(busy, w)
		}
	}
	out := []*table{waitTable(st, "", busy)}
	out[0].empty = st.say("no active process was found")
	if len(r.Locks) > 0 {
		out = append(out, lockTable(st, r))
	}
	if len(idle) > 0 {
		out = append(out, waitTable(st, st.say("Idle"), idle))
	}
	return out
}

func waitTable(st Style, title string, w []now.Wait) *table {
	return &table{title: title, n: len(w), cols: []column{
		{title: "PROCESSES", width: 9, cell: func(i int) string { return fmt.Sprint(w[i].Processes) },
			num: func(i int) float64 { return float64(w[i].Processes) }},
		{title: "WAIT FOR", width: 24, left: true, rest: true, cell: func(i int) string {
			if w[i].Type == "" {
				return st.say("(none: runs, or waits for a CPU)")
			}
			return waitName(w[i].Type, w[i].Event)
		}, tone: func(i int) tone { return waitTone(w[i].Type) }},
	}}
}

// lockTable is the trees of waiting sessions.
func lockTable(st Style, r *now.Report) *table {
	l := r.Locks
	return &table{title: st.say("Lock waits, blockers first"), n: len(l), cols: []column{
		{title: "PID", width: 13, left: true, cell: func(i int) string {
			in := strings.Repeat("  ", min(l[i].Depth, 3))
			if l[i].PID == 0 {
				return in + st.say("prepared")
			}
			return in + fmt.Sprint(l[i].PID)
		}, tone: func(i int) tone {
			if l[i].Depth == 0 {
				return bad
			}
			return plain
		}},
		{title: "BEHIND", width: 6, cell: func(i int) string { return fmt.Sprint(l[i].Waiters) }},
		{title: "XACT", width: 7, cell: func(i int) string { return st.age(l[i].XactAge) }},
		{title: "STATE", width: 10, left: true, rank: 2, cell: func(i int) string {
			return state(st, &now.Process{State: l[i].State})
		}, tone: func(i int) tone { return stateTone(l[i].State) }},
		{title: "WHO", width: 18, left: true, rank: 1, cell: func(i int) string {
			return strings.TrimSpace(sessionOf(st, l[i].Role, l[i].Database) + " " + clean(l[i].Application))
		}},
		{title: "LAST QUERY", width: 12, rest: true, left: true, cell: func(i int) string { return clean(l[i].Query) }},
	}}
}

// checkpointTable is counters of checkpoints, WAL and writes, one a line.
func checkpointTable(st Style, r *now.Report) *table {
	c := r.Checkpoints
	type line struct{ what, total, average, now string }
	var l []line
	if c != nil {
		average := func(n int64, scale float64, unit string) string {
			if c.Since <= 0 || scale == 0 {
				return st.none()
			}
			return rate(float64(n)*scale/c.Since) + unit
		}
		counted := func(what string, n *now.Count, scale float64, unit string) {
			if n == nil {
				return
			}
			now := st.none()
			if n.Rate != nil {
				now = rate(*n.Rate) + "/s"
			}
			l = append(l, line{what, count(n.Total), average(n.Total, scale, unit), now})
		}
		counted(st.say("timed checkpoints"), &c.Timed, 3600, "/h")
		counted(st.say("requested checkpoints"), &c.Requested, 3600, "/h")
		last := st.none()
		if c.LastAge != nil {
			last = st.say("{age} ago", "age", span(*c.LastAge))
		}
		l = append(l, line{what: st.say("start of the last checkpoint"), total: last},
			line{st.say("write time of checkpoints"), ago(c.WriteMS / 1000), partOf(st, c.WriteMS, c.Since), ""},
			line{st.say("fsync time of checkpoints"), ago(c.SyncMS / 1000), partOf(st, c.SyncMS, c.Since), ""})
		wal := line{what: st.say("WAL position"), total: st.none(), now: st.none()}
		if w := c.WAL; w != nil {
			wal.total = unit.Bytes(w.Total).String()
			if w.Rate != nil {
				wal.now = perSecond(*w.Rate)
			}
		}
		l = append(l, wal)
		counted(st.say("buffers written by checkpoints"), &c.Checkpointer, 1, "/s")
		counted(st.say("buffers written by bgwriter"), &c.Background, 1, "/s")
		counted(st.say("buffers written by backends"), c.Backends, 1, "/s")
		// of another view, which is reset by itself
		counted(st.say("write calls of backends"), c.BackendCalls, 0, "")
		counted(st.say("fsync calls of backends"), c.BackendSyncs, 1, "/s")
		counted(st.say("buffers allocated"), &c.Allocated, 1, "/s")
		counted(st.say("stops at bgwriter_lru_maxpages"), &c.MaxWritten, 3600, "/h")
	}
	return &table{n: len(l), empty: st.say("checkpoints are unknown"), cols: []column{
		{title: "SINCE THE LAST RESET", width: 22, rest: true, left: true,
			cell: func(i int) string { return l[i].what }},
		{title: "TOTAL", width: 11, cell: func(i int) string { return l[i].total }},
		{title: "AVERAGE", width: 10, rank: 1, cell: func(i int) string { return l[i].average }},
		{title: "NOW", width: 10, cell: func(i int) string { return l[i].now }, tone: func(i int) tone {
			if l[i].now == "0/s" || l[i].now == "0 B/s" {
				return faint
			}
			return plain
		}},
	}}
}

func perSecond(v float64) string {
	return unit.Bytes(math.Min(v, 1e15)).String() + "/s"
}

// partOf is the share of a time in which something was done.
func partOf(st Style, ms, secs float64) string {
	if secs <= 0 {
		return st.none()
	}
	return st.number(share(ms / secs / 10))
}

// databaseTable is the databases.
func databaseTable(st Style, r *now.Report) *table {
	d := r.Databases
	rated := func(title string, width, rank int, of func(*now.Database) *float64, spell func(*float64) string) column {
		return column{title: title, width: width, rank: rank, cell: func(i int) string { return spell(of(&d[i])) },
			num: func(i int) float64 { return number(of(&d[i])) }}
	}
	amount := func(v *float64) string {
		if v == nil {
			return st.none()
		}
		return perSecond(*v)
	}
	return &table{n: len(d), empty: st.say("no database was found"), cols: []column{
		{title: "DATABASE", width: 14, rest: true, left: true, cell: func(i int) string { return clean(d[i].Name) }},
		{title: "CONN", width: 5, cell: func(i int) string { return fmt.Sprint(d[i].Connections) },
			num: func(i int) float64 { return float64(d[i].Connections) }},
		rated("XACT/S", 7, 0, func(d *now.Database) *float64 { return d.Xacts.Rate }, st.rate),
		rated("ROLLB/S", 7, 6, func(d *now.Database) *float64 { return d.Rollbacks.Rate }, st.rate),
		rated("HIT %", 6, 0, func(d *now.Database) *float64 { return d.HitNow }, st.percent),
		rated("EVER %", 6, 2, func(d *now.Database) *float64 { return d.HitAll }, st.percent),
		rated("READ/S", 7, 3, func(d *now.Database) *float64 { return d.Reads.Rate }, st.rate),
		rated("TEMP/S", 9, 1, func(d *now.Database) *float64 { return d.Temp.Rate }, amount),
		{title: "TEMP", width: 8, rank: 4, cell: func(i int) string {
			total := unit.Bytes(d[i].Temp.Total)
			return st.size(&total)
		},
			num: func(i int) float64 { return float64(d[i].Temp.Total) }},
		{title: "DEADLOCKS", width: 9, rank: 5, cell: func(i int) string { return count(d[i].Deadlocks) },
			num: func(i int) float64 { return float64(d[i].Deadlocks) }},
	}}
}
