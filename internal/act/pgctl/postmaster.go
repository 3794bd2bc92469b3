package pgctl

import (
	"errors"
	"io/fs"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// postmaster is a running server: what its lock file says, proven by /proc.
type postmaster struct {
	collect.Lock
	Dir    string // its data directory
	parent int
	start  int64 // clock ticks after boot, which distinguishes it from another process with its ID
}

// ticks is USER_HZ, in which /proc counts: 100 on every architecture that
// PostgreSQL is packaged for.
const ticks = 100

// postmasterOf finds the server of a data directory. A lock file that a crash left behind, whose number another process
// wears by now, is no server. Two of three must hold: the process bears a server's name, it is in the data directory,
// which a postmaster never leaves, and it began when the lock file says. A name alone is none: a script in place of
// bin/postgres may start a program of any name. If that link is open to us, the process must be there; where we are
// root it has to run as the account of the instance.
func (p *Server) postmaster(dataDir string) (postmaster, bool, error) {
	a, err := p.account(dataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return postmaster{}, false, nil
	}
	if err != nil {
		return postmaster{}, false, err
	}
	return postmasterOf(p.Target, dataDir, a)
}

func postmasterOf(t target.Target, dataDir string, of *trust.Account) (postmaster, bool, error) {
	files := t
	if of != nil {
		files = t.As(of.User())
	}
	l, err := collect.ReadLock(files, dataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return postmaster{}, false, nil
	}
	if err != nil {
		return postmaster{}, false, say.Err("lock file: {reason}", "reason", err)
	}
	if l.PID <= 1 {
		return postmaster{}, false, nil // negative: a standalone backend
	}
	proc := "/proc/" + strconv.Itoa(l.PID)
	if of != nil {
		if runs, err := trust.Process(t, l.PID); err != nil || runs.UID != of.UID {
			return postmaster{}, false, nil // another process wears the number
		}
	}
	comm, err := t.ReadFile(proc+"/comm", target.MaxConfigFile)
	if err != nil {
		return postmaster{}, false, nil
	}
	p := postmaster{Lock: l, Dir: dataDir}
	stat, err := t.ReadFile(proc+"/stat", target.MaxConfigFile)
	if err != nil {
		return p, false, nil
	}
	state := ""
	if state, p.parent, p.start, err = statLine(stat); err != nil {
		return p, false, say.Named(proc+"/stat", err)
	}
	if state == "Z" {
		return p, false, nil
	}
	named := host.IsServerName(string(comm))
	cwd, err := t.Readlink(proc + "/cwd")
	stands := false
	if seen := err == nil; seen {
		real, err := t.Resolve(dataDir)
		if stands = err == nil && cwd == real; !stands || named {
			return p, stands, nil
		}
	}
	if !named && !stands {
		return p, false, nil
	}
	boot, err := bootTime(t)
	if err != nil || l.Began == 0 {
		return p, false, err
	}
	// the lock file and btime both count whole seconds
	apart := boot + p.start/ticks - l.Began
	return p, apart >= -3 && apart <= 3, nil
}

// statLine reads state, parent and start of /proc/PID/stat.
func statLine(b []byte) (state string, parent int, start int64, err error) {
	l, err := host.ParseStatLine(b)
	if err != nil || l.Len() < host.StatStart {
		return "", 0, 0, say.Err("fields are missing")
	}
	id, err1 := l.Number(host.StatParent)
	start, err2 := l.Number(host.StatStart)
	return l.Field(host.StatState), int(id), start, errors.Join(err1, err2)
}

// bootTime is when the kernel booted, seconds since the epoch.
func bootTime(t target.Target) (int64, error) {
	b, err := t.ReadFile("/proc/stat", target.MaxConfigFile)
	if err != nil {
		return 0, err
	}
	at, err := host.ParseBootTime(b)
	if err != nil {
		return 0, say.Named("/proc/stat", err)
	}
	return at, nil
}
