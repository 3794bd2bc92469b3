package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// Most of what disturbs a machine passes within half a minute: so long the calibration
// is made again before the run is.
const (
	mostCalibrations = 6
	calibrationPause = 5 * time.Second
)

// calibration does the same small work before each run: a machine that takes longer
// for it is disturbed. It is waited for, against the quickest yet, which makes it
// stricter than the gate, whose measure is the median; the last one counts.
func (g *engine) calibrate(ctx context.Context, s *seat) error {
	g.tell(experiment.Event{Step: "calibration", Config: s.label})
	for try := 1; ; try++ {
		cpu, sync, err := g.w.Calibrate(ctx)
		if err != nil {
			return say.Err("calibration: {reason}", "reason", err)
		}
		s.run.Environment.CalibrationCPU, s.run.Environment.CalibrationSync = millis(cpu), millis(sync)
		if g.quickCPU == 0 {
			g.quickCPU, g.quickSync = cpu, sync
		}
		g.quickCPU, g.quickSync = min(g.quickCPU, cpu), min(g.quickSync, sync)
		calm := float64(cpu) <= experiment.MostCalibrationCPU*float64(g.quickCPU) &&
			float64(sync) <= experiment.MostCalibrationSync*float64(g.quickSync)
		if calm || try == cmp.Or(g.e.MostCalibrations, mostCalibrations) {
			return nil
		}
		if err := g.w.Pause(ctx, calibrationPause); err != nil {
			return err
		}
	}
}
