package machine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// The calibration's work: three times 0.2 s of a CPU, which is long enough to average over single time slices, and 100
// times a page on disk, which takes 15 ms on a good disk and a second on one without a cache. Of the three the fastest
// counts: a program that came and went within a quarter of a second would discard a run of minutes that it did not
// touch (other programs during the run have a separate gate); a slower clock or a busy neighbour is in all three.
const (
	calibrationTries = 3
	calibrationBytes = 256 << 20
	calibrationSyncs = 100
	calibrationName  = "calibration"
)

// Pause implements engine.world.
func (m *Machine) Pause(ctx context.Context, d time.Duration) error { return wait(ctx, d) }

// Calibrate implements engine.world.
func (m *Machine) Calibrate(ctx context.Context) (cpu, sync time.Duration, err error) {
	block := make([]byte, 1<<20)
	for try := range calibrationTries {
		h := sha256.New()
		begun := time.Now()
		for range cmp.Or(m.CalibrationBytes, calibrationBytes) / len(block) {
			if ctx.Err() != nil {
				return 0, 0, context.Cause(ctx)
			}
			_, _ = h.Write(block) // never fails
		}
		if took := time.Since(begun); try == 0 || took < cpu {
			cpu = took
		}
	}

	f, err := os.OpenFile(m.path(calibrationName), os.O_RDWR|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), m.Remove(calibrationName)) }()
	page := block[:8192]
	// Once outside the clock: the first one also writes the file's size.
	if _, err = f.WriteAt(page, 0); err == nil {
		err = f.Sync()
	}
	begun := time.Now()
	for range calibrationSyncs {
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
