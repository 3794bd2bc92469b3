package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/debianpg"
	"github.com/pgfettle/pgfettle/test/tier"
)

// later is a snapshot as if it were taken so many seconds later: a throwaway
// server has no month of statistics.
func later(t *testing.T, s *snapshot.Snapshot, secs int64) *snapshot.Snapshot {
	t.Helper()
	out := *s
	out.Instances = slices.Clone(s.Instances)
	srv := &out.Instances[0].Server
	a, ok := srv.Access.Get()
	if !ok {
		t.Fatal("the server's clock is not known")
	}
	a.Now += secs
	srv.Access = known.Is(a)
	return &out
}

// fires verifies that a check says what it has to.
func fires(t *testing.T, s *snapshot.Snapshot, id string, words ...string) {
	t.Helper()
	r := check.Run(s, checks.All(), check.Options{Only: []string{id}})
	if len(r.Findings) != 1 {
		t.Errorf("%s: %d findings; unknown %v", id, len(r.Findings), r.Unknown)
		return
	}
	for _, w := range words {
		if !strings.Contains(r.Findings[0].Seen.String(), w) {
			t.Errorf("%s: no %q in %q", id, w, r.Findings[0].Seen)
		}
	}
}

func silent(t *testing.T, s *snapshot.Snapshot, id string) {
	t.Helper()
	for _, f := range check.Run(s, checks.All(), check.Options{Only: []string{id}}).Findings {
		t.Errorf("%s: %s", id, f.Seen)
	}
}

