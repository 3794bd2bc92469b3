package target

import (
	"os"
	"syscall"
	"time"
)

// lingers is how long to wait for a lock that may have no owner any more. A process that is killed while it starts a
// program leaves its lock to the child until the exec: an instant, and on a busy machine some tens of milliseconds.
const lingers = time.Second

// Flock takes the lock of an open file or directory, flock(2), which ends with the process. It is syscall.EWOULDBLOCK
// if another process has it, and still has it after a second.
func Flock(f *os.File) error {
	return linger(func() error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) })
}

func linger(try func() error) error {
	err := try()
	for end := time.Now().Add(lingers); err == syscall.EINTR || err == syscall.EWOULDBLOCK && time.Now().Before(end); {
		if err == syscall.EWOULDBLOCK {
			time.Sleep(lingers / 100)
		}
		err = try()
	}
	return err
}
