package proving

import (
	"context"
	"fmt"

	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// BenchOptions are what a person says of the measurement of one configuration.
type BenchOptions struct {
	Options
	Configuration string // as experiment.ConfigurationSyntax has it
	Runs          int
}

// Bench gets the measurement of one configuration ready. Nothing is measured.
func Bench(ctx context.Context, h *app.Host, o *BenchOptions) (*Prepared, error) {
	if o.Runs < 1 || o.Runs > MostBlocks {
		return nil, say.Usage(say.M("value out of range for --runs: {runs}", "runs", fmt.Sprint(o.Runs)),
			say.M("Use a whole number from 1 to {mostBlocks}.", "mostBlocks", fmt.Sprint(MostBlocks)))
	}
	if o.existing() {
		if err := o.notWith("pg", "bin", "kernel", "keep-data", "restore", "checkpoint-cycles"); err != nil {
			return nil, err
		}
		if !o.Said("conf") {
			o.Configuration = "current"
		}
	}
	e, w, err := o.order(ctx, h)
	if err != nil {
		return nil, err
	}
	e.Design, e.Spec.Blocks, e.Spec.Margin = experiment.DesignSingle, o.Runs, stat.Margin
	if e.Metric == "tps_with_checkpoint" && e.Spec.Cycles == 0 {
		e.Notes = append(e.Notes,
			say.M("Approximate: the time of one checkpoint after each run is added to the time of the run."))
	}
	if o.existing() {
		return o.onDatabase(ctx, h, e, w)
	}
	o.durations(e, false)
	trial, err := o.open(ctx, h, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = trial.Close() }()
	if e.A, err = o.maker(h, trial, e.Spec.Clients).Make(ctx, "--conf", o.Configuration); err != nil {
		return nil, err
	}
	e.Notes = append(e.Notes, e.A.Cautions()...)
	if err := trial.Close(); err != nil {
		return nil, err
	}
	return o.prepare(ctx, h, e, Prepared{Title: w.Title})
}

// onDatabase gets the measurement of an existing database ready.
func (o *BenchOptions) onDatabase(ctx context.Context, h *app.Host, e *engine.Order, w *workload.Workload) (*Prepared,
	error) {
	err := o.onDatabases(ctx, h, e, w, "")
	if err != nil {
		return nil, err
	}
	o.durations(e, false)
	if e.A, err = onSession(ctx, "--conf", o.Configuration, e.On); err != nil {
		return nil, err
	}
	return o.prepare(ctx, h, e, Prepared{Title: w.Title})
}
