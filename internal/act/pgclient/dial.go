package pgclient

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// retryAfter is how long a full queue of a listener is left alone. The server
// empties it once per fork, about a millisecond.
const retryAfter = 10 * time.Millisecond

// strangerError says that a socket is not served by the user that it should be.
type strangerError struct {
	address   string
	uid, want int
}

func (e *strangerError) Error() string {
	switch {
	case e.want < 0:
		return fmt.Sprintf("who serves %s could not be held against the account of the instance, which is not known",
			e.address)
	case e.uid < 0:
		return fmt.Sprintf("nobody of user id %d, the account of the instance, listens at %s", e.want, e.address)
	}
	return fmt.Sprintf("%s is served by user id %d, not by %d, the account of the instance", e.address, e.uid, e.want)
}

// dialAs connects to a Unix socket as the given user, so that the server's peer authentication sees that user, and the
// directories above are traversed with that user's rights; nil is ourselves. A socket in a world-writable directory may
// be anyone's: a listener other than want, a user ID, is refused before anything is sent; -1 is any. The path by way of
// the open directory is short enough for connect(2).
func dialAs(ctx context.Context, as *target.User, want int, address string) (net.Conn, error) {
	dir, err := target.OpenFolder(as, filepath.Dir(address))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	at := "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/" + filepath.Base(address)
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	f := os.NewFile(uintptr(fd), address)
	defer f.Close() // net.FileConn has its own copy
	for {
		err := connectAs(as, fd, at)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EAGAIN) {
			return nil, &os.PathError{Op: "connect", Path: address, Err: err}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(retryAfter):
		}
	}
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	uid, err := peerOf(conn)
	if err == nil && want >= 0 && uid != want {
		err = &strangerError{address: address, uid: uid, want: want}
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// peerOf is the user ID that listens at the other end of a Unix socket.
func peerOf(conn net.Conn) (uid int, err error) {
	u, ok := conn.(*net.UnixConn)
	if !ok {
		return -1, errors.New("not a Unix socket")
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return -1, err
	}
	uid = -1
	var got error
	err = raw.Control(func(fd uintptr) {
		var c *syscall.Ucred
		if c, got = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); got == nil {
			uid = int(c.Uid)
		}
	})
	return uid, errors.Join(err, os.NewSyscallError("getsockopt", got))
}

// isUser reports whether a user ID is the one of a name, or of a number.
func isUser(uid int, name string) bool {
	u, err := user.Lookup(name)
	return err == nil && u.Uid == strconv.Itoa(uid)
}

// connectAs calls connect(2) on a separate thread. Only that thread's effective user changes: the functions of package
// syscall would change the whole process.
func connectAs(as *target.User, fd int, at string) error {
	done := make(chan error, 1)
	target.OnThread(func() {
		err := become(as)
		if err == nil {
			err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: at})
		}
		done <- err
	})
	return <-done
}

// keep leaves one of the three ids of setresuid(2) and setresgid(2) as it is.
const keep = ^uintptr(0)

// become changes the effective user, the group and the further groups of this
// thread for good.
func become(as *target.User) error {
	if as == nil || os.Geteuid() != 0 || as.UID == 0 {
		return nil
	}
	groups := make([]uint32, len(as.Groups)+1) // one more, so that there is a first
	for i, g := range as.Groups {
		groups[i] = uint32(g)
	}
	if _, _, e := syscall.RawSyscall(syscall.SYS_SETGROUPS, uintptr(len(as.Groups)),
		uintptr(unsafe.Pointer(&groups[0])), 0); e != 0 {
		return os.NewSyscallError("setgroups", e)
	}
	if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESGID, keep, uintptr(as.GID), keep); e != 0 {
		return os.NewSyscallError("setresgid", e)
	}
	if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESUID, keep, uintptr(as.UID), keep); e != 0 {
		return os.NewSyscallError("setresuid", e)
	}
	return nil
}
