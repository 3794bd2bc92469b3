package serve

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/test/tier"
)

// account is a client that connects to a socket as another account, with one group.
func account(t *testing.T, socket string, uid, gid int) *http.Client {
	t.Helper()
	dial := func(context.Context, string, string) (net.Conn, error) {
		type made struct {
			c   net.Conn
			err error
		}
		done := make(chan made)
		go func() {
			// The kernel keeps the account for each thread; this one ends with its goroutine.
			runtime.LockOSThread()
			c, err := func() (net.Conn, error) {

				for _, call := range [][4]uintptr{{syscall.SYS_SETGROUPS, 0},
					{syscall.SYS_SETRESGID, uintptr(gid), uintptr(gid), uintptr(gid)},
					{syscall.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)}} {
					if _, _, e := syscall.RawSyscall(call[0], call[1], call[2], call[3]); e != 0 {
						return nil, e
					}
				}

				fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
				if err != nil {
					return nil, err
				}
				f := os.NewFile(uintptr(fd), socket)
				defer f.Close()
				if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket}); err != nil {
					return nil, err
				}
				return net.FileConn(f)
			}()
			done <- made{c, err}
		}()
		m := <-done
		return m.c, m.err
	}
	c := &http.Client{Transport: &http.Transport{DialContext: dial},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// short is a directory that everybody may enter and whose path a socket's fits in.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestSocketKnowsItsPeers verifies that over a socket the account that runs the server is asked for nothing, that
// others are let in by the token alone, whatever the rights of the socket became, and that behind a proxy everybody is
// asked.
func TestSocketKnowsItsPeers(t *testing.T) {
	tier.Root(t, "become other accounts")
	const group, stranger = 4242, 4343
	_, made := started(t, nil)
	for name, c := range map[string]struct {
		listen Listen
		token  string
		open   bool // its mode was widened
		uid    int
		gid    int
		bearer string
		want   int // 0: it cannot connect
	}{
		"root":                {uid: 0, want: 200},
		"a stranger":          {uid: stranger, gid: stranger},
		"a stranger, widened": {uid: stranger, gid: stranger, open: true, want: 403},
		"nobody, widened":     {uid: nobody, gid: nobody, open: true, want: 403},
		"root, with a group":  {listen: Listen{Group: "4242"}, token: secret, uid: 0, want: 200},
		"the group without the token": {listen: Listen{Group: "4242"}, token: secret, uid: stranger, gid: group,
			want: 401},
		"the group with the token": {listen: Listen{Group: "4242"}, token: secret, uid: stranger, gid: group,
			bearer: secret, want: 200},
		"another group": {listen: Listen{Group: "4242"}, token: secret, uid: stranger, gid: stranger,
			bearer: secret},
		"root, as the proxy of others": {listen: Listen{TokenFile: "t", BehindProxy: true}, token: secret, uid: 0,
			want: 401},
	} {
		t.Run(name, func(t *testing.T) {
			socket := filepath.Join(short(t), "x.sock")
			l := c.listen
			l.Address = socket
			_, end := serving(t, Options{Site: made.o.Site, Listen: l, Token: c.token})
			mode := os.FileMode(0o600)
			if l.Group != "" {
				mode = 0o660
			}
			st, err := os.Stat(socket)
			if err != nil || st.Mode().Perm() != mode || l.Group != "" && st.Sys().(*syscall.Stat_t).Gid != group {
				t.Fatalf("%v %v", st, err)
			}
			if c.open {
				if err := os.Chmod(socket, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			client := account(t, socket, c.uid, c.gid)
			for _, path := range []string{"/explain", "/metrics", "/memory"} {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				if c.bearer != "" {
					req.Header.Set("Authorization", "Bearer "+c.bearer)
				}
				r, err := client.Do(req)
				if c.want == 0 {
					if err == nil || !strings.Contains(err.Error(), "permission denied") {
						t.Errorf("%s: %v %v", path, r, err)
					}
					continue
				}
				want := c.want
				if path == "/metrics" && want == 200 {
					want = 404 // there are none
				}
				if err != nil || r.StatusCode != want {
					t.Errorf("%s: %v %v, want %d", path, r, err, want)
				}
				if err == nil {
					r.Body.Close()
				}
			}
			client.CloseIdleConnections()
			if err := end(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAccountsOfASocket verifies that each account has its own streams over a socket, whichever connections and
// sessions it has.
func TestAccountsOfASocket(t *testing.T) {
	tier.Root(t, "become other accounts")
	_, made := started(t, nil)
	socket := filepath.Join(short(t), "x.sock")
	_, end := serving(t, Options{Site: made.o.Site, Listen: Listen{Address: socket, Group: "4242"}, Token: secret})
	open := func(uid int) int {
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/memory/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+secret)
		r, err := account(t, socket, uid, 4242).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Body.Close() })
		return r.StatusCode
	}
	got := map[int]int{}
	for range mostStreams {
		got[open(4343)]++
	}
	if got[200] != mostOfOne || got[429] != mostStreams-mostOfOne {
		t.Errorf("one account: %v", got)
	}
	if status := open(4444); status != 200 {
		t.Errorf("another account: %d", status)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestSocketGroup holds what is said of a group that does not exist.
func TestSocketGroup(t *testing.T) {
	dir := short(t)
	_, err := openSocket(filepath.Join(dir, "x.sock"), "no-such-group-here")
	wantProblem(t, "no such group", err, say.CodeUsage)
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
}
