package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// Most of what disturbs a machine passes within half a minute: so long the calibration is made again before the run is.
// What has not passed after two minutes of an experiment is how the machine is, and is not waited for any more.
const (
	mostCalibrations = 6
	calibrationPause = 5 * time.Second
	mostPaused       = 2 * time.Minute
)

// calibration does the same small work before each run: a machine that takes longer for it is disturbed. It is waited
// for, against the quickest yet; the last one is kept, and judged against that of the other run of the block.
func (g *engine) calibrate(ctx context.Context, s *seat) error {
	g.tell(experiment.Event{Step: "calibration", Config: s.label})
	for try := 1; ; try++ {
		c, err := g.w.Calibrate(ctx)
		if err != nil {
			return say.Err("calibration: {reason}", "reason", err)
		}
		e := &s.run.Environment
		e.CalibrationCPU, e.CalibrationMemory, e.CalibrationSync = millis(c.CPU), millis(c.Memory), millis(c.Sync)
		if g.quick == (machine.Calibration{}) {
			g.quick = c
		}
		g.quick = machine.Calibration{CPU: min(g.quick.CPU, c.CPU), Memory: min(g.quick.Memory, c.Memory),
			Sync: min(g.quick.Sync, c.Sync)}
		calm := float64(c.CPU) <= experiment.MostCalibrationCPU*float64(g.quick.CPU) &&
			float64(c.Memory) <= experiment.MostCalibrationMemory*float64(g.quick.Memory) &&
			float64(c.Sync) <= experiment.MostCalibrationSync*float64(g.quick.Sync)
		if calm || try == cmp.Or(g.e.MostCalibrations, mostCalibrations) || g.paused >= mostPaused {
			return nil
		}
		if err := g.w.Pause(ctx, calibrationPause); err != nil {
			return err
		}
		g.paused += calibrationPause
	}
}
