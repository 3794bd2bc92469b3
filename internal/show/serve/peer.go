package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"syscall"
)

// nobody is the user ID that the kernel shows for one that this user namespace has no number for: it may be any user,
// so it proves nothing.
const nobody = 65534

// peerKey is where the user ID of a socket's peer is kept in the context of its requests.
type peerKey struct{}

// connected notes the owner of the process at the other end of a Unix socket, which the kernel reports as of the time
// of connection.
func connected(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return ctx
	}
	var cred *syscall.Ucred
	var got error
	if err := raw.Control(func(fd uintptr) {
		cred, got = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil || got != nil {
		return ctx // whose it is is not known: it is asked for the token
	}
	return context.WithValue(ctx, peerKey{}, int(cred.Uid))
}

// peerUID is the account at the other end of a Unix socket. Behind a proxy it is
// the proxy's, and says nothing of who asks.
func (s *Server) peerUID(r *http.Request) (int, bool) {
	uid, ok := r.Context().Value(peerKey{}).(int)
	return uid, ok && !s.o.Listen.BehindProxy
}

// itself reports whether a request comes from an account that sees what this server sees without it: the account that
// runs it, and root.
func (s *Server) itself(r *http.Request) bool {
	uid, ok := s.peerUID(r)
	return ok && (uid == 0 || uid == os.Geteuid() && uid != nobody)
}

// who names the one who asks, for what each may have only so much of: the account
// on a Unix socket, else the address together with the session. What anybody can
// make up without being let in is no part of it: a session that is none, the
// addresses of the loopback network, those below one /64.
func (s *Server) who(r *http.Request) string {
	if uid, ok := s.peerUID(r); ok {
		return "account " + strconv.Itoa(uid)
	}
	from := r.RemoteAddr
	if at, err := netip.ParseAddrPort(from); err == nil {
		switch ip := at.Addr().Unmap().WithZone(""); {
		case ip.IsLoopback():
			from = "loopback"
		case ip.Is6():
			from = netip.PrefixFrom(ip, 64).Masked().String()
		default:
			from = ip.String()
		}
	}
	if c, err := r.Cookie(cookie); err == nil && s.door != nil && s.door.holds(c.Value) {
		from += " session " + c.Value
	}
	return from
}
