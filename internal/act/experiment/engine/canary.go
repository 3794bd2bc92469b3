package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// The canary's work: three times 0.2 s of a processor, which is long enough to be
// told apart from the chance of one time slice, and 100 times a page on disk,
// which takes 15 ms on a good disk and a second on one without a cache. Of the
// three the fastest counts: a program that came and went within a quarter of a
// second would void a run of minutes that it did not touch (other programs during
// the run have a gate of their own); a slower clock or a busy neighbour is in all
// three.
const (
	canaryTries = 3
	canaryBytes = 256 << 20
	canarySyncs = 100
	canaryName  = "canary"
)

// pause implements world.
func (m *machine) pause(ctx context.Context, d time.Duration) error { return wait(ctx, d) }

// canary implements world.
func (m *machine) canary(ctx context.Context) (cpu, sync time.Duration, err error) {
	block := make([]byte, 1<<20)
	for try := range canaryTries {
		h := sha256.New()
		begun := time.Now()
		for range canaryBytes / len(block) {
			if ctx.Err() != nil {
				return 0, 0, context.Cause(ctx)
			}
			_, _ = h.Write(block) // never fails
		}
		if took := time.Since(begun); try == 0 || took < cpu {
			cpu = took
		}
	}

	f, err := os.OpenFile(m.path(canaryName), os.O_RDWR|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), m.remove(canaryName)) }()
	page := block[:8192]
	// Once outside of the clock: the first one also writes the file's size.
	if _, err = f.WriteAt(page, 0); err == nil {
		err = f.Sync()
	}
	begun := time.Now()
	for range canarySyncs {
		if err != nil {
			return 0, 0, err
		}
		if ctx.Err() != nil {
			return 0, 0, context.Cause(ctx)
		}
		if _, err = f.WriteAt(page, 0); err == nil {
			err = unix.Fdatasync(int(f.Fd()))
		}
	}
	return cpu, time.Since(begun), err
}

// Most of what disturbs a machine passes within half a minute: so long the canary
// is made again before the run is.
const (
	mostCanaries = 6
	canaryPause  = 5 * time.Second
)

// canary does the same small work before each run: a machine that takes longer
// for it is disturbed. It is waited for, against the quickest yet, which makes it
// stricter than the gate, whose measure is the median; the last one counts.
func (g *engine) canary(ctx context.Context, s *seat) error {
	g.tell(Event{Step: "canary", Arm: s.arm})
	for try := 1; ; try++ {
		cpu, sync, err := g.w.canary(ctx)
		if err != nil {
			return fmt.Errorf("canary: %w", err)
		}
		s.run.Environment.CalibrationCPU, s.run.Environment.CalibrationSync = millis(cpu), millis(sync)
		if g.quickCPU == 0 {
			g.quickCPU, g.quickSync = cpu, sync
		}
		g.quickCPU, g.quickSync = min(g.quickCPU, cpu), min(g.quickSync, sync)
		calm := float64(cpu) <= experiment.MostCalibrationCPU*float64(g.quickCPU) && float64(sync) <= experiment.MostCalibrationSync*float64(g.quickSync)
		if calm || try == mostCanaries {
			return nil
		}
		if err := g.w.pause(ctx, canaryPause); err != nil {
			return err
		}
	}
}
