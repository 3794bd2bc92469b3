package target

import (
	"syscall"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// TellManager sends a state to the service manager, as sd_notify(3) does: one
// datagram to the socket that NOTIFY_SOCKET names, a path or, with @ before it, an
// abstract name.
func TellManager(socket, state string) error {
	if len(socket) < 2 || socket[0] != '/' && socket[0] != '@' {
		return say.Err("NOTIFY_SOCKET is neither a path nor an abstract name")
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return say.Err("service manager: {reason}", "reason", err)
	}
	defer syscall.Close(fd)
	// Sendto makes an abstract name of one that begins with @ by itself.
	if err := syscall.Sendto(fd, []byte(state), syscall.MSG_NOSIGNAL, &syscall.SockaddrUnix{Name: socket}); err != nil {
		return say.Err("service manager: {reason}", "reason", err)
	}
	return nil
}
