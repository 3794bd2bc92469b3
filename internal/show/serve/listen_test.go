package serve

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// TestListenRules holds which addresses need what: none that others can reach is
// served without a token and without encryption.
func TestListenRules(t *testing.T) {
	for name, c := range map[string]struct {
		l  Listen
		ok bool
	}{
		"loopback":            {Listen{Address: "127.0.0.1:8432"}, true},
		"loopback, another":   {Listen{Address: "127.8.9.1:0"}, true},
		"loopback, v6":        {Listen{Address: "[::1]:8432"}, true},
		"loopback, mapped":    {Listen{Address: "[::ffff:127.0.0.1]:8432"}, true},
		"by name":             {Listen{Address: "localhost:8432"}, true},
		"socket":              {Listen{Address: "/run/x.sock"}, true},
		"socket, relative":    {Listen{Address: "./x.sock"}, true},
		"loopback with token": {Listen{Address: "127.0.0.1:8432", TokenFile: "t"}, true},
		"loopback behind a proxy": {Listen{Address: "127.0.0.1:8432", TokenFile: "t", BehindProxy: true,
			Hosts: []string{"db1.example.org", "x:8443"}}, true},
		"others, all of it":         {Listen{Address: "10.0.0.5:8432", TokenFile: "t", Cert: "c", Key: "k"}, true},
		"others behind a proxy":     {Listen{Address: "10.0.0.5:8432", TokenFile: "t", BehindProxy: true}, true},
		"everywhere, all of it":     {Listen{Address: ":8432", TokenFile: "t", Cert: "c", Key: "k"}, true},
		"others, nothing":           {Listen{Address: "10.0.0.5:8432"}, false},
		"others, token only":        {Listen{Address: "10.0.0.5:8432", TokenFile: "t"}, false},
		"others, TLS only":          {Listen{Address: "10.0.0.5:8432", Cert: "c", Key: "k"}, false},
		"everywhere":                {Listen{Address: ":8432"}, false},
		"everywhere, v4":            {Listen{Address: "0.0.0.0:8432"}, false},
		"everywhere, v6":            {Listen{Address: "[::]:8432", TokenFile: "t"}, false},
		"link local":                {Listen{Address: "[fe80::1]:8432"}, false},
		"a proxy without a token":   {Listen{Address: "127.0.0.1:8432", BehindProxy: true}, false},
		"a socket before a proxy":   {Listen{Address: "/run/x.sock", BehindProxy: true}, false},
		"a certificate without key": {Listen{Address: "127.0.0.1:8432", Cert: "c"}, false},
		"a certificate and a proxy": {Listen{Address: "127.0.0.1:8432", Cert: "c", Key: "k", TokenFile: "t",
			BehindProxy: true}, false},
		"no port":                        {Listen{Address: "127.0.0.1"}, false},
		"a port that is none":            {Listen{Address: "127.0.0.1:http"}, false},
		"a port too high":                {Listen{Address: "127.0.0.1:65536"}, false},
		"a name":                         {Listen{Address: "db1.example.org:8432"}, false},
		"a name that looks like a local": {Listen{Address: "localhost.example.org:8432"}, false},
		"nothing":                        {Listen{Address: ""}, false},
		"loopback for all":               {Listen{Address: "127.0.0.1:8432", NoToken: true}, true},
		"others for all":                 {Listen{Address: "10.0.0.5:8432", NoToken: true}, false},
		"others for all, TLS":            {Listen{Address: "10.0.0.5:8432", NoToken: true, Cert: "c", Key: "k"}, false},
		"a token and none":               {Listen{Address: "127.0.0.1:8432", NoToken: true, TokenFile: "t"}, false},
		"a proxy for all":                {Listen{Address: "127.0.0.1:8432", NoToken: true, BehindProxy: true}, false},
		"a socket for all":               {Listen{Address: "/run/x.sock", NoToken: true}, false},
		"a socket for a group":           {Listen{Address: "/run/x.sock", Group: "g"}, true},
		"an address for a group":         {Listen{Address: "127.0.0.1:8432", Group: "g"}, false},
		"a host that is none":            {Listen{Address: "127.0.0.1:8432", Hosts: []string{"https://db1/"}}, false},
		"a host that is empty":           {Listen{Address: "127.0.0.1:8432", Hosts: []string{""}}, false},
	} {
		err := c.l.Check()
		if c.ok && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !c.ok {
			wantProblem(t, name, err, say.CodeUsage)
		}
	}
}

// serving runs a server as the command does and returns its address; end stops it.
func serving(t *testing.T, o Options) (address string, end func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	o.Context, o.Now = ctx, time.Now
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- New(o).Serve(ctx, func(a string) { ready <- a }) }()
	end = func() error { cancel(); return <-ended }
	select {
	case address = <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	t.Cleanup(cancel)
	return address, end
}

