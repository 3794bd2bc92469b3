package servers

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// session opens a connection to a throwaway server.
func session(t *testing.T, i *scratch.Instance) *pgconn.PgConn {
	t.Helper()
	how, err := collect.ConnectLocal(&target.Local{}, i.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgclient.Open(t.Context(), how)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(t.Context()) })
	return conn
}

// explained are queries that bring every kind of line that EXPLAIN writes.
var explained = []struct{ name, sql string }{
	{"join", `SELECT count(*) FROM big b JOIN small s ON s.id = b.k WHERE b.v < 900`},
	{"index", `SELECT v FROM big WHERE id BETWEEN 10 AND 500 ORDER BY id DESC LIMIT 20`},
	{"indexonly", `SELECT id FROM big WHERE id < 5000`},
	{"bitmap", `SELECT count(*) FROM big WHERE k = 7 OR k = 9`},
	{"spill", `SET work_mem = '64kB'; EXPLAIN_HERE SELECT * FROM big ORDER BY v, id`},
	{"hashspill",
		`SET work_mem = '64kB'; SET enable_mergejoin = off; SET enable_nestloop = off; EXPLAIN_HERE SELECT count(*) ` +
			`FROM big a JOIN big b ON a.id = b.id`},
	{"hashagg", `SET work_mem = '64kB'; SET enable_sort = off; EXPLAIN_HERE SELECT id, count(*) FROM big GROUP BY id`},
	{"never",
		`SELECT * FROM small s LEFT JOIN big b ON b.id = s.id AND s.id < 0 WHERE s.id = 1 AND EXISTS (SELECT 1 FROM ` +
			`big WHERE id = -1)`},
	{"subplans",
		`WITH c AS MATERIALIZED (SELECT * FROM small WHERE id < 50) SELECT (SELECT max(id) FROM small), (SELECT v ` +
			`FROM big WHERE big.id = c.id) FROM c, c d WHERE c.id = d.id`},
	{"setop", `SELECT id FROM small EXCEPT SELECT k FROM big`},
	{"window", `SELECT id, row_number() OVER (PARTITION BY k ORDER BY v) FROM big WHERE id < 2000`},
	{"function", `SELECT * FROM generate_series(1, 1000) AS g(i) JOIN (VALUES (1), (2)) AS w(x) ON w.x = g.i`},
	{"quoted", `SELECT count(*) FROM "Odd Name" "An Alias" WHERE "An Alias"."Key" = 3`},
	{"anti",
		`SET enable_hashjoin = off; SET enable_mergejoin = off; EXPLAIN_HERE SELECT s.id FROM small s WHERE NOT ` +
			`EXISTS (SELECT 1 FROM big b WHERE b.id = s.id AND b.id < 20)`},
	{"merge",
		`SET enable_hashjoin = off; SET enable_nestloop = off; EXPLAIN_HERE SELECT count(*) FROM big a FULL JOIN ` +
			`small s ON a.id = s.id`},
	{"parallel",
		`SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET ` +
			`min_parallel_index_scan_size = 0; EXPLAIN_HERE SELECT k, count(*) FROM big GROUP BY k`},
	{"parallelsort",
		`SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET ` +
			`work_mem = '64kB'; EXPLAIN_HERE SELECT * FROM big ORDER BY v`},
	{"verbose", `EXPLAIN_VERBOSE SELECT b.id FROM big b JOIN small USING (id) WHERE b.v > 3`},
	{"recursive", `WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 50) SELECT sum(n) FROM r`},
	{"partitions", `SELECT count(*) FROM parts WHERE k < 150`},
	{"modify", `BEGIN; EXPLAIN_WAL UPDATE small SET v = v + 1 WHERE id < 100`},
	{"trigger", `BEGIN; EXPLAIN_WAL INSERT INTO child SELECT 1 FROM generate_series(1, 200)`},
	{"grouping", `SELECT k, v, count(*) FROM small GROUP BY GROUPING SETS ((k), (v), ())`},
}

const explainData = `CREATE TABLE big AS SELECT i AS id, i % 100 AS k, (i * 7919) % 1000 AS v, repeat('x', 60) AS ` +
	`pad FROM generate_series(1, 20000) i;
CREATE UNIQUE INDEX ON big (id); CREATE INDEX big_k ON big (k);
CREATE TABLE small AS SELECT i AS id, i % 10 AS k, i AS v FROM generate_series(1, 500) i; CREATE UNIQUE INDEX ON ` +
	`small (id);
CREATE TABLE "Odd Name" AS SELECT i AS "Key" FROM generate_series(1, 300) i; CREATE INDEX "Odd Index" ON "Odd Name" ` +
	`("Key");
CREATE TABLE parts (k int) PARTITION BY RANGE (k); CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO ` +
	`(100); CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (100) TO (200);
INSERT INTO parts SELECT i FROM generate_series(0, 199) i;
CREATE TABLE parent (id int PRIMARY KEY); INSERT INTO parent VALUES (1); CREATE TABLE child (p int REFERENCES parent);`

// explainIn runs one of explained in a format.
func explainIn(t *testing.T, conn *pgconn.PgConn, sql, format string) string {
	t.Helper()
	options := "ANALYZE, BUFFERS, FORMAT " + format
	switch {
	case strings.Contains(sql, "EXPLAIN_VERBOSE"):
		sql = strings.Replace(sql, "EXPLAIN_VERBOSE", "EXPLAIN ("+options+", VERBOSE)", 1)
	case strings.Contains(sql, "EXPLAIN_WAL"):
		sql = strings.Replace(sql, "EXPLAIN_WAL", "EXPLAIN ("+options+", WAL)", 1)
	case strings.Contains(sql, "EXPLAIN_HERE"):
		sql = strings.Replace(sql, "EXPLAIN_HERE", "EXPLAIN ("+options+")", 1)
	default:
		sql = "EXPLAIN (" + options + ") " + sql
	}
	out := lines(t, conn, sql)
	lines(t, conn, "ROLLBACK; RESET ALL; SELECT 1")
	return out
}

