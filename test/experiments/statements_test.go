package experiments

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/experiment/clone"
	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/test/tier"
)

// shop is a live server whose database has what makes a copy hard: a collation, a
// search_path, an extension, a policy for a role, texts with quotes.
func shop(t *testing.T, b scratch.Binaries) (i *scratch.Instance, how pgclient.Connect, conninfo string) {
	t.Helper()
	i = start(t, b, map[string]string{"shared_preload_libraries": "pg_stat_statements", "fsync": "off",
		"autovacuum": "off"})
	if err := i.Exec(t.Context(), `CREATE DATABASE "the shop"`); err != nil {
		t.Fatal(err)
	}
	conninfo = fmt.Sprintf("host='%s' port=%d user=postgres dbname='the shop'", i.Socket, i.Port)
	c := connected(t, conninfo)
	lines(t, c,
		"CREATE EXTENSION pg_stat_statements; CREATE EXTENSION citext; CREATE ROLE \"a \"\"clerk\"\"\"; CREATE "+
			"SCHEMA sales; ALTER DATABASE \"the shop\" SET search_path = sales, public")
	c = connected(t, conninfo) // with its new search_path
	lines(t, c, `CREATE TABLE item (id int PRIMARY KEY, name citext NOT NULL, price numeric NOT NULL);
		INSERT INTO item SELECT g, 'it''s: ' || g % 100, g % 1000 FROM generate_series(1, 20000) g;
		ALTER TABLE item ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON item TO "a ""clerk""" USING (price < 10);
		CREATE INDEX ON item (price);
		ANALYZE item`)
	lines(t, c, "SELECT public.pg_stat_statements_reset()")
	for k := range 60 {
		if r := c.ExecParams(t.Context(), "SELECT name FROM item WHERE id = $1",
			[][]byte{[]byte(strconv.Itoa(k*300 + 1))}, nil, nil, nil).Read(); r.Err != nil {
			t.Fatal(r.Err)
		}
	}
	for k := range 20 {
		if r := c.ExecParams(t.Context(), "SELECT count(*) FROM item WHERE price = $1",
			[][]byte{[]byte(strconv.Itoa(k))}, nil, nil, nil).Read(); r.Err != nil {
			t.Fatal(r.Err)
		}
	}
	lines(t, c, "UPDATE item SET price = price + 0 WHERE id = 7")
	lines(t, c, "SET pg_stat_statements.track = 'none'")
	return i, pgclient.Connect{Conninfo: conninfo, Peer: -1}, conninfo
}