// evidenceAs collects with --deep over the socket as another role.
func evidenceAs(t *testing.T, i *scratch.Instance, role string) *evidence.Archive {
	t.Helper()
	a, err := collect.Run(t.Context(), &target.Local{}, collect.Request{Kind: collect.Conninfo,
		Value: fmt.Sprintf("host=%s port=%d user=%s dbname=postgres", i.Socket, i.Port, role), Deep: true})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// counted waits until what a session did that has ended is counted, as a question of
// a fresh one says: the counters go out when a session ends, by way of a collector
// before 15.
func counted(t *testing.T, i *scratch.Instance, database, question string) {
	t.Helper()
	await.That(t, question, func() (bool, any) {
		c := to(t, i, database)
		defer c.Close(context.Background())
		answer := sql(t, c, question)
		return answer == "t", answer
	})
}

// to is a connection to another database of an instance.
func to(t *testing.T, i *scratch.Instance, database string) *pgconn.PgConn {
	t.Helper()
	cfg, err := pgconn.ParseConfig(i.ConnString())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Database = database
	c, err := pgconn.ConnectConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// in runs statements in another database of an instance.
func in(t *testing.T, i *scratch.Instance, database string, statements ...string) {
	t.Helper()
	c := to(t, i, database)
	defer c.Close(context.Background())
	for _, s := range statements {
		if _, err := c.Exec(t.Context(), s).ReadAll(); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// TestFaultsOfDatabasesAreFound makes the faults that --deep looks for in a database without connections, and those of
// the cluster, and each check reports its own.
func TestFaultsOfDatabasesAreFound(t *testing.T) {
	t.Parallel() // beside what waits
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		major := b.Version.Major()
		// Autovacuum is on, or its checks would be silent, and must not come meanwhile.
		i := start(t, b, map[string]string{"autovacuum_naptime": "1h", "wal_level": "logical",
			"logical_decoding_work_mem": "64kB", "max_replication_slots": "4",
			// the scans find their table in memory
			"shared_buffers": "512MB", "fsync": "off", "max_locks_per_transaction": "1000"})
		silent(t, read(t, evidenceOf(t, i, true)), "duplicate_indexes")
		in(t, i, "postgres", "create database shop", "create database crm", "create database gone",
			"create extension pg_stat_statements version '1.7'")
		in(t, i, "shop",
			"create table orders (id int primary key, customer int, note text)",
			"alter table orders alter note set storage plain",
			// two rows a page: 100 MB
			"insert into orders select g, g, repeat('x', 3800) from generate_series(1, 26000) g",
			"create unique index orders_id_again on orders (id)",
			"create index orders_customer on orders (customer) include (id)",
			"create table wide as select g, md5(g::text) as h from generate_series(1, 300000) g",
			"create index wide_unread on wide (h)",
			"create sequence orders_id_seq owned by orders.id", "select setval('orders_id_seq', 2000000000)",
			"create sequence small as smallint", "select setval('small', 100)",
			"create sequence own", "select setval('own', 9000000000000000000)")
		// Counted before it is vacuumed: rows that are counted after it count twice as living.
		counted(t, i, "shop",
			"select coalesce(sum(n_tup_ins), 0) = 26000 from pg_stat_user_tables where relname = 'orders'")
		in(t, i, "shop", "vacuum analyze")
		// 500 temporary tables of 1,500 columns are 100 MB of pg_attribute. They take a quarter of a minute, and
		// what counts catalogs is the same in all versions: on one of them.
		if major == 18 {
			in(t, i, "crm", `do $$ declare columns text; begin
				select string_agg('c' || g || ' int', ', ') into columns from generate_series(1, 1500) g;
				for n in 1..500 loop execute 'create temp table t (' || columns || ') on commit drop'; `+
				`drop table t; end loop; end $$`, "vacuum (truncate off) pg_catalog.pg_attribute")
		}
		in(t, i, "postgres", "update pg_database set datconnlimit = -2 where datname = 'gone'",
			"select pg_create_logical_replication_slot('cdc', 'test_decoding')",
			"create table spilled as select g, repeat('y', 300) from generate_series(1, 30000) g",
			"select count(*) from pg_logical_slot_get_changes('cdc', null, null)")
		if major >= 15 {
			in(t, i, "postgres", "create database texts template template0 locale_provider icu icu_locale 'en'",
				"update pg_database set datcollversion = '1.2.3' where datname = 'texts'")
		}
		in(t, i, "shop",
			"do $$ begin for n in 1..600 loop perform count(*) from orders where note is not null; end loop; end $$")
		// by rows: parallel workers count as scans of their own, before the leader does
		counted(t, i, "shop",
			"select coalesce(sum(seq_tup_read), 0) >= 600 * 26000 from pg_stat_user_tables where relname = 'orders'")

		s := read(t, evidenceOf(t, i, true))
		srv := s.Instances[0].Server
		visits, ok := srv.Deep.Visits.Get()
		if !ok {
			t.Fatal(srv.Deep.Visits.Gap())
		}
		asked := map[string]string{}
		for _, v := range visits {
			asked[v.Database] += v.Query + v.Reason
		}
		for _, db := range []string{"postgres", "shop", "crm"} {
			if why, ok := asked[db]; !ok || why != "" {
				t.Errorf("%s: asked %v %s", db, ok, why)
			}
		}
		for _, db := range []string{"gone", "template0", "template1"} {
			if _, ok := asked[db]; ok {
				t.Errorf("%s was visited", db)
			}
		}

		fires(t, s, "duplicate_indexes", "In database shop: public.orders_id_again on orders",
			"duplicates orders_pkey")
		fires(t, s, "sequences_exhausted", "public.orders_id_seq of orders.id (2000000000 of 2147483647, 93%)",
			"public.own (")
		if major == 18 {
			fires(t, s, "catalog_bloat", "In database crm: pg_attribute is 1")
		} else {
			silent(t, s, "catalog_bloat")
		}
		fires(t, s, "database_invalid", "gone")
		fires(t, s, "extension_updates", "pg_stat_statements 1.7 (")
		if major >= 15 {
			fires(t, s, "collation_mismatch", "texts")
		}
		silent(t, s, "unused_indexes") // of today
		month := later(t, s, 31*86400)
		fires(t, month, "unused_indexes", "In database shop: public.wide_unread on wide")
		silent(t, s, "seq_scans_large") // of a minute
		fires(t, later(t, s, 3700), "seq_scans_large", "In database shop: public.orders (1")
		if major >= 14 {
			slots, ok := srv.Decoding.Get()
			if !ok || len(slots) != 1 || slots[0].Slot != "cdc" || slots[0].Spilled < unit.MB ||
				slots[0].Spilled > slots[0].Decoded {
				t.Errorf("10 MB were decoded in 64 kB, read %+v", slots)
			}
		}
		if io, ok := srv.IO.Get(); ok != (major >= 16) || ok && (len(io) == 0 || io[0].Secs <= 0) {
			t.Errorf("pg_stat_io: %+v", io)
		}
	})
}

// TestDeepWithoutRights: what a plain role cannot see is reported by database, and the others are still reported.
func TestDeepWithoutRights(t *testing.T) {
	on(t, []int{16}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		in(t, i, "postgres", "create role plain login", "create database shop", "create database secret",
			"revoke connect on database secret from public")
		in(t, i, "shop", "create table a (x int)", "create index a1 on a (x)", "create index a2 on a (x)")
		s := read(t, evidenceAs(t, i, "plain"))
		fires(t, s, "duplicate_indexes", "In database shop: public.a2 on a", "duplicates a1")
		r := check.Run(s, checks.All(), check.Options{Only: []string{"duplicate_indexes"}})
		if !slices.ContainsFunc(r.Unknown, func(g known.Gap) bool {
			return g.Fact == "database secret" && strings.Contains(g.Reveal, "GRANT CONNECT")
		}) {
			t.Errorf("unknown: %+v", r.Unknown)
		}
	})
}

// TestFaultsOfStandbysAreFound: pg_controldata of each version says what the primary of a standby runs with; on one
// of a primary that was raised, or that is to start with less, the check reports it, and what replay canceled is
// counted.
func TestFaultsOfStandbysAreFound(t *testing.T) {
	t.Parallel() // beside what waits
	each(t, func(t *testing.T, b scratch.Binaries) {
		major := b.Version.Major()
		room := map[string]string{"max_connections": "37", "max_worker_processes": "11", "max_wal_senders": "7",
			"max_prepared_transactions": "5", "max_locks_per_transaction": "71"}
		b = withControlProgram(t, b)
		primary := start(t, b, room)
		s := read(t, evidenceOf(t, primary, false))
		if own := s.Instances[0].Server.Controlled; own.State() != known.Absent {
			t.Errorf("pg_controldata was asked about a primary: %+v", own)
		}
		in(t, primary, "postgres", "create table t as select g from generate_series(1, 1000) g")
		standby := standbyOf(t, b, primary)
		fresh := read(t, evidenceOf(t, standby, false))
		silent(t, fresh, "standby_settings_below_primary")
		kept, ok := fresh.Instances[0].Server.Controlled.Get()
		if !ok || len(kept) != len(room) {
			t.Fatalf("the control file: %+v, %+v", kept, fresh.Instances[0].Server.Controlled.Gap())
		}
		for _, k := range kept {
			if fmt.Sprint(k.Value) != room[k.Name] {
				t.Errorf("%s is %d in the control file, and the server runs with %s", k.Name, k.Value, room[k.Name])
			}
		}
		if major != 13 && major < 18 {
			return
		}
		const readers = 12
		for range readers {
			c := dial(t, standby)
			ask(t, c, "select set_config('application_name', 'reader', false)")
			if _, err := c.Exec(t.Context(), "begin isolation level repeatable read; select count(*) from "+
				"t").ReadAll(); err != nil {
				t.Fatal(err)
			}
		}
		in(t, primary, "postgres", "delete from t", "vacuum t")
		waitFor(t, primary, standby)
		counted(t, standby, "postgres",
			fmt.Sprintf("select conflicts >= %d from pg_stat_database where datname = 'postgres'", readers))
		after := later(t, read(t, evidenceOf(t, standby, false)), 2*3600)
		fires(t, after, "standby_conflicts", fmt.Sprintf("database postgres: %d canceled queries", readers))

		if err := standby.Configure(map[string]string{"max_connections": "30"}); err != nil {
			t.Fatal(err)
		}
		fires(t, read(t, evidenceOf(t, standby, false)), "standby_settings_below_primary",
			"max_connections = 30 at the next start, which will fail (37 on the primary)")
		if major < 14 {
			return // which ends when its primary is raised
		}
		restart(t, primary, map[string]string{"max_connections": "41"})
		in(t, primary, "postgres", "create table after_that (x int)")
		await.That(t, "the change, on the standby", func() (bool, any) { // each time is a fresh question
			kept, _ := read(t, evidenceOf(t, standby, false)).Instances[0].Server.Controlled.Get()
			return slices.Contains(kept, pg.Controlled{Name: "max_connections", Value: 41}), kept
		})
		fires(t, read(t, evidenceOf(t, standby, false)), "standby_settings_below_primary",
			"max_connections = 37 (41 on the primary)")
	})
}

// withControlProgram returns programs that have pg_controldata, which the fetched servers lack: for 18 those of Debian,
// otherwise copies of the given ones with that of the packages of this host. Control files of 13 to 17 have their
// checksum at one place, so that one program reads all of them.
func withControlProgram(t *testing.T, b scratch.Binaries) scratch.Binaries {
	t.Helper()
	const program = "pg_controldata"
	if _, err := os.Stat(b.Tool(program)); err == nil {
		return b
	}
	if major := b.Version.Major(); major > 17 {
		whole, err := debianpg.Binaries(t.Context(), major)
		if err != nil {
			tier.Missing(t, tier.Servers, "%s of %d: %v", program, major, err)
		}
		return whole
	}
	found, err := filepath.Glob("/usr/lib/postgresql/1[3-7]/bin/" + program)
	if err != nil || len(found) == 0 {
		tier.Missing(t, tier.Servers, "%s of 13 to 17 is not installed", program)
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range [][]string{{"cp", b.Tool("postgres"), b.Tool("initdb"), b.Tool("pg_ctl"), bin},
		{"ln", "-s", found[0], bin},
		{"ln", "-s", filepath.Join(b.Dir, "../lib"), filepath.Join(b.Dir, "../share"), dir}} {
		if out, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", cmd, err, out)
		}
	}
	open(t, bin)
	complete, err := scratch.At(t.Context(), bin)
	if err != nil {
		t.Fatal(err)
	}
	return complete
}

// standbyOf copies a primary that is stopped for it, and starts both.
func standbyOf(t *testing.T, b scratch.Binaries, primary *scratch.Instance) *scratch.Instance {
	t.Helper()
	standby := start(t, b, nil)
	for _, i := range []*scratch.Instance{primary, standby} {
		if err := i.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range [][]string{
		{"find", standby.DataDir, "-mindepth", "1", "-delete"}, {"cp", "-a", primary.DataDir + "/.", standby.DataDir},
		{"cp", "--preserve=ownership,mode", primary.DataDir + "/PG_VERSION", standby.DataDir + "/standby.signal"},
	} {
		if out, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", cmd, err, out)
		}
	}
	settings := map[string]string{
		"primary_conninfo":        fmt.Sprintf("host=%s port=%d user=postgres", primary.Socket, primary.Port),
		"unix_socket_directories": standby.Socket, "port": fmt.Sprint(standby.Port), "max_standby_streaming_delay": "0",
	}
	if err := primary.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := standby.Configure(settings); err != nil {
		t.Fatal(err)
	}
	if err := standby.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, primary, standby)
	return standby
}

// waitFor waits until the standby has replayed what the primary has written.
func waitFor(t *testing.T, primary, standby *scratch.Instance) {
	t.Helper()
	at := ask(t, dial(t, primary), "select pg_current_wal_flush_lsn()::text")[0][0]
	c := dial(t, standby)
	await.That(t, "the standby at "+at, func() (bool, any) {
		now := ask(t, c,
			"select coalesce(pg_last_wal_replay_lsn(), '0/0')::text, coalesce(pg_last_wal_replay_lsn() >= "+
				"$1::pg_lsn, false)::text", at)[0]
		return now[1] == "true", now[0]
	})
}
