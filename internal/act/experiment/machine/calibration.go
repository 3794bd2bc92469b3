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

// The calibration's work: three times 0.2 s of a CPU, which is long enough to average over single time slices, three
// copies of memory beyond what caches hold, and 100 times a page on disk, which takes 15 ms on a good disk and a second
// on one without a cache. Of the three the fastest counts: a program that came and went within a quarter of a second
// would discard a run of minutes that it did not touch (other programs during the run are watched too); a slower clock
// or a busy neighbor is in all three. Hashing stays in the caches: a neighbor that takes the bandwidth of the memory is
// seen by the copies alone.
const (
	calibrationTries = 3
	calibrationBytes = 256 << 20
	calibrationCopy  = 64 << 20 // twice, from and to: four times the last cache of a usual server's share
	calibrationSyncs = 100
	calibrationName  = "calibration"
)

// Calibration is how long fixed work took.
type Calibration struct {
	CPU    time.Duration // hashing
	Memory time.Duration // copying beyond the caches
	Sync   time.Duration // fsyncs
}

// Pause implements engine.world.
func (m *Machine) Pause(ctx context.Context, d time.Duration) error { return wait(ctx, d) }

// Calibrate implements engine.world.
func (m *Machine) Calibrate(ctx context.Context) (c Calibration, err error) {
	block := make([]byte, 1<<20)
	c.CPU, err = quickest(ctx, func() {
		h := sha256.New()
		for range cmp.Or(m.CalibrationBytes, calibrationBytes) / len(block) {
			_, _ = h.Write(block) // never fails
		}
	})
	if err != nil {
		return c, err
	}
	if c.Memory, err = copied(ctx, min(calibrationCopy, cmp.Or(m.CalibrationBytes, calibrationCopy))); err != nil {
		return c, err
	}

	f, err := os.OpenFile(m.path(calibrationName), os.O_RDWR|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return c, err
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
			return c, err
		}
		if ctx.Err() != nil {
			return c, context.Cause(ctx)
		}
		if _, err = f.WriteAt(page, 0); err == nil {
			err = unix.Fdatasync(int(f.Fd()))
		}
	}
	c.Sync = time.Since(begun)
	return c, err
}

// quickest is how long work took at its fastest.
func quickest(ctx context.Context, work func()) (least time.Duration, err error) {
	for try := range calibrationTries {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		begun := time.Now()
		work()
		if took := time.Since(begun); try == 0 || took < least {
			least = took
		}
	}
	return least, nil
}

// copied is how long a copy of so many bytes takes in memory, which is given back at once: the collector of garbage
// would keep it while the load runs.
func copied(ctx context.Context, size int) (took time.Duration, err error) {
	b, err := unix.Mmap(-1, 0, 2*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unix.Munmap(b)) }()
	for i := 0; i < len(b); i += os.Getpagesize() {
		b[i] = 1 // else what is read is the one page of zeros
	}
	return quickest(ctx, func() { copy(b[:size], b[size:]) })
}
