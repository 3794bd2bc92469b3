package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Listen says where the page is and who may come in.
type Listen struct {
	Address     string   // host:port with an address of this host, or the path of a unix socket
	Group       string   // who may reach the socket too, and is asked for the token
	NoToken     bool     // on a loopback address: anyone who can reach it can read
	Hosts       []string // further names that it is asked for by: NAME or NAME:PORT
	TokenFile   string
	Cert, Key   string // files of TLS
	BehindProxy bool   // what is before it encrypts
}

const (
	// fewestCharacters of a token: with 16 of the characters that programs make
	// tokens of it cannot be guessed, at four guesses a second, in any life.
	fewestCharacters = 16
	mostCharacters   = 1 << 10
	mostHeader       = 16 << 10 // with the cookies of other programs on the same name
)

// place is an address that was understood.
type place struct {
	socket string
	at     netip.AddrPort
}

func (l *Listen) place() (place, error) {
	if l.socket() {
		abs, err := filepath.Abs(l.Address)
		if err != nil {
			return place{}, fmt.Errorf("--listen: %w", err)
		}
		return place{socket: abs}, nil
	}
	const form = "Use an IP address of this host and a port, such as 127.0.0.1:8432 or '[::1]:8432', or the path of " +
		"a Unix socket."
	bad := func(why say.Message) (place, error) {
		return place{}, &say.Problem{Message: say.M("invalid value for --listen: {address}: {why}", "address",
			say.Quoted(l.Address), "why", why),
			Hint: say.M(form),
			Code: say.CodeUsage}
	}
	host, port, err := net.SplitHostPort(l.Address)
	if err != nil {
		return bad(say.M("no port"))
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return bad(say.M("the port is not a number from 0 to 65535"))
	}
	switch host {
	case "localhost":
		host = "127.0.0.1"
	case "", "*":
		host = "::"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return bad(say.M("the host is not an IP address"))
	}
	return place{at: netip.AddrPortFrom(ip.Unmap(), uint16(n))}, nil
}

// local reports whether it can be reached only from this host.
func (p place) local() bool { return p.socket != "" || p.at.Addr().IsLoopback() }

// AsksToken reports whether there must be a token: on an address that other accounts reach as well. A socket for its
// owner alone needs none.
func (l *Listen) AsksToken() bool {
	return l.TokenFile != "" || l.Group != "" || !l.NoToken && !l.socket()
}

// socket reports whether it is a Unix socket.
func (l *Listen) socket() bool { return strings.Contains(l.Address, "/") }

// Check refuses an address that others can reach without a token and without
// encryption, and what contradicts itself.
func (l *Listen) Check() error {
	p, err := l.place()
	if err != nil {
		return err
	}
	usage := func(message, hint say.Message) error {
		return &say.Problem{Message: message, Hint: hint, Code: say.CodeUsage}
	}
	for _, h := range l.Hosts {
		if name, _ := splitHost(h); name == "" || strings.ContainsAny(h, "/ @*,") {
			return usage(say.M("invalid value for --host: {value}", "value", say.Quoted(h)),
				say.M("Use the host name in the address that browsers open, such as --host db1.example.org."))
		}
	}
	switch {
	case (l.Cert == "") != (l.Key == ""):
		return usage(say.M("--tls-cert and --tls-key require each other"), say.M("Use both."))
	case l.Cert != "" && l.BehindProxy:
		return usage(say.M("--tls-cert and --behind-proxy cannot be used together"),
			say.M("Use only one of them: TLS is terminated either here or by the proxy."))
	case l.NoToken && (l.TokenFile != "" || l.BehindProxy):
		return usage(say.M("--no-token cannot be used with --token-file or --behind-proxy"),
			say.M("Omit --no-token: without a token, everyone who can reach the address can read all pages."))
	case l.NoToken && p.socket != "":
		return usage(say.M("--no-token requires a loopback address"),
			say.M("Omit --no-token: on a socket, the serving account and root need no token."))
	case l.Group != "" && p.socket == "":
		return usage(say.M("--socket-group requires --socket"), say.M("Add --socket PATH."))
	case l.BehindProxy && l.TokenFile == "":
		return usage(say.M("--behind-proxy requires --token-file"),
			say.M("Add --token-file FILE. A proxy that authenticates its users can send the token itself, in the "+
				"header Authorization: Bearer TOKEN"))
	case p.local():
		return nil
	case l.TokenFile == "":
		return usage(say.M("--listen {address} requires --token-file: other hosts can reach it", "address", l.Address),
			say.M("Add --token-file FILE, or listen on 127.0.0.1 and connect through ssh -L 8432:127.0.0.1:8432"))
	case l.Cert == "" && !l.BehindProxy:
		return usage(say.M("--listen {address} requires encryption: other hosts can reach it", "address", l.Address),
			say.M("Add --tls-cert and --tls-key, or --behind-proxy if a proxy terminates TLS."))
	}
	return nil
}

