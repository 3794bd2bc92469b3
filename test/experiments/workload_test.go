package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/test/tier"
)

// pgbench is the one of this host; it may be of another version than the server.
func pgbench(t *testing.T, b scratch.Binaries) workload.Pgbench {
	t.Helper()
	p, err := workload.FindPgbench(t.Context(), b.Version)
	var problem *say.Problem
	if errors.As(err, &problem) {
		tier.Missing(t, tier.Servers, "%v; %s", problem, problem.Hint)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// database makes one and returns a session in it.
func database(t *testing.T, i *scratch.Instance, name string) (conninfo string) {
	t.Helper()
	if err := i.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("host='%s' port=%d user=postgres dbname=%s", i.Socket, i.Port, name)
}

// connected opens a session; its end is that of the test.
func connected(t *testing.T, conninfo string) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), conninfo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// loaded loads a workload into a database and returns what it takes, catalogs not
// counted.
func loaded(t *testing.T, conninfo string, w *workload.Workload, scale int) (size int64, sum string) {
	t.Helper()
	c := connected(t, conninfo)
	var last int64
	if err := w.Load(t.Context(), c, scale, func(done, total int64) {
		if done < last || total != int64(scale) {
			t.Errorf("%d of %d done after %d", done, total, last)
		}
		last = done
	}); err != nil {
		t.Fatal(err)
	}
	if last != int64(scale) {
		t.Errorf("%d of %d done at the end", last, scale)
	}
	size, err := strconv.ParseInt(strings.TrimSpace(lines(t, c,
		"SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class WHERE relnamespace = "+
			"'public'::regnamespace AND relkind = 'r'")), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	sum, err = workload.Checksum(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return size, sum
}

// ran runs a workload with pgbench and returns its report. An error of pgbench is
// one of the test.
func ran(t *testing.T, p workload.Pgbench, w *workload.Workload, o workload.Options) (*measured.Pgbench,
	workload.Command) {
	t.Helper()
	c, err := w.Command(p, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := (&target.Local{}).Run(ctx, target.Command{Argv: c.Argv, Env: c.Env, Timeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	talk := measured.ParsePgbenchTalk(out.Stderr)
	if out.Code != 0 || talk.Aborted != 0 || talk.Incomplete || len(talk.Errors) != 0 {
		t.Fatalf("%s ended with %d\n%s", c.Line(), out.Code, out.Stderr)
	}
	r, err := measured.ParsePgbench(out.Stdout)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Stdout)
	}
	return r, c
}

// folder is a private one for a run's files; nothing but what we put there may be
// left in it.
func folder(t *testing.T) string {
	t.Helper()
	dir, _, err := workload.PrivateFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestWorkloadsRun loads and runs every workload: no error, every script executed,
// the data the same on every version, the database as large as was said.
func TestWorkloadsRun(t *testing.T) {
	sums := map[string]string{} // of the data by workload, as the first version has them
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		p := pgbench(t, b)
		i := start(t, b, map[string]string{"fsync": "off", "autovacuum": "off", "max_wal_size": "2GB"})
		for n, w := range workload.List() {
			t.Run(w.Name, func(t *testing.T) {
				const scale = 1
				conninfo := database(t, i, fmt.Sprintf("load%d", n))
				size, sum := loaded(t, conninfo, &w, scale)
				if said := w.Size(scale); math.Abs(float64(size)/float64(said)-1) > 0.1 {
					t.Errorf("scale %d takes %d bytes, said are %d", scale, size, int64(said))
				}
				if first, ok := sums[w.Name]; ok && first != sum {
					t.Errorf("the data differ from one version to the next\n%s\n%s", first, sum)
				}
				sums[w.Name] = sum
				conn, err := workload.ParseConn(conninfo)
				if err != nil {
					t.Fatal(err)
				}
				o := workload.Options{Conn: conn, Dir: folder(t), Scale: scale, Clients: 4, Transactions: 25, Seed: 42,
					PerStatement: true, Log: "log"}
				if w.Stream {
					o.Clients, o.Transactions = 1, 2
				}
				r, c := ran(t, p, &w, o)
				if want := int64(o.Clients * o.Transactions); r.Transactions != want ||
					r.Failed != nil && *r.Failed != 0 {
					t.Errorf("%d transactions, %d wanted: %+v", r.Transactions, want, r.Counts)
				}
				if len(r.Scripts) != max(len(w.Scripts), 1) {
					t.Fatalf("%d scripts in the report of %d", len(r.Scripts), len(w.Scripts))
				}
				for _, s := range r.Scripts {
					if s.Transactions == 0 || len(s.Statements) == 0 {
						t.Errorf("script %s: %d transactions, %d statements", s.Name, s.Transactions, len(s.Statements))
					}
				}
				if w.Stream && len(r.Scripts[0].Statements) != 10 {
					t.Errorf("%d queries have a time of their own", len(r.Scripts[0].Statements))
				}
				if r.Reconnects != w.Connect {
					t.Errorf("connects each time: %v", r.Reconnects)
				}
				l, err := c.ReadLogs()
				if err != nil {
					t.Fatal(err)
				}
				if l.All.Count() != r.Transactions || l.Bad != 0 {
					t.Errorf("%d transactions in the log of %d, %d bad lines", l.All.Count(), r.Transactions, l.Bad)
				}
				// The same seed again, on the same data: slices of a block do that.
				o.Protocol, o.PerStatement, o.Log = workload.Extended, false, ""
				if again, _ := ran(t, p, &w, o); again.Transactions != r.Transactions ||
					again.Failed != nil && *again.Failed != 0 {
					t.Errorf("again: %+v", again.Counts)
				}
				after, err := workload.Checksum(t.Context(), connected(t, conninfo))
				if err != nil {
					t.Fatal(err)
				}
				if (after != sum) != w.Writes {
					t.Errorf("writes: %v, and the data are\n%s, were\n%s", w.Writes, after, sum)
				}
			})
		}
	})
}

// TestLoadInParts verifies that no row is lost or made twice where one part of a load ends and the next begins: eleven
// units of scale are made in two parts.
func TestLoadInParts(t *testing.T) {
	on(t, []int{18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"fsync": "off", "autovacuum": "off", "max_wal_size": "2GB"})
		w, err := workload.Find("tpcb")
		if err != nil {
			t.Fatal(err)
		}
		conninfo := database(t, i, "parts")
		size, _ := loaded(t, conninfo, w, 11)
		if said := w.Size(11); math.Abs(float64(size)/float64(said)-1) > 0.1 {
			t.Errorf("scale 11 takes %d bytes, said are %d", size, int64(said))
		}
		got := lines(t, connected(t, conninfo),
			"SELECT count(*) || ' ' || count(DISTINCT aid) || ' ' || max(aid) || ' ' || max(bid) FROM pgbench_accounts")
		if got != "1100000 1100000 1100000 11\n" {
			t.Errorf("accounts: %s", got)
		}
	})
}

// TestMixFromStatements makes a workload out of what a server was asked, and runs
// it: the shares and the rows of a call are those of the original, what cannot be
// run is named with the reason, and nothing was written on the way.
func TestMixFromStatements(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		p := pgbench(t, b)
		i := start(t, b, map[string]string{"shared_preload_libraries": "pg_stat_statements", "fsync": "off"})
		conninfo := database(t, i, "live")
		c := connected(t, conninfo)
		lines(t, c, "CREATE EXTENSION pg_stat_statements")
		lines(t, c,
			`CREATE TABLE person (id bigint PRIMARY KEY, town text NOT NULL, born timestamp NOT NULL, note text);
			CREATE TABLE "Order" (id int PRIMARY KEY, person_id bigint NOT NULL, total numeric NOT NULL);
			INSERT INTO person SELECT g, CASE WHEN g % 10 < 7 THEN 'Big: town' ELSE 'small''s ' || g % 10 END, `+
				`timestamp '1950-01-01' + g * interval '1 day' FROM generate_series(1, 20000) g;
			INSERT INTO "Order" SELECT g, g % 20000 + 1, g % 1000 FROM generate_series(1, 50000) g;
			CREATE INDEX ON "Order" (person_id);
			CREATE VIEW inner_view AS SELECT id, pg_advisory_lock_shared(0) IS NULL AS locked FROM person;
			CREATE VIEW outer_view AS SELECT id FROM inner_view WHERE locked;
			CREATE EXTENSION file_fdw;
			CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
			CREATE FOREIGN TABLE elsewhere (line text) SERVER files OPTIONS (filename '/dev/null');
			ANALYZE`)
		lines(t, c, "SELECT pg_stat_statements_reset()")

		ask := func(n int, sql string, args ...func(k int) string) {
			for k := range n {
				var v [][]byte
				for _, a := range args {
					v = append(v, []byte(a(k)))
				}
				if r := c.ExecParams(t.Context(), sql, v, nil, nil, nil).Read(); r.Err != nil {
					t.Fatal(sql, r.Err)
				}
			}
		}
		id := func(k int) string { return strconv.Itoa(k*97%20000 + 1) }
		ask(300, "SELECT town FROM person WHERE id = $1", id)
		ask(150,
			`SELECT o.id, o.total FROM person AS p JOIN "Order" o ON o.person_id = p.id WHERE p.id = $1 ORDER BY `+
				`o.id LIMIT 3`, id)
		ask(50, "SELECT count(*) FROM person WHERE born >= $1 AND born < $2",
			func(k int) string { return "1960-01-01 10:30:00" }, func(k int) string { return "1961-01-01" })
		ask(40, "SELECT id FROM person WHERE id = ANY ($1) -- many",
			func(k int) string { return "{1,2,3,4,5,6,7,8,9,10}" })
		ask(30, "UPDATE \"Order\" SET total = $1 WHERE id = $2 AND total <> 0", func(int) string { return "1" },
			func(k int) string { return strconv.Itoa(k*1000 + 1) })
		ask(20, "SELECT upper($1)", func(int) string { return "x" })
		ask(15, "SELECT note FROM person WHERE id = $1 AND born = $2",
			func(k int) string { return strconv.Itoa(k + 1) },
			func(k int) string { return time.Date(1950, 1, k+2, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) })
		ask(12, "SELECT set_config($1, $2, false)", func(int) string { return "work_mem" },
			func(int) string { return "5MB" })
		ask(10, "SELECT id FROM person WHERE town = $1 LIMIT 50", func(int) string { return "Big: town" })
		ask(11, "SELECT id FROM outer_view WHERE id = $1", id)
		ask(9, "SELECT line FROM elsewhere LIMIT $1", func(int) string { return "1" })
		before := lines(t, c, "SELECT count(*) || ' ' || sum(total) FROM \"Order\"")
		m, err := workload.Synthesize(t.Context(), c, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(m.Line())
		for _, s := range m.Statements {
			t.Logf("%d calls, share %.3f and %.3f, rows %.2f and %.2f, near %v: %s", s.Calls, s.Share, s.Weight, s.Rows,
				s.Seen, s.Near, s.Query)
			// two values that belong together in the original, and do not here
			if joint := strings.Contains(s.Query, "born = "); s.Near == joint {
				t.Errorf("%q is near the original: %v", s.Query, s.Near)
			}
		}
		if len(m.Statements) < 5 || m.Statements[0].Calls != 300 || !m.Workload.Synthetic || m.Workload.Writes {
			t.Errorf("%d statements, the first called %d times: %+v", len(m.Statements), m.Statements[0].Calls,
				m.Workload)
		}
		for fragment, reason := range map[string]string{"UPDATE": "only reading", "upper(": "are unknown",
			"set_config": "volatile function", "_reset()": "volatile function",
			"outer_view": "inner_view: it calls pg_advisory_lock_shared", "elsewhere": "another server"} {
			found := false
			for _, l := range m.Left {
				found = found || strings.Contains(l.Query, fragment) && strings.Contains(l.Reason, reason)
			}
			if !found {
				t.Errorf("%s is not left out because %q: %+v", fragment, reason, m.Left)
			}
		}
		w, err := workload.Synthesize(t.Context(), c, true)
		if err != nil {
			t.Fatal(err)
		}
		if !w.Workload.Writes || len(w.Statements) <= len(m.Statements) {
			t.Errorf("with writes: %d statements, without %d; left %+v", len(w.Statements), len(m.Statements), w.Left)
		}
		if after := lines(t, c, "SELECT count(*) || ' ' || sum(total) FROM \"Order\""); after != before {
			t.Errorf("the trials of a statement that writes were not rolled back: %s, were %s", after, before)
		}
		conn, err := workload.ParseConn(conninfo)
		if err != nil {
			t.Fatal(err)
		}
		for _, protocol := range []string{workload.Simple, workload.Prepared} {
			r, _ := ran(t, p, m.Workload, workload.Options{Conn: conn, Dir: folder(t), Clients: 2, Transactions: 500,
				Seed: 7, PerStatement: true, Protocol: protocol})
			for n, s := range r.Scripts {
				want := m.Statements[n].Weight
				// three standard deviations of a half
				if got := float64(s.Transactions) / 1000; math.Abs(got-want) > 0.05 {
					t.Errorf("%s: script %d has %.3f of the transactions, its weight is %.3f", protocol, n, got, want)
				}
			}
		}
		if after := lines(t, c, "SELECT count(*) || ' ' || sum(total) FROM \"Order\""); after != before {
			t.Errorf("the data were changed: %s, were %s", after, before)
		}
	})
}
