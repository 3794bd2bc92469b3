package collect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
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
	return fmt.Sprintf("%s is served by user id %d, not by %d, the owner of the data directory", e.address, e.uid, e.want)
}

// dialAs connects to a Unix socket as the given user, so that the server's peer
// authentication sees him. Without the right to change the user it connects as
// who we are. A socket in a folder that everybody writes to may be anybody's:
// what the given user does not serve is refused before a word is said.
func dialAs(ctx context.Context, uid int, address string) (net.Conn, error) {
	sock, err := openSocket(address)
	if err != nil {
		return nil, err
	}
	defer sock.dir.Close()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	f := os.NewFile(uintptr(fd), address)
	defer f.Close() // net.FileConn has its own copy
	for {
		err := sock.connectAs(uid, fd)
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
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return nil, os.NewSyscallError("getsockopt", err)
	}
	if int(peer.Uid) != uid {
		return nil, &strangerError{address: address, uid: int(peer.Uid), want: uid}
	}
	return net.FileConn(f)
}

// socket is a socket by way of its open folder: that path is always short
// enough for connect(2), and whoever connects needs no right to the folders
// above it, such as /proc/PID/root of a container.
type socket struct {
	dir  *os.File
	name string
	gid  uint32
}

// openPath is O_PATH: a place, not its content.
const openPath = 0x200000

func openSocket(address string) (*socket, error) {
	var st syscall.Stat_t
	if err := syscall.Stat(address, &st); err != nil {
		return nil, &os.PathError{Op: "stat", Path: address, Err: err}
	}
	dir, err := os.OpenFile(filepath.Dir(address), openPath|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &socket{dir: dir, name: filepath.Base(address), gid: st.Gid}, nil
}

// connectAs calls connect(2) on a thread of its own. Only that thread's
// effective user changes: the functions of package syscall would change the
// whole process. A thread that cannot be changed back is never used again: it
// ends with its goroutine.
func (s *socket) connectAs(uid, fd int) error {
	at := &syscall.SockaddrUnix{Name: "/proc/self/fd/" + strconv.Itoa(int(s.dir.Fd())) + "/" + s.name}
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		back, err := become(uid, s.gid)
		if err == nil {
			err = syscall.Connect(fd, at)
		}
		if back() {
			runtime.UnlockOSThread()
		}
		done <- err
	}()
	return <-done
}

// keep leaves one of the three ids of setresuid(2) and setresgid(2) as it is.
const keep = ^uintptr(0)

// become changes the effective user and group of this thread and returns what
// changes them back, which says whether it did. The group is the socket's own,
// as its folder may let in only that.
func become(uid int, gid uint32) (back func() bool, err error) {
	euid, egid := os.Geteuid(), os.Getegid()
	if euid != 0 || uid == euid {
		return func() bool { return true }, nil
	}
	back = func() bool {
		_, _, e1 := syscall.RawSyscall(syscall.SYS_SETRESUID, keep, uintptr(euid), keep)
		_, _, e2 := syscall.RawSyscall(syscall.SYS_SETRESGID, keep, uintptr(egid), keep)
		return e1 == 0 && e2 == 0
	}
	if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESGID, keep, uintptr(gid), keep); e != 0 {
		return back, os.NewSyscallError("setresgid", e)
	}
	if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESUID, keep, uintptr(uid), keep); e != 0 {
		return back, os.NewSyscallError("setresuid", e)
	}
	return back, nil
}