// ReadToken reads the token of a file that is for its owner, or for its group too.
func ReadToken(name string) (string, error) {
	problem := func(why, hint say.Message, code int) error {
		return &say.Problem{Message: say.M("token file {name}: {why}", "name", say.Quoted(name), "why", why),
			Hint: hint, Code: code}
	}
	const how = "Create a token: (umask 077; openssl rand -hex 32 > FILE)"
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO would wait for a writer
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", problem(say.M("permission denied"), say.M("Run pgfettle as a user with read permission."),
			say.CodeNoAccess)
	case errors.Is(err, fs.ErrNotExist):
		return "", problem(say.M("file does not exist"), say.M(how), say.CodeUsage)
	case err != nil:
		return "", say.Err("token file: {error}", "error", err)
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return "", say.Err("token file: {error}", "error", err)
	case !st.Mode().IsRegular():
		return "", problem(say.M("not a regular file"), say.M(how), say.CodeUsage)
	case st.Mode().Perm()&0o006 != 0:
		return "", problem(say.M("accessible by all users"),
			say.M("Restrict access (chmod o= FILE), and create a new token because others may know this one."),
			say.CodeRefused)
	}
	b, err := io.ReadAll(io.LimitReader(f, mostCharacters+2))
	if err != nil {
		return "", say.Err("token file: {error}", "error", err)
	}
	token := strings.TrimRight(string(b), "\r\n")
	switch {
	case len(token) < fewestCharacters:
		return "", problem(say.M("the token has fewer than {fewestCharacters} characters", "fewestCharacters",
			fmt.Sprint(fewestCharacters)), say.M(how), say.CodeUsage)
	case len(token) > mostCharacters:
		return "", problem(say.M("the token has more than {mostCharacters} characters", "mostCharacters",
			fmt.Sprint(mostCharacters)), say.M(how), say.CodeUsage)
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", problem(say.M("the token contains characters other than printable ASCII without spaces"), say.M(how),
			say.CodeUsage)
	}
	return token, nil
}

// localName reports whether a name means the address that a request came in by.
func localName(r *http.Request, name string) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	switch a := local.(type) {
	case *net.UnixAddr:
		return name == "localhost" // as curl and proxies name a socket
	case *net.TCPAddr:
		if a.IP.IsLoopback() && name == "localhost" {
			return true
		}
		ip := net.ParseIP(name)
		return ip != nil && (ip.Equal(a.IP) || ip.IsLoopback() && a.IP.IsLoopback())
	}
	return false
}

// Open begins to listen. The second result is the address for a person.
func (l *Listen) Open() (net.Listener, string, error) {
	p, err := l.place()
	if err != nil {
		return nil, "", err
	}
	if p.socket != "" {
		n, err := openSocket(p.socket, l.Group)
		return n, "unix socket " + p.socket, err
	}
	n, err := net.Listen("tcp", p.at.String())
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, "", &say.Problem{Message: say.M("could not listen on {at}: address in use", "at", p.at),
			Hint: say.M("Choose another port, such as --listen 127.0.0.1:8433, or find the program: ss -ltnp"),
			Code: say.CodeError}
	case errors.Is(err, syscall.EACCES):
		return nil, "", &say.Problem{Message: say.M("could not listen on {at}: permission denied", "at", p.at),
			Hint: say.M("Choose a port above 1023; lower ones require root."), Code: say.CodeNoAccess}
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, "", &say.Problem{Message: say.M("could not listen on {addr}: not an address of this host", "addr",
			p.at.Addr()),
			Hint: say.M("List the addresses of this host: ip address"), Code: say.CodeUsage}
	case err != nil:
		return nil, "", fmt.Errorf("--listen: %w", err)
	}
	scheme := "http"
	if l.Cert != "" {
		scheme = "https"
	}
	return n, scheme + "://" + n.Addr().String() + "/", nil
}

// certificate reads the files of TLS; nil if there are none.
func (l *Listen) certificate() (*tls.Config, error) {
	if l.Cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(l.Cert, l.Key)
	if err != nil {
		code := say.CodeUsage
		if errors.Is(err, fs.ErrPermission) {
			code = say.CodeNoAccess
		}
		return nil, &say.Problem{Message: say.M("--tls-cert, --tls-key: {error}", "error", err),
			Hint: say.M("Use two PEM files: the certificate with its chain, and its key without a passphrase."),
			Code: code}
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// Serve answers until the context ends, then lets running requests finish. ready is called with the address as soon as
// it can be reached.
func (s *Server) Serve(ctx context.Context, ready func(string)) error {
	conf, err := s.o.Listen.certificate()
	if err != nil {
		return err
	}
	n, address, err := s.o.Listen.Open()
	if err != nil {
		return err
	}
	if conf != nil {
		n = tls.NewListener(n, conf)
	}
	h := &http.Server{
		Handler: s,
		// A slow client holds no more than a connection, and not for long. Writing waits for a look; a stream has a
		// separate limit for each event.
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: longest + 30*time.Second,
		IdleTimeout:    time.Minute,
		MaxHeaderBytes: mostHeader, ConnContext: connected,
		ErrorLog: log.New(io.Discard, "", 0), // it reports every scanner that does not speak HTTP
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(n) }()
	ready(address)
	select {
	case err := <-ended:
		return say.Err("server: {error}", "error", err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := h.Shutdown(last); err != nil {
		_ = h.Close() // slow reader
	}
	<-ended // until then the socket may exist without a listener
	return nil
}

// grace is how long an answer may take that has begun when the server is stopped.
const grace = 3 * time.Second
