package servers

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// TestWorkIsCounted: what a server did is read as the rules need it: rows that
// changed, files that spilled, the statements they are of, the buffers in use.
// Where an extension is not there its fact is absent, and nothing is missing.
func TestWorkIsCounted(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"shared_preload_libraries": "pg_stat_statements"})
		bare := read(t, evidenceOf(t, i, true)).Instances[0].Server
		if bare.Spills.Known() || bare.BufferCache.Known() {
			t.Errorf("without extensions there are spills (%s) and a buffer cache (%s)", bare.Spills.State(),
				bare.BufferCache.State())
		}
		// A schema whose name has to be quoted, as the queries make texts with it.
		sql := []string{`CREATE SCHEMA "Odd ""one"""`, `CREATE EXTENSION pg_stat_statements SCHEMA "Odd ""one"""`,
			`CREATE EXTENSION pg_buffercache SCHEMA "Odd ""one"""`,
			`CREATE TABLE t AS SELECT g AS a, repeat('x', 100) AS b FROM generate_series(1, 100000) g`,
			`UPDATE t SET b = b WHERE a <= 500`, `DELETE FROM t WHERE a <= 70`,
			`SET work_mem = '64kB'`, `SELECT count(*) FROM (SELECT a FROM t ORDER BY b, a DESC OFFSET 1) s`,
			`RESET work_mem`, `ANALYZE t`}
		if err := i.Exec(t.Context(), sql...); err != nil {
			t.Fatal(err)
		}
		worked := "SELECT sum(temp_files) > 0 AND sum(tup_updated + tup_deleted) >= 570 FROM pg_stat_database"
		if b.Version.Major() >= 14 {
			worked = strings.Replace(worked, " AND ", " AND sum(active_time) > 0 AND ", 1)
		}
		counted(t, i, "postgres", worked)
		srv := read(t, evidenceOf(t, i, true)).Instances[0].Server
		dbs, _ := srv.Databases.Get()
		files, changed, active := int64(0), int64(0), 0.0
		for _, d := range dbs {
			files, changed = files+d.TempFiles, changed+d.Updated+d.Deleted
			ms, ok := d.ActiveTime.Get()
			if ok != (b.Version.Major() >= 14) {
				t.Errorf("%s: the time that sessions were active is %s", d.Name, d.ActiveTime.State())
			}
			active += ms
			if secs, ok := srv.CountedFor(d); !ok || secs <= 0 || secs > 3600 {
				t.Errorf("%s was counted for %v seconds (%v)", d.Name, secs, ok)
			}
		}
		if files == 0 || changed < 570 || b.Version.Major() >= 14 && active <= 0 {
			t.Errorf("%d temporary files, %d rows changed, active for %v ms", files, changed, active)
		}
		spills, ok := srv.Spills.Get()
		if !ok || spills.Spilling < 1 || spills.Calls < 1 || spills.Most < unit.MB || spills.Written < spills.Most {
			t.Errorf("spills: %+v, %s", spills, srv.Spills.Gap().Reason)
		}
		cache, ok := srv.BufferCache.Get()
		if have := b.Version.Major() >= 16; ok != have || have && (cache.Used == 0 || cache.Secs <= 0) {
			t.Errorf("buffer cache: %+v, %s", cache, srv.BufferCache.Gap().Reason)
		}
		tables, _ := srv.Deep.Tables.Get()
		found := false
		for _, table := range tables {
			found = found || strings.HasSuffix(table.Name, "t") && table.Changed == 570
		}
		if !found {
			t.Errorf("no table with 570 changed rows among %d", len(tables))
		}
	})
}