// TestFromStatements runs an experiment on a copy of a live database with a mix of
// its statements: the copy has all rows, the live server is as it was, and nothing
// of either is left.
func TestFromStatements(t *testing.T) {
	on(t, []int{15}, func(t *testing.T, b scratch.Binaries) {
		if _, err := clone.Find(t.Context(), b.Version, b.Version); err != nil {
			tier.Missing(t, tier.Servers, "%v", err)
		}
		_, how, conninfo := shop(t, b)
		c := connected(t, conninfo)
		lines(t, c, "SET pg_stat_statements.track = 'none'")
		const written = "SELECT pg_snapshot_xmax(pg_current_snapshot())" // the next transaction that writes, of anybody
		before := lines(t, c, written)
		dir := open(t)
		w, source, err := loadgen.Look(t.Context(), how)
		if err != nil {
			t.Fatal(err)
		}
		if !w.Synthetic || w.Writes || source.About.Bytes < 1<<20 || source.About.Database != "the shop" ||
			!slices.Contains(source.About.Extensions, "citext") || source.About.SearchPath != "sales, public" {
			t.Errorf("%+v of %+v", w, source.About)
		}
		if err := source.Ready(t.Context(), b.Version); err != nil {
			t.Fatal(err)
		}
		var steps []string
		e := &engine.Order{
			Experiment: experiment.Experiment{
				Workload: w.Name, Copied: true, Scale: 1, A: experiment.Configuration{Name: "default"},
				B:      experiment.Configuration{Name: "b", Settings: map[string]string{"work_mem": "8MB"}},
				Design: experiment.DesignSlices, Metric: "tps", Dir: filepath.Join(dir, "docs"),
				Scratch: filepath.Join(dir, "scratch"),
				Host:    experiment.Host{Kernel: "here", CPUs: 2, Memory: 1 << 30, Server: b.Version.String()},
				Spec: experiment.Spec{Blocks: 2, Clients: 2, Jobs: 1, Duration: 2, Warmup: 1, Slice: 1, Seed: 7,
					Cache: "warm", Protocol: "prepared", Margin: 2},
			},
			Binaries: b, Asked: loadgen.Asked{Data: w.Name, Source: source},
			MostCalibrations: 1, CalibrationBytes: 8 << 20,
			Progress: func(ev experiment.Event) { steps = append(steps, ev.Step) },
		}
		est, err := engine.EstimateHere(t.Context(), &target.Local{}, e)
		if err != nil || est.Disk < source.About.Bytes {
			t.Fatalf("%+v, %v", est, err)
		}
		r, err := engine.Run(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if r.Ended == "" || !r.Workload.Synthetic || r.Workload.Name != "from-statements" || len(r.Blocks) < 2 {
			t.Fatalf("%+v", r)
		}
		for _, blk := range r.Blocks {
			for _, run := range blk.Runs {
				if run.Transactions == 0 || run.Failed > 0 || len(run.Errors) > 0 {
					t.Errorf("block %d: %+v", blk.Number, run)
				}
			}
		}
		notes := strings.Join(r.Notes, "\n")
		t.Log(notes)
		for _, want := range []string{"Synthetic: 2 of 5 statements, 93.0 % of the calls",
			"2 of them have the rows of a call within 20 %",
			"Left out: 1 statement with 1.2 % of the calls: it writes"} {
			if !strings.Contains(notes, want) {
				t.Errorf("not among the notes: %q", want)
			}
		}
		if !slices.Contains(steps, "statements") || !slices.Contains(steps, "load") {
			t.Errorf("steps %v", steps)
		}
		if after := lines(t, c, written); after != before {
			t.Errorf("the live server was written to: %s, was %s", after, before)
		}
		// What contains values of the user's tables is closed to others.
		for name, mode := range map[string]os.FileMode{".": 0o700, "experiment.json": 0o600, "result.json": 0o600,
			"runs.jsonl": 0o600} {
			if st, err := os.Stat(filepath.Join(e.Dir, name)); err != nil || st.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v", name, st.Mode(), err)
			}
		}
		if left, _ := filepath.Glob(e.Scratch + "*"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

// TestDumpCopies holds a copy to its original, row by row, and what cannot be copied.
func TestDumpCopies(t *testing.T) {
	on(t, []int{15}, func(t *testing.T, b scratch.Binaries) {
		p, err := clone.Find(t.Context(), b.Version, b.Version)
		if err != nil {
			tier.Missing(t, tier.Servers, "%v", err)
		}
		live, _, conninfo := shop(t, b)
		to := start(t, b, map[string]string{"fsync": "off"})
		into := clone.Into{Host: to.Socket, Port: to.Port, User: "postgres", DB: "postgres", Account: to.Account}
		// by its socket, as one whose data directory was named
		t.Setenv("PGDATABASE", "the shop")
		from, conn, err := clone.Look(t.Context(), pgclient.Connect{SocketDir: live.Socket, Port: live.Port,
			As: &target.User{UID: live.Account.UID, GID: live.Account.GID}, Peer: -1, User: "postgres"})
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		// what only a dump asks: a pgfettle of another test may look at this server meanwhile
		const counted = "SELECT string_agg(query, E'\\n' ORDER BY query) FROM public.pg_stat_statements " +
			"WHERE query ~ '^(COPY|LOCK TABLE) '"
		c := connected(t, conninfo)
		lines(t, c, "SET pg_stat_statements.track = 'none'")
		before := lines(t, c, counted)
		if _, err := clone.Copy(t.Context(), from, p, into); err != nil {
			t.Fatal(err)
		}
		if after := lines(t, c, counted); after != before {
			t.Errorf("the questions of pg_dump are counted among those of users: %s; before: %s", after, before)
		}
		const all = "SELECT (SELECT md5(string_agg(i::text, ',' ORDER BY id)) FROM item i) || " +
			"current_setting('search_path') || (SELECT count(*) FROM pg_policies) || (SELECT datcollate || encoding " +
			"FROM pg_database WHERE datname = current_database())"
		if got, want := lines(t, connected(t, to.ConnString()), all),
			lines(t, connected(t, conninfo), all); got != want || got == "" {
			t.Errorf("the copy is %s, the original %s", got, want)
		}

		from.Extensions = append(from.Extensions, "no_such_thing")
		_, err = clone.Copy(t.Context(), from, p, into)
		wantProblem(t, err, say.CodeError, "not installed with the server of the experiment: no_such_thing")
		from.Extensions = nil
		from.Collate, from.CType = "xx_YY.utf8", "xx_YY.utf8"
		from.Args = append(from.Args, "--table=nowhere")
		_, err = clone.Copy(t.Context(), from, p, clone.Into{Host: to.Socket, Port: to.Port, User: "postgres",
			DB: "other", Account: to.Account})
		if err == nil {
			t.Fatal("roles that are there are made again")
		}
		from.Roles = nil
		_, err = clone.Copy(t.Context(), from, p, clone.Into{Host: to.Socket, Port: to.Port, User: "postgres",
			DB: "other", Account: to.Account})
		wantProblem(t, err, say.CodeError, "pg_dump failed")
		from.Args = from.Args[:len(from.Args)-1]
		notes, err := clone.Copy(t.Context(), from, p, clone.Into{Host: to.Socket, Port: to.Port, User: "postgres",
			DB: "other", Account: to.Account})
		if err != nil || len(notes) != 1 || !strings.Contains(notes[0].English(), "xx_YY.utf8") {
			t.Errorf("a collation that is not here: %q, %v", notes, err)
		}
		lines(t, connected(t, conninfo),
			"CREATE EXTENSION file_fdw; CREATE SERVER s FOREIGN DATA WRAPPER file_fdw; CREATE MATERIALIZED VIEW v "+
				"AS SELECT 1 AS a")
		_, _, err = clone.Look(t.Context(), pgclient.Connect{Conninfo: conninfo, Peer: -1})
		wantProblem(t, err, say.CodeRefused, "foreign servers and materialized views")
	})
}
