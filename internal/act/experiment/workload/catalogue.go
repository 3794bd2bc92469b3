package workload

import (
	"embed"
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

//go:embed sql
var files embed.FS

// text is an embedded file. One that is missing is a fault of the build.
func text(name string) string {
	b, err := files.ReadFile("sql/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// catalogue are the workloads of List, in the order in which they are shown.
var catalogue = []func() Workload{tpcb, simpleUpdate, selectOnly, pointSelect, oltpRW, olap, onec, ingest, connect}

// What one unit of scale takes, measured on 15 with blocks of 8 kB at scales 1 and
// 11: the tables with their indexes, TOAST tables and maps.
const (
	pgbenchUnit = 15_312 * unit.KB
	rowsUnit    = 26_984 * unit.KB
	olapUnit    = 12_578 * unit.KB
	olapList    = 0.53            // 10.2 s at scale 19, two clients on two CPUs, 18
	olapBase    = 2_885 * unit.KB // goods, stores and regions are there once
	onecUnit    = 18_689 * unit.KB
	onecBase    = 822 * unit.KB
	ingestUnit  = 22_151 * unit.KB
)

func tpcb() Workload {
	return Workload{Name: "tpcb", Title: say.M("pgbench's own: three updates, a read and an insert"), Writes: true,
		Builtin:   "tpcb-like",
		ScaleUnit: pgbenchUnit, Protocol: Prepared, data: dataset{name: "pgbench"},
		About: "Exercises WAL, checkpoints and the flush of each commit. Every transaction updates a row of the " +
			"small table of branches: " +
			"with more clients than the scale has branches it measures the queue for those rows."}
}

func simpleUpdate() Workload {
	return Workload{Name: "simple-update", Title: say.M("pgbench's own without the hot rows: an update, a read and " +
		"an insert"),
		Writes: true, Builtin: "simple-update",
		ScaleUnit: pgbenchUnit, Protocol: Prepared, data: dataset{name: "pgbench"},
		About: "As tpcb, but no two transactions want the same row: WAL, checkpoints and commits without a queue " +
			"for locks."}
}

func selectOnly() Workload {
	return Workload{Name: "select-only", Title: say.M("pgbench's own: one row by its key"), Builtin: "select-only",
		ScaleUnit: pgbenchUnit, Protocol: Prepared, data: dataset{name: "pgbench"},
		About: "Exercises the protocol, the CPUs, and with many clients the page tables. Data that fit into " +
			"memory say nothing about storage."}
}

func pointSelect() Workload {
	return Workload{Name: "point-select", Title: say.M("one row by its key out of four tables"),
		Scripts:   tables("rows/point.sql", "point"),
		ScaleUnit: rowsUnit, Protocol: Prepared, data: dataset{name: "rows"},
		About: "Exercises the way through an index, shared buffers and huge pages. Rows are 230 bytes wide, and " +
			"four relations share the buffers."}
}

func oltpRW() Workload {
	return Workload{Name: "oltp-rw", Title: say.M("ten reads by key, four ranges, two updates, a delete and an insert"),
		Writes: true, Scripts: tables("rows/rw.sql", "rw"),
		ScaleUnit: rowsUnit, Protocol: Prepared, data: dataset{name: "rows"},
		About: "Exercises what an application does in one transaction: reads by key, ranges with a sum, a sort and " +
			"a distinct, and few writes. No two transactions deadlock."}
}

func olap() Workload {
	return Workload{Name: "olap", Title: say.M("ten analytic queries, one after another"),
		Stream: true, ListTime: olapList,
		Scripts:   []Script{{Name: "stream", Text: text("olap/stream.sql"), Weight: 1}},
		ScaleUnit: olapUnit, Base: olapBase, Protocol: Prepared, data: dataset{name: "olap"},
		About: "Exercises work_mem, parallel queries, JIT and the planner's costs over a shop's sales. Each client " +
			"works through all ten; the time of each query and of the list is measured."}
}

func onec() Workload {
	return Workload{Name: "1c", Title: say.M("reports with temporary tables, lists and postings as 1C sends them"),
		Writes: true, Uneven: true, Protocol: Simple,
		Scripts: []Script{
			{Name: "report", Text: text("onec/report.sql"), Weight: 30},
			{Name: "list", Text: text("onec/list.sql"), Weight: 40},
			{Name: "posting", Text: text("onec/posting.sql"), Weight: 30},
		},
		// Of what the platform sets, those that a query without a backslash notices (onec-techlog).
		Session:   []string{"enable_mergejoin=off", "cpu_operator_cost=0.001", "lock_timeout=20000"},
		ScaleUnit: onecUnit, Base: onecBase, data: dataset{name: "onec"},
		About: "Exercises temp_buffers, join_collapse_limit and the catalogs, which temporary tables bloat: each " +
			"report makes two, fills them with 100 to 50,000 rows, " +
			"analyzes them and joins them over wide keys. It has the shape of 1C's queries, and none of its own. " +
			"Sessions set what those of 1C set: enable_mergejoin = off, cpu_operator_cost = 0.001, lock_timeout = 20s."}
}

func ingest() Workload {
	return Workload{Name: "ingest", Title: say.M("a thousand rows a transaction into a table with three indexes"),
		Writes:    true,
		Scripts:   []Script{{Name: "batch", Text: text("ingest/batch.sql"), Weight: 1}},
		ScaleUnit: ingestUnit, Protocol: Prepared, data: dataset{name: "ingest"},
		About: "Exercises max_wal_size, checkpoints and wal_compression. A transaction is a thousand rows, made by " +
			"the server: pgbench cannot COPY."}
}

func connect() Workload {
	return Workload{Name: "connect", Title: say.M("a new connection for each read"),
		Builtin: "select-only", Connect: true,
		ScaleUnit: pgbenchUnit, Protocol: Simple, data: dataset{name: "pgbench"},
		About: "Exercises the start of a session: what a pool of connections saves. Its rate is one of connections, " +
			"and not to be compared with another workload's."}
}

// tables makes one script for each of the four tables of rows out of one text.
func tables(file, name string) []Script {
	t := text(file)
	var out []Script
	for i := 1; i <= 4; i++ {
		out = append(out, Script{Name: fmt.Sprintf("%s%d", name, i),
			Text: strings.ReplaceAll(t, "{table}", fmt.Sprintf("rows_%d", i)), Weight: 1})
	}
	return out
}