// TestServe verifies that a server answers from when it says so until it is ended, and that its end does not wait for
// pages that are kept up to date.
func TestServe(t *testing.T) {
	_, s := started(t, nil)
	at, end := serving(t, Options{Site: s.o.Site, Listen: Listen{Address: "127.0.0.1:0"}})
	if r := get(t, at+"healthz"); r.StatusCode != 200 {
		t.Error(r.Status)
	}
	stream := opened(t, at+"memory/events")
	if n, _ := stream.next(); n != "memory" {
		t.Errorf("the stream begins with %q", n)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if n, _ := stream.next(); n != "end" {
		t.Errorf("the stream ends with %q", n)
	}
	if _, err := http.Get(at + "healthz"); err == nil {
		t.Error("it answers after its end")
	}
}

// TestAddressInUse holds what is said where another program has the port.
func TestAddressInUse(t *testing.T) {
	n, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	l := Listen{Address: n.Addr().String()}
	_, _, err = l.Open()
	wantProblem(t, "in use", err, say.CodeError)
	l = Listen{Address: "192.0.2.1:8432"} // for documentation; no host has it
	if _, _, err = l.Open(); err == nil {
		t.Error("it listens on an address of nobody")
	}
}

// TestSocket verifies that a socket is for its owner alone, that one that was left behind is replaced, and that one
// that is used, and any other file, is not.
func TestSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "x.sock")
	_, s := started(t, nil)
	o := Options{Site: s.o.Site, Listen: Listen{Address: name}}
	at, end := serving(t, o)
	st, err := os.Stat(name)
	if err != nil || st.Mode().Perm() != 0o600 || !strings.HasSuffix(at, name) {
		t.Fatalf("%v %v %s", st, err, at)
	}
	c := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", name)
	}}}
	for host, want := range map[string]int{"localhost": 200, "evil.example": 421} {
		r, err := c.Get("http://" + host + "/healthz")
		if err != nil || r.StatusCode != want {
			t.Errorf("%s: %v %v", host, r, err)
		}
		if err == nil {
			r.Body.Close()
		}
	}
	_, _, err = o.Listen.Open()
	wantProblem(t, "a socket in use", err, say.CodeError)
	c.CloseIdleConnections()
	if err := end(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket stays: %v", err)
	}
	left, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	left.Close()
	_, end = serving(t, o)
	if err := end(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err = o.Listen.Open()
	wantProblem(t, "a file", err, say.CodeUsage)
}

// TestTLS verifies that the server speaks TLS with the files that were named, and that invalid ones are reported before
// it listens.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	kb, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	l := Listen{Address: "127.0.0.1:0", Cert: filepath.Join(dir, "cert"), Key: filepath.Join(dir, "key")}
	for name, b := range map[string]*pem.Block{l.Cert: {Type: "CERTIFICATE", Bytes: der},
		l.Key: {Type: "PRIVATE KEY", Bytes: kb}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, s := started(t, nil)
	at, end := serving(t, Options{Site: s.o.Site, Listen: l, Token: secret})
	if !strings.HasPrefix(at, "https://127.0.0.1:") {
		t.Errorf("it is at %s", at)
	}
	known := x509.NewCertPool()
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	known.AddCert(cert)
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: known}}}
	r, err := c.PostForm(at+"login", map[string][]string{"token": {secret}})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusSeeOther || len(r.Cookies()) != 1 || !r.Cookies()[0].Secure {
		t.Errorf("%s %v", r.Status, r.Cookies())
	}
	old := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: known,
		MaxVersion: tls.VersionTLS11}}}
	if _, err := old.Get(at + "healthz"); err == nil {
		t.Error("it speaks TLS 1.1")
	}
	c.CloseIdleConnections()
	if err := end(); err != nil {
		t.Error(err)
	}
	l.Key = l.Cert
	err = New(Options{Listen: l, Now: time.Now}).Serve(t.Context(), func(string) { t.Error("it listens") })
	wantProblem(t, "a key that is none", err, say.CodeUsage)
}

// TestAsksToken holds where other accounts of the host come by, so that they are
// asked for a token.
func TestAsksToken(t *testing.T) {
	for _, c := range []struct {
		l    Listen
		want bool
	}{
		{Listen{Address: "127.0.0.1:8432"}, true}, {Listen{Address: "127.0.0.1:8432", NoToken: true}, false},
		{Listen{Address: "/run/x.sock"}, false},
		{Listen{Address: "/run/x.sock", Group: "g"}, true}, {Listen{Address: "/run/x.sock", TokenFile: "t"}, true},
	} {
		if got := c.l.AsksToken(); got != c.want {
			t.Errorf("%+v: %t", c.l, got)
		}
	}
}
