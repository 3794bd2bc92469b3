package host

import (
	"net/netip"
	"strconv"
	"strings"
)

// MaxNetTCP bounds /proc/net/tcp: 150 bytes for each of 200,000 connections.
const MaxNetTCP = 32 << 20

// Listener is a socket that listens at a TCP address of this host.
type Listener struct {
	At  netip.AddrPort
	UID int // of the account that opened it
}

// ParseListener reads a line of /proc/net/tcp or tcp6; false if it is not one of a listener. Each four bytes of an
// address are there as a number of the machine, which is little-endian wherever packages of PostgreSQL are made for but
// s390x.
func ParseListener(line string) (Listener, bool) {
	f := strings.Fields(line)
	const listen = "0A" // TCP_LISTEN
	if len(f) < 8 || f[3] != listen {
		return Listener{}, false
	}
	addr, port, ok := strings.Cut(f[1], ":")
	n, err1 := strconv.ParseUint(port, 16, 16)
	uid, err2 := strconv.Atoi(f[7])
	if !ok || err1 != nil || err2 != nil || len(addr) != 8 && len(addr) != 32 {
		return Listener{}, false
	}
	var b []byte
	for i := 0; i < len(addr); i += 8 {
		w, err := strconv.ParseUint(addr[i:i+8], 16, 32)
		if err != nil {
			return Listener{}, false
		}
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	a, ok := netip.AddrFromSlice(b)
	return Listener{netip.AddrPortFrom(a, uint16(n)), uid}, ok
}
