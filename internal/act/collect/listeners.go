package collect

import (
	"bytes"
	"errors"
	"io/fs"
	"net/netip"
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// wouldListen reports where the server would listen, and what is in the way.
func (c *collector) wouldListen(s *stopped) any {
	port, err := strconv.Atoi(s.set["port"])
	if err != nil || port <= 0 || port >= 1<<16 {
		return nil
	}
	out := pg.StartSockets{Port: port, Addresses: []string{}, Listeners: []pg.StartListener{}, Unix: []pg.StartUnix{}}
	names := listOf(s.set["listen_addresses"])
	hosts := c.hostNames()
	v6 := len(bytes.TrimSpace([]byte(text(c.t, "proc/net/if_inet6")))) > 0
	for _, n := range names {
		for _, a := range addresses(n, hosts) {
			if at, err := netip.ParseAddr(a); err != nil || v6 || at.Is4() {
				out.Addresses = append(out.Addresses, a)
			}
		}
	}
	if len(names) > 0 {
		for _, name := range []string{"proc/net/tcp", "proc/net/tcp6"} {
			b, err := c.t.ReadFile(name, host.MaxNetTCP)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				c.miss(pg.Path(s.in.key, pg.StartSocketsPart), err, asRoot)
				return nil
			}
			out.Listeners = append(out.Listeners, c.listenersAt(port, string(b))...)
		}
	}
	for _, dir := range listOf(s.set["unix_socket_directories"]) {
		if path.IsAbs(dir) {
			out.Unix = append(out.Unix, c.unixFolder(s.in, dir, port))
		}
	}
	return out
}

// listOf splits a list of names as the server does, commas between them.
func listOf(v string) (out []string) {
	for n := range strings.SplitSeq(v, ",") {
		if n = strings.Trim(strings.TrimSpace(n), `"`); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// hostNames reads /etc/hosts.
func (c *collector) hostNames() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(text(c.t, "etc/hosts")) {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		for i := 1; i < len(f); i++ {
			out[f[i]] = append(out[f[i]], f[0])
		}
	}
	if out["localhost"] == nil {
		out["localhost"] = []string{"127.0.0.1", "::1"}
	}
	return out
}

// addresses looks up one of listen_addresses. A name that is only known elsewhere
// stays as it is.
func addresses(name string, hosts map[string][]string) []string {
	switch {
	case name == "*":
		return []string{"0.0.0.0", "::"}
	case hosts[name] != nil:
		return hosts[name]
	}
	return []string{name}
}

func (c *collector) listenersAt(port int, table string) (out []pg.StartListener) {
	for line := range strings.Lines(table) {
		l, ok := host.ParseListener(line)
		if !ok || int(l.At.Port()) != port {
			continue
		}
		one := pg.StartListener{Address: l.At.Addr().Unmap().String(), UID: l.UID}
		one.PID, one.Program = c.holderOf(strings.Fields(line)[9])
		out = append(out, one)
	}
	return out
}

// holderOf finds the process that has a socket open; 0 if that is closed to us. It looks at the open files of every
// process, for which there is cause only once a port is taken.
func (c *collector) holderOf(inode string) (int, string) {
	pids, err := c.t.ReadDir("proc")
	if err != nil {
		return 0, ""
	}
	want := "socket:[" + inode + "]"
	for _, n := range pids {
		pid, err := strconv.Atoi(n)
		if err != nil {
			continue
		}
		fds, err := c.t.ReadDir("proc/" + n + "/fd")
		if err != nil {
			continue
		}
		for _, fd := range fds[:min(len(fds), mostFDs)] {
			if to, err := c.t.Readlink("proc/" + n + "/fd/" + fd); err == nil && to == want {
				return pid, strings.TrimSpace(text(c.t, "proc/"+n+"/comm"))
			}
		}
	}
	return 0, ""
}

// unixFolder looks at a directory of sockets and at the lock file in it, as the server does before it makes its socket
// there.
func (c *collector) unixFolder(in *instance, dir string, port int) pg.StartUnix {
	u := pg.StartUnix{Folder: dir}
	lock := path.Join(dir, ".s.PGSQL."+strconv.Itoa(port)+".lock")
	st, err := in.view.Stat(dir)
	switch {
	case gone(err):
		u.Fault = "no such directory"
		return u
	case err != nil:
		u.Fault = plainly(err)
		return u
	case !st.Mode.IsDir():
		u.Fault = "not a directory"
		return u
	}
	if b, err := in.view.ReadFile(lock, maxFile); err == nil {
		line, _, _ := strings.Cut(string(b), "\n")
		pid, _ := strconv.Atoi(strings.TrimSpace(line))
		if live, name := c.alive(in, max(pid, -pid)); live {
			u.Lock, u.PID, u.Program = lock, max(pid, -pid), name
			return u
		}
	} else if closedTo(err) {
		u.Lock, u.Closed = lock, true
		return u
	}
	switch err := in.view.Writable(lock); {
	case errors.Is(err, target.ErrNotHis):
		u.Lock, u.Closed = lock, true
	case errors.Is(err, fs.ErrPermission):
		u.Fault = "permission denied"
	}
	return u
}
