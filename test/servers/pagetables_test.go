package servers

import (
	"context"
	"math"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

func connect(t testing.TB, conninfo string) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), conninfo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func sql(t testing.TB, c *pgconn.PgConn, text string) string {
	t.Helper()
	res, err := c.Exec(t.Context(), text).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if last := res[len(res)-1]; len(last.Rows) > 0 && len(last.Rows[0]) > 0 {
		return string(last.Rows[0][0])
	}
	return ""
}

// TestPageTablesAreWhatWasPredicted: backends that touched all of
// shared_buffers have the page tables of the worst case, within 2 %.
func TestPageTablesAreWhatWasPredicted(t *testing.T) {
	t.Parallel() // beside what waits
	// The kernel makes page tables, not the server: an old and a new major.
	on(t, []int{13, 17}, func(t *testing.T, b scratch.Binaries) {
		const buffers = unit.GB
		i := start(t, b, map[string]string{"shared_buffers": buffers.GUC(), "huge_pages": "off", "fsync": "off",
			"max_wal_size":       "8GB",
			"checkpoint_timeout": "1h", "autovacuum": "off", "jit": "off", "max_parallel_workers_per_gather": "0",
			"synchronize_seqscans": "off"})
		c := connect(t, i.ConnString())
		sql(t, c, "create extension pg_prewarm")
		// One row of 2000 bytes of four on a page: few rows to count, all pages to touch.
		pages := int64(buffers/(8*unit.KB)) - 500 // what the catalogs take that these sessions read
		sql(t, c, "create table big (n int, filler text) with (autovacuum_enabled = off)")
		sql(t, c, "alter table big alter filler set storage plain")
		sql(t, c, "insert into big select g, repeat('x', 1950) from generate_series(1, "+
			strconv.FormatInt(pages*4, 10)+") g")
		sql(t, c, "vacuum (freeze, analyze) big")
		sql(t, c, "select pg_prewarm('big', 'buffer')")

		readers := map[int]bool{}
		for range 3 {
			w := connect(t, i.ConnString())
			readers[int(w.PID())] = true
			// count(*) touches every page of the table; the walk over the buffer
			// headers and the mapping table comes with finding them.
			sql(t, w, "select count(*) from big")
		}
		s := read(t, evidenceOf(t, i, false))
		procs, ok := s.Instances[0].Processes.Get()
		if !ok {
			t.Fatalf("processes: %+v", s.Instances[0].Processes.Gap())
		}
		var shared unit.Bytes
		if parts, ok := s.Instances[0].Server.Shmem.Get(); ok {
			for _, p := range parts {
				shared += p.Size
			}
		}
		predicted := memory.PageTablesOfBackend(buffers, 4*unit.KB)
		n := 0
		for _, p := range procs {
			// The session that wrote the table has WAL buffers in its tables too.
			if !readers[p.PID] {
				continue
			}
			n++
			off := float64(predicted-p.PageTables) / float64(p.PageTables)
			t.Logf("pid %d: VmPTE %d kB, RssShmem %d kB of %d kB; predicted %d kB (%+.1f %%)", p.PID,
				p.PageTables/unit.KB, p.Shmem/unit.KB, shared/unit.KB, predicted/unit.KB, 100*off)
			if math.Abs(off) > 0.02 {
				t.Errorf("pid %d: predicted %s, measured %s: off by %.1f %%", p.PID, predicted, p.PageTables, 100*off)
			}
		}
		if n < 3 {
			t.Errorf("only %d backends touched the shared buffers", n)
		}
	})
}
