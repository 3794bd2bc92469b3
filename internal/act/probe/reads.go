package probe

import (
	"context"
	"errors"
	"os"
	"path"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

const (
	// pageSize is what the server reads at once, seqSize what fio reads in sequential order.
	pageSize, seqSize = 8192, 128 << 10
	// seqDepth is how many requests in order are under way at once, as with fio.
	seqDepth = 8
	// layoutSize is one write of the file that is read from.
	layoutSize = 1 << 20
	// ioAlign is what direct I/O asks of addresses, places and sizes on every device of today.
	ioAlign = 4096
)

// ownReads measures reads past the page cache where fio is not installed: pread with O_DIRECT, from as many threads as
// requests are to be under way at once. The file is made as the owner of the place, in our private directory, no larger
// than fio's, and goes with it.
func (w *Work) ownReads(ctx context.Context, d *Place, f *folder, out *measured.Disk) {
	name := "reads under " + d.Places[0]
	w.tellLayout(d)
	file, err := layout(ctx, w.t.Reach(f.path), f.as, d.ReadSize)
	if err != nil {
		w.failed(ctx, name, say.Err("the file to read from could not be written past the page cache: {reason}",
			"reason", err))
		return
	}
	defer file.Close()
	long := time.Duration(w.o.Seconds) * time.Second
	r := &measured.Reads{By: measured.OwnReads, Size: d.ReadSize, Random: []measured.Random{}}
	for _, depth := range depths {
		w.tellRandom(d, depth)
		x, err := readRandom(ctx, file, d.ReadSize, depth, long)
		if err != nil {
			w.failed(ctx, name, err)
			return
		}
		r.Random = append(r.Random, x)
	}
	out.Reads = r
	w.tellInOrder(d)
	if r.Sequential, err = readInOrder(ctx, file, d.ReadSize, long); err != nil {
		w.failed(ctx, name, err)
	}
}

// layout makes a file past the page cache, of bytes that no filesystem can compress or find
// twice. nil is ourselves.
func layout(ctx context.Context, dir string, as *target.User, size unit.Bytes) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, layoutTime)
	defer cancel()
	file, err := target.Create(as, path.Join(dir, "reads"), os.O_RDWR|unix.O_DIRECT, 0o600)
	if errors.Is(err, unix.EINVAL) {
		return nil, say.Err("this filesystem has no direct I/O")
	}
	if err != nil {
		return nil, err
	}
	buf := aligned(layoutSize)
	x := uint64(88172645463325252) // any but 0, of which xorshift makes 0 only; this is Marsaglia's
	for at := int64(0); at < int64(size); at += layoutSize {
		if err := ctx.Err(); err != nil {
			file.Close()
			return nil, err
		}
		x = scramble(buf, x)
		if _, err := file.WriteAt(buf[:min(layoutSize, int64(size)-at)], at); err != nil {
			file.Close()
			return nil, err
		}
	}
	if err := file.Sync(); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// scramble fills a buffer with other bytes each time; x is where the numbers go on.
func scramble(b []byte, x uint64) uint64 {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&b[0])), len(b)/8)
	for i := range words {
		x = shuffled(x)
		words[i] = x
	}
	return x
}

// shuffled is the next number of xorshift64 (Marsaglia 2003), which is fast enough to draw one for each read.
func shuffled(x uint64) uint64 {
	x ^= x << 13
	x ^= x >> 7
	return x ^ x<<17
}

// aligned returns a buffer whose address direct I/O takes.
func aligned(size int) []byte {
	b := make([]byte, size+ioAlign)
	off := int(-uintptr(unsafe.Pointer(&b[0])) & (ioAlign - 1))
	return b[off : off+size : off+size]
}

// readRandom reads pages at random with some of them under way at once.
func readRandom(ctx context.Context, file *os.File, size unit.Bytes, depth int, long time.Duration) (measured.Random,
	error) {
	pages := uint64(size / pageSize)
	if pages == 0 {
		return measured.Random{}, say.Err("the file is too small to read from")
	}
	seeds := make([]uint64, depth)
	for i := range seeds {
		seeds[i] = uint64(i+1) * 0x9e3779b97f4a7c15
	}
	all, took, err := readers(ctx, file, depth, pageSize, long, func(worker int) int64 {
		x := shuffled(seeds[worker])
		seeds[worker] = x
		return int64(x%pages) * pageSize
	})
	if err != nil {
		return measured.Random{}, err
	}
	p99, _ := all.micros.Quantile(0.99)
	return measured.Random{Depth: depth, PerSecond: float64(all.count) / took.Seconds(),
		Mean: all.sum.Seconds() / float64(all.count), P99: float64(p99) / 1e6}, nil
}

// readInOrder returns bytes a second.
func readInOrder(ctx context.Context, file *os.File, size unit.Bytes, long time.Duration) (unit.Bytes, error) {
	pieces := int64(size / seqSize)
	if pieces == 0 {
		return 0, say.Err("the file is too small to read from")
	}
	var next atomic.Int64
	all, took, err := readers(ctx, file, seqDepth, seqSize, long, func(int) int64 {
		return (next.Add(1) - 1) % pieces * seqSize
	})
	if err != nil {
		return 0, err
	}
	return unit.Bytes(float64(all.count) * seqSize / took.Seconds()), nil
}

// read is what a reader has done.
type read struct {
	count  int64
	sum    time.Duration
	micros measured.Histogram
}

// readers reads with some threads for a time. place returns the offset of a reader's next request.
func readers(ctx context.Context, file *os.File, n, size int, long time.Duration,
	place func(worker int) int64) (*read, time.Duration, error) {
	// A thread in a system call keeps its right to run until the scheduler takes it away, which takes longer than a
	// read of the fastest disks. So each gets a separate one.
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(max(before, n+2))
	defer runtime.GOMAXPROCS(before)
	fd := int(file.Fd())
	var stop atomic.Bool
	var wait sync.WaitGroup
	start := make(chan struct{})
	done := make([]read, n)
	errs := make([]error, n)
	for i := range n {
		wait.Add(1)
		go func() {
			defer wait.Done()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			buf := aligned(size)
			<-start
			errs[i] = done[i].until(&stop, fd, buf, func() int64 { return place(i) })
			if errs[i] != nil {
				stop.Store(true)
			}
		}()
	}
	ended := make(chan struct{})
	go func() { wait.Wait(); close(ended) }()
	began := time.Now()
	close(start)
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-ended: // with an error
	}
	stop.Store(true)
	// A read that hangs in the kernel cannot be ended; all others return within their latency.
	wait.Wait()
	took := time.Since(began)
	all := &done[0]
	for i := 1; i < n; i++ {
		all.count += done[i].count
		all.sum += done[i].sum
		all.micros.Add(&done[i].micros)
	}
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, 0, err
	}
	if all.count == 0 {
		return nil, 0, say.Err("nothing was read")
	}
	return all, took, nil
}

// until reads until it is stopped.
func (r *read) until(stop *atomic.Bool, fd int, buf []byte, place func() int64) error {
	for !stop.Load() {
		at := time.Now()
		n, err := unix.Pread(fd, buf, place())
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return say.Named("pread", err)
		case n != len(buf):
			return say.Err("the file became shorter")
		}
		took := time.Since(at)
		r.count++
		r.sum += took
		r.micros.Record(took.Microseconds())
	}
	return nil
}
