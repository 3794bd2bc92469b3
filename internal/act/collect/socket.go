package collect

import (
	"path"
	"strconv"
	"strings"
)

// maxSockets bounds the sockets that are asked who listens: a host has one or
// two for each instance.
const maxSockets = 256

// matchSockets finds the port and socket folder of instances whose
// postmaster.pid could not be read: every socket of a server's name is asked
// whose it is, which the kernel answers exactly.
func (c *collector) matchSockets(found []*instance) {
	byPID := map[int]*instance{}
	for _, in := range found {
		if !in.inside && (in.port == 0 || in.socketDir == "" && in.listen == "") {
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
	for _, s := range serverSockets(string(b)) {
		pid, err := c.t.Peer(s.path)
		if in := byPID[pid]; err == nil && in != nil && in.socketDir == "" {
			in.port, in.socketDir = s.port, path.Dir(s.path)
		}
	}
}

type serverSocket struct {
	path string
	port int
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
		if !ok || err != nil || port < 1 || port >= 1<<16 || !path.IsAbs(at) || seen[at] {
			continue
		}
		seen[at] = true
		out = append(out, serverSocket{at, port})
	}
	return out
}
