package collect

import (
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// lockFile looks at postmaster.pid as a server that starts does (CreateLockFile):
// a process of the same account with the number that it names is taken for a
// server, whatever it is; one of another account is not. Then the shared memory
// that the file names must not be in use.
func (c *collector) lockFile(in *instance) any {
	l := pg.StartLock{File: path.Join(in.dataDir, "postmaster.pid")}
	b, err := in.view.ReadFile(l.File, maxFile)
	switch {
	case gone(err):
		return l
	case err != nil:
		l.Fault = plainly(err)
		return l
	case len(b) == 0:
		l.Fault = "the file is empty"
		return l
	}
	f, err := parsePIDFile(b)
	if err != nil {
		l.Fault = err.Error()
		return l
	}
	l.PID = max(f.pid, -f.pid)
	l.Live, l.Program = c.alive(in, l.PID)
	if l.Live {
		l.DataDir = c.standsIn(l.PID)
		return l
	}
	if id, err := strconv.Atoi(f.segment); err == nil {
		l.Segment = id
		l.Attached = int64(len(c.leftBehind(in)))
	}
	return l
}

// alive reports whether a process of the instance's account has an id. Before a server counts one of another account as
// dead, so do we.
func (c *collector) alive(in *instance, pid int) (bool, string) {
	if pid <= 1 {
		return false, ""
	}
	proc := "proc/" + strconv.Itoa(pid)
	name := strings.TrimSpace(text(c.t, proc+"/comm"))
	a, err := trust.Process(c.t, pid)
	return err == nil && name != "" && in.account.UID >= 0 && a.UID == in.account.UID, name
}

// standsIn is the working directory of a process; "" if it is closed to us.
func (c *collector) standsIn(pid int) string {
	cwd, _ := c.t.Readlink("proc/" + strconv.Itoa(pid) + "/cwd")
	return cwd
}

// leftBehind lists the processes of a server that are in the data directory, though their postmaster is gone.
func (c *collector) leftBehind(in *instance) (out []int) {
	names, err := c.t.ReadDir("proc")
	if err != nil {
		return nil
	}
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil || !host.IsServerName(text(c.t, "proc/"+n+"/comm")) {
			continue
		}
		if c.standsIn(pid) == in.dataDir {
			out = append(out, pid)
		}
	}
	return out
}
