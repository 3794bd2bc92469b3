package collect

import (
	"path"
	"strconv"
	"strings"
)

// maxSockets bounds the sockets that are asked who listens: a host has one or
// two for each instance.
const maxSockets = 256

// matchSockets finds the port and socket directory of instances whose postmaster.pid could not be read: the kernel
// reports exactly which process owns a socket of a server's name.
func (c *collector) matchSockets(found []*instance) {
	byPID := map[int]*instance{}
	for _, in := range found {
		if in.trusted() && !in.inside && (in.port == 0 || in.socketDir == "" && in.listen == "") {
			byPID[in.pid] = in
		}
	}
	if len(byPID) == 0 {
		return
	}
	b, err := c.t.ReadFile("proc/net/unix", maxFile)
	if err != nil {
		return
	}
	owners := c.holders(byPID)
	for _, s := range serverSockets(string(b)) {
		in := owners[s.inode]
		if in == nil && !c.root {
			// who is not root cannot see which sockets a process of another has open:
			// the listener is asked who it is, which connects to it
			if pid, err := c.t.Peer(s.path); err == nil {
				in = byPID[pid]
			}
		}
		if in != nil && in.socketDir == "" {
			in.port, in.socketDir = s.port, path.Dir(s.path)
		}
	}
}

// holders returns which instance has a socket open, by the socket's inode.
func (c *collector) holders(byPID map[int]*instance) map[string]*instance {
	out := map[string]*instance{}
	for pid, in := range byPID {
		dir := "proc/" + strconv.Itoa(pid) + "/fd"
		fds, err := c.t.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, fd := range fds[:min(len(fds), mostFDs)] {
			to, err := c.t.Readlink(dir + "/" + fd)
			if inode, ok := strings.CutPrefix(to, "socket:["); err == nil && ok {
				out[strings.TrimSuffix(inode, "]")] = in
			}
		}
	}
	return out
}

type serverSocket struct {
	path  string
	port  int
	inode string
}

// serverSockets lists the listening sockets of PostgreSQL in the text of
// /proc/net/unix, each once.
func serverSockets(text string) []serverSocket {
	var out []serverSocket
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		// Num RefCount Protocol Flags Type St Inode Path; the flag
		// 00010000 (__SO_ACCEPTCON) marks those that are listened on
		if len(f) < 8 || f[3] != "00010000" || len(out) == maxSockets {
			continue
		}
		at := f[7]
		digits, ok := strings.CutPrefix(path.Base(at), ".s.PGSQL.")
		port, err := strconv.Atoi(digits)
		if !ok || err != nil || port < 1 || port >= 1<<16 || !path.IsAbs(at) || seen[f[6]] {
			continue
		}
		seen[f[6]] = true
		out = append(out, serverSocket{at, port, f[6]})
	}
	return out
}
