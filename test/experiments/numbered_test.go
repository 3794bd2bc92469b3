package experiments

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// posted counts the documents that the 1c load has posted, and digests what was
// drawn at random of them. The numbers of documents are the server's.
const posted = `SELECT count(*) || ' ' || md5(string_agg(concat_ws(' ', at, warehouse, contract), ',' ORDER BY at, ` +
	`warehouse, contract))
  FROM document WHERE substring(ref from 9) >= int8send(1000000000000)`

// witness is the 1c load, and sees after each run what was posted.
type witness struct {
	*loadgen.Pgbench
	t   *testing.T
	saw []string
}

func (w *witness) Drive(ctx context.Context, d loadgen.Drive) (_ loadgen.Driven, err error) {
	out, err := w.Pgbench.Drive(ctx, d)
	if err != nil {
		return out, err
	}
	c, err := pgconn.Connect(ctx, d.Conn.ConnString())
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(ctx))) }()
	w.saw = append(w.saw, lines(w.t, c, posted))
	return out, nil
}

// TestExperimentFixedNumber verifies that runs of a number of transactions send the same ones to both configurations.
// The pages that they touch may differ all the same: ANALYZE of a temporary table takes its sample at random, and plans
// go by it.
func TestExperimentFixedNumber(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		t.Parallel()
		e := orderOf(t, b, "1c", experiment.DesignRestart)
		w := &witness{Pgbench: e.Load.(*loadgen.Pgbench), t: t}
		e.Load = w
		e.B.Settings = map[string]string{"log_lock_waits": "on"}
		e.Spec.Rate = 0
		e.Metric, e.Spec.Duration, e.Spec.Count, e.Spec.Jobs, e.Spec.Protocol, e.Spec.Warmup = "seconds", 0, 60, 2,
			workload.Simple, 0
		r, err := engine.Run(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.saw) != 2*len(r.Blocks) {
			t.Fatalf("%d blocks, documents %q", len(r.Blocks), w.saw)
		}
		seen := map[string]bool{}
		for i, block := range r.Blocks {
			for _, run := range block.Runs {
				if run.Transactions != 120 || run.Counters[experiment.Counted] != 120 {
					t.Errorf("block %d: %+v", block.Number, run)
				}
			}
			first, second := w.saw[2*i], w.saw[2*i+1]
			if first != second || seen[first] {
				t.Errorf("block %d posted %q and %q; the blocks before it %v", block.Number, first, second, seen)
			}
			seen[first] = true
		}
		nothingLeft(t, e)
	})
}
