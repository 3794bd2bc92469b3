package target

import (
	"io/fs"
	"net"
	"syscall"
	"time"
)

// peerTimeout bounds the connection to a socket whose listener does not accept:
// a healthy one takes microseconds.
const peerTimeout = 500 * time.Millisecond

// Peer implements Target. SO_PEERCRED of a connected Unix socket names the
// process that called listen(2), which for PostgreSQL is the postmaster. A
// server that gets no byte at all keeps silent about it in its log.
func (l *Local) Peer(socket string) (int, error) {
	at := l.Reach(socket)
	if at == "" {
		return 0, &fs.PathError{Op: "connect", Path: socket, Err: fs.ErrNotExist}
	}
	conn, err := net.DialTimeout("unix", at, peerTimeout)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *syscall.Ucred
	var got error
	if err := raw.Control(func(fd uintptr) {
		cred, got = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if got != nil {
		return 0, got
	}
	return int(cred.Pid), nil
}
