package sample

import (
	"errors"
	"io/fs"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
)

const (
	// firstBuffer holds every file that is read at a sample but /proc/stat of hundreds of CPUs.
	firstBuffer = 16 << 10
	// maxFile bounds them: /proc/stat of a thousand CPUs is some 100 kB.
	maxFile = 1 << 20
	// tick is the length of a clock tick, as /proc counts time: USER_HZ is 100 on every architecture that PostgreSQL is
	// served on.
	tick = 10 * time.Millisecond
	// maxOpen bounds the files that stay open: six of the host and one for each
	// instance.
	maxOpen = 128
)

// Files reads the same few files of /proc and /sys again and again: they stay open, and one buffer serves them all. The
// kernel generates the text for each read from the beginning.
type Files struct {
	t    target.Target
	open map[string]int
	buf  []byte
}

func NewFiles(t target.Target) *Files {
	return &Files{t: t, open: map[string]int{}, buf: make([]byte, firstBuffer)}
}

// Read returns the text of a file, which holds until the next read.
func (f *Files) Read(name string) ([]byte, error) {
	fd, kept := f.open[name]
	if !kept {
		var err error
		if fd, err = f.begin(name); err != nil {
			return nil, err
		}
	}
	b, err := f.whole(fd, name)
	if err != nil && kept { // such as a cgroup that was recreated
		f.forget(name)
		if fd, err = f.begin(name); err == nil {
			b, err = f.whole(fd, name)
		}
	}
	if err != nil {
		f.forget(name)
	}
	return b, err
}

func (f *Files) begin(name string) (int, error) {
	path := f.t.Reach(name)
	if path == "" {
		return -1, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if len(f.open) >= maxOpen {
		return -1, &fs.PathError{Op: "open", Path: name, Err: syscall.EMFILE}
	}
	// O_NONBLOCK: a FIFO that lies where a file is expected must not stop us.
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f.open[name] = fd
	return fd, nil
}

func (f *Files) whole(fd int, name string) ([]byte, error) {
	n := 0
	for {
		if n == len(f.buf) {
			if n >= maxFile {
				return nil, &fs.PathError{Op: "read", Path: name, Err: target.ErrTooLarge}
			}
			bigger := make([]byte, 4*len(f.buf))
			copy(bigger, f.buf)
			f.buf = bigger
		}
		k, err := syscall.Pread(fd, f.buf[n:], int64(n))
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return nil, &fs.PathError{Op: "read", Path: name, Err: err}
		case k == 0:
			return f.buf[:n], nil
		}
		n += k
	}
}

func (f *Files) forget(name string) {
	if fd, ok := f.open[name]; ok {
		_ = syscall.Close(fd)
		delete(f.open, name)
	}
}

func (f *Files) Close() {
	for name := range f.open {
		f.forget(name)
	}
}

// fileGap says why a file of the kernel could not be read, and what would reveal it.
func fileGap(err error) (known.State, known.Gap) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return known.Absent, known.Gap{Reason: "this kernel or host does not have it"}
	case errors.Is(err, fs.ErrPermission):
		return known.Forbidden, known.Gap{Reason: "permission denied", Reveal: "run pgfettle as root"}
	}
	return known.Unread, known.Gap{Reason: err.Error()}
}
