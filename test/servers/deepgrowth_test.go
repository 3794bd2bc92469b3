package servers

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/test/live"
)

// TestDeepGrowsWithTheTables: four times the tables are about four times the work for each query of --deep, also where
// the catalogs have no statistics, so that nothing may depend on a good plan. Work is the rows that all nodes of the
// plan have handled, those that a filter threw away included, and no clock.
func TestDeepGrowsWithTheTables(t *testing.T) {
	t.Parallel() // beside what waits
	live.On(t, []int{13, 18, 19}, func(t *testing.T, b scratch.Binaries) {
		const tables = 400
		i := live.Start(t, b, map[string]string{"autovacuum": "off", "fsync": "off"})
		few := deepWork(t, i, b.Version.Major(), "few", tables)
		many := deepWork(t, i, b.Version.Major(), "many", 4*tables)
		for name, n := range few {
			t.Logf("%s: %d rows handled, %d with four times the tables", name, n, many[name])
			// n log n of four times as many is 5 times as much, a square 16 times. Two linear plans may differ by
			// a factor of 2, so the work a table counts too: about eight relations are of one, and few nodes see
			// each; a square is 1600 and more.
			if float64(many[name]) > 8*float64(n) && many[name] > 100*4*tables {
				t.Errorf("%s: four times the tables are %.1f times the work", name, float64(many[name])/float64(n))
			}
		}
	})
}

// deepWork makes a database of so many tables and asks every deep query of one
// database in it. All filters of the queries let the tables and indexes pass.
func deepWork(t *testing.T, i *scratch.Instance, major int, database string, tables int) map[string]int64 {
	t.Helper()
	in(t, i, "postgres", "create database "+database)
	// In steps, as each relation is a lock until the end of its transaction.
	const step = 250
	for at := 1; at <= tables; at += step {
		in(t, i, database, fmt.Sprintf(`do $$ begin for n in %d..%d loop
			execute format('create table t%%s (id serial primary key, a int, b text)', n);
			execute format('create index on t%%s (a)', n);
			execute format('create index on t%%s (id)', n);
			if n %% 10 = 0 then
				execute format('create table p%%s (id int) partition by range (id)', n);
				execute format('create table p%%s_1 partition of p%%s for values from (0) to (9)', n, n);
			end if;
		end loop; end $$`, at, at+step-1))
	}
	in(t, i, database,
		"update pg_class set relpages = 2000, reltuples = 20000 where relkind in ('r', 'i') and relnamespace = "+
			"'public'::regnamespace",
		"select count(setval(oid::regclass, 1999999999)) from pg_class where relkind = 'S'")
	cfg, err := pgconn.ParseConfig(i.ConnString())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Database = database
	c, err := pgconn.ConnectConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	work := map[string]int64{}
	for _, q := range pg.Queries(major, true) {
		if q.Each && q.Deep() {
			work[q.Name] = rowsHandled(t, c, q)
		}
	}
	if len(work) < 7 {
		t.Fatalf("only %d deep queries of a database: %v", len(work), work)
	}
	return work
}

// planNode is what is read of a node of EXPLAIN's JSON.
type planNode struct {
	Rows          float64    `json:"Actual Rows"`
	Loops         float64    `json:"Actual Loops"`
	Filtered      float64    `json:"Rows Removed by Filter"`
	JoinFiltered  float64    `json:"Rows Removed by Join Filter"`
	IndexFiltered float64    `json:"Rows Removed by Index Recheck"`
	Plans         []planNode `json:"Plans"`
}

func (n planNode) handled() int64 {
	sum := int64(n.Loops * (n.Rows + n.Filtered + n.JoinFiltered + n.IndexFiltered))
	for _, p := range n.Plans {
		sum += p.handled()
	}
	return sum
}

func rowsHandled(t *testing.T, c *pgconn.PgConn, q pg.Query) int64 {
	t.Helper()
	rows := live.Ask(t, c, "explain (analyze, timing off, format json) "+q.SQL)
	var plans []struct {
		Plan planNode `json:"Plan"`
	}
	if err := json.Unmarshal([]byte(rows[0][0]), &plans); err != nil || len(plans) != 1 {
		t.Fatalf("%s: %v: %v", q.Name, err, rows)
	}
	return plans[0].Plan.handled()
}