// timeless sets every measured time that is there to one value: two runs never
// take the same time, and whether a time is there must not differ.
func timeless(p *queryplan.Plan) {
	one := func(v **float64) {
		if *v != nil {
			x := 1.0
			*v = &x
		}
	}
	p.Format = ""
	one(&p.Planning)
	one(&p.Execution)
	p.PlanUsage, p.Memory = nil, nil // the second run finds its catalogs warm
	for i := range p.Triggers {
		one(&p.Triggers[i].Time)
	}
	p.Root.Walk(func(n *queryplan.Node) {
		if n.Actual != nil {
			one(&n.Actual.Startup)
			one(&n.Actual.Total)
		}
		n.IO = nil
		for i := range n.Workers {
			n.Workers[i] = queryplan.Worker{Number: n.Workers[i].Number} // how rows fall to workers differs
		}
		n.WAL = nil // full page images differ after a checkpoint
	})
}

// TestExplainFormatsAgree verifies that the text and the JSON of the same query are the same tree, on every version.
func TestExplainFormatsAgree(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"track_io_timing": "on", "autovacuum": "off", "jit": "off"})
		conn := session(t, i)
		lines(t, conn, explainData+"SELECT 1")
		lines(t, conn, "VACUUM ANALYZE")
		for _, q := range explained {
			t.Run(q.name, func(t *testing.T) {
				parallel, writes := strings.HasPrefix(q.name, "parallel"), strings.Contains(q.sql, "EXPLAIN_WAL")
				explainIn(t, conn, q.sql, "TEXT") // warm
				text, doc := explainIn(t, conn, q.sql, "TEXT"), explainIn(t, conn, q.sql, "JSON")
				keep(t, b, q.name, text, doc)
				trees := make([]*queryplan.Plan, 2)
				for n, s := range []string{text, doc} {
					plans, err := queryplan.Parse([]byte(s))
					if err != nil || len(plans) != 1 {
						t.Fatalf("%d plans, %v:\n%s", len(plans), err, s)
					}
					trees[n] = plans[0]
					timeless(trees[n])
					if writes { // the first run left dead rows and new pages to the second
						trees[n].Root.Walk(func(node *queryplan.Node) { node.Buffers = nil })
					}
					if parallel { // what each run gets of workers is the machine's affair
						trees[n].Root.Walk(func(node *queryplan.Node) {
							node.Actual, node.Buffers, node.Launched, node.Sort, node.Workers, node.Removed,
								node.Hash = nil, nil, nil, nil, nil, 0, nil
						})
					}
				}
				if d := cmp.Diff(trees[0], trees[1]); d != "" {
					t.Errorf("text and JSON differ (-text +JSON):\n%s\n%s\n%s", d, text, doc)
				}
				// Nothing that a server says of a node may be skipped by accident.
				n := 0
				trees[0].Root.Walk(func(node *queryplan.Node) { n++ })
				if want := len(regexp.MustCompile(`"Node Type":`).FindAllString(doc, -1)); n != want {
					t.Errorf("%d nodes were read of %d", n, want)
				}
			})
		}
	})
}

// keep writes what the servers said to the directory of PGFETTLE_KEEP_EXPLAIN, for new goldens of the reader.
func keep(t *testing.T, b scratch.Binaries, name, text, doc string) {
	dir := os.Getenv("PGFETTLE_KEEP_EXPLAIN")
	if dir == "" {
		return
	}
	for ending, s := range map[string]string{"txt": text, "json": doc} {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("pg%d_%s.%s", b.Version.Major(), name, ending)),
			[]byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !json.Valid([]byte(doc)) {
		t.Errorf("%s: no JSON", name)
	}
}

// TestExplainReadsTheLog verifies that plans which auto_explain wrote into the server's log are found there, in both
// formats, with their time and their query.
func TestExplainReadsTheLog(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		for _, format := range []string{"text", "json"} {
			i := start(t, b, map[string]string{"shared_preload_libraries": "auto_explain",
				"auto_explain.log_min_duration": "0", "auto_explain.log_analyze": "on",
				"auto_explain.log_buffers": "on", "auto_explain.log_format": format,
				"log_line_prefix": "%m [%p] %q%u@%d "})
			conn := session(t, i)
			lines(t, conn,
				"SELECT count(*)\nFROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid\nWHERE c.relname LIKE "+
					"'pg{%'")
			text, err := i.ReadLog(1 << 20)
			if err != nil {
				t.Fatal(err)
			}
			plans, err := queryplan.Parse([]byte(text))
			if err != nil {
				t.Fatalf("%s: %v\n%s", format, err, text)
			}
			found := false
			for _, p := range plans {
				if !strings.Contains(p.Query, "pg{%") {
					continue
				}
				found = true
				if p.Format != format || p.Execution == nil || *p.Execution <= 0 || !p.Buffers ||
					p.Root.Head != "Aggregate" || len(p.Root.Children) != 1 ||
					!strings.Contains(p.Query, "pg_attribute") {
					t.Errorf("%s: %+v of\n%s", format, p, text)
				}
			}
			if !found {
				t.Errorf("%s: the query is in none of %d plans of\n%s", format, len(plans), text)
			}
		}
	})
}
