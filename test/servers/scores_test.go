package servers

import (
	"math"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/live"
)

// TestScoresOfAutovacuum: from 19 on, the scores by which autovacuum chooses are those of the server, and its threshold
// is the one that follows from its settings, which is all that is known of an earlier one.
func TestScoresOfAutovacuum(t *testing.T) {
	live.On(t, []int{18, 19}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"autovacuum": "off"})
		in(t, i, "postgres", "create table t as select n from generate_series(1, 20000) n", "analyze t",
			"delete from t where n % 2 = 0", "select pg_stat_force_next_flush()")
		srv := read(t, evidenceOf(t, i, true)).Instances[0].Server
		tables, ok := srv.Deep.Tables.Get()
		if !ok {
			t.Fatal(srv.Deep.Tables.Gap())
		}
		for _, table := range tables {
			switch {
			case table.Schema != "public" || table.Name != "t":
			case table.Dead != 10000:
				t.Errorf("10000 rows are dead, read %d", table.Dead)
			case b.Version.Major() < 19:
				if table.Scores != nil {
					t.Errorf("18 has no scores: %+v", table.Scores)
				}
				return
			case table.Scores == nil:
				t.Error("19 gives no score")
			default: // the defaults: 50 rows and a fifth of the table
				if want := 10000 / (50 + 0.2*20000); math.Abs(table.Scores.Vacuum-want) > 0.01*want {
					t.Errorf("the score for dead rows is %v, not %v", table.Scores.Vacuum, want)
				}
				if table.Scores.Score < table.Scores.Vacuum {
					t.Errorf("the score is the highest of all: %+v", table.Scores)
				}
				return
			}
		}
		t.Errorf("the table is not read: %+v", tables)
	})
}
