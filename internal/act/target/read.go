package target

import (
	"io/fs"
	"sync"
	"syscall"
)

// scratch holds the buffers that files are read into before their exact size
// is known: /proc and /sys say 0. 64 kB holds all but the largest of them, and
// a seq_file is made in the kernel once for each read(2), so one large read is
// also the one that is consistent in itself.
var scratch = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// readPath reads a file of the machine by bare system calls. os.ReadFile costs
// twice the time on the small files of /proc, and a host has thousands.
func readPath(name string, limit int64) ([]byte, error) {
	var fd int
	err := syscall.EINTR
	for err == syscall.EINTR {
		fd, err = open(name)
	}
	if err != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer syscall.Close(fd)
	return readFd(fd, name, limit)
}

func open(name string) (int, syscall.Errno) {
	// O_NONBLOCK: a FIFO that lies where a file is expected must not stop us.
	fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err == nil {
		return fd, 0
	}
	if e, ok := err.(syscall.Errno); ok {
		return -1, e
	}
	return -1, syscall.EIO
}

func readFd(fd int, name string, limit int64) ([]byte, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
	}
	if st.Size > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrTooLarge}
	}
	p := scratch.Get().(*[]byte)
	defer scratch.Put(p)
	buf, n := *p, 0
	for {
		if n == len(buf) {
			bigger := make([]byte, 4*len(buf))
			copy(bigger, buf)
			buf = bigger
		}
		k, err := syscall.Read(fd, buf[n:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		if k == 0 {
			break
		}
		if n += k; int64(n) > limit {
			return nil, &fs.PathError{Op: "read", Path: name, Err: ErrTooLarge}
		}
	}
	return append(make([]byte, 0, n), buf[:n]...), nil
}
