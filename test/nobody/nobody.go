// Package nobody has addresses at which no program answers.
package nobody

import (
	"net/netip"
	"syscall"
	"testing"
)

// Listens returns an address of this host at which connections are refused until
// the test ends. Its port is taken, by a socket that does not listen: a port that
// was only found free may be another program's in the next moment.
func Listens(t testing.TB) netip.AddrPort {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) }) // nothing was sent that could be lost
	here := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: here.As4()}); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return netip.AddrPortFrom(here, uint16(name.(*syscall.SockaddrInet4).Port))
}
