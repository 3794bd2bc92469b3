package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Lock is what a server's lock file, postmaster.pid, says of it.
type Lock struct {
	PID       int
	Began     int64  // start of the server, seconds since the epoch; 0: not there yet
	Port      int    // 0: not there yet
	SocketDir string // "": none, or not there yet
	Listen    string // first address listened at; "": none
	Status    string // starting, stopping, ready, standby; "": not there yet
}

// ReadLock reads the lock file of a data directory, as the account that owns it. A
// server that does not run has none, and the error is fs.ErrNotExist.
func ReadLock(t target.Target, dataDir string) (Lock, error) {
	if t.UID() == 0 && t.Reach("/") == "/" {
		st, err := t.Stat(dataDir)
		if err != nil {
			return Lock{}, err
		}
		if st.UID == 0 && target.RootsOwn(t, dataDir) != nil {
			return Lock{}, &trust.Refusal{Reason: dataDir + " belongs to root, as which no server runs"}
		}
		t = t.As(trust.Of(st.UID, st.GID).User())
	}
	name := path.Join(dataDir, "postmaster.pid")
	b, err := t.ReadFile(name, maxFile)
	if err != nil {
		return Lock{}, err
	}
	p, err := parsePIDFile(b)
	if err != nil {
		return Lock{}, fmt.Errorf("%s: %w", name, err)
	}
	l := Lock{PID: p.pid, Port: p.port, SocketDir: p.socketDir, Listen: p.listen, Status: p.status}
	if lines := strings.Split(string(b), "\n"); len(lines) > 2 {
		if n, err := strconv.ParseInt(strings.TrimSpace(lines[2]), 10, 64); err == nil && n > 0 {
			l.Began = n
		}
	}
	return l, nil
}

// ConnectLocal says how to reach the server of a data directory on this host: through the socket that its lock file
// names, as the account of the instance where we are root. The error is fs.ErrNotExist where no server runs,
// fs.ErrPermission where the lock file is closed to us, and a *trust.Refusal if there is no account on whose behalf it
// could be asked.
func ConnectLocal(t target.Target, dataDir string) (pgclient.Connect, error) {
	c := &collector{t: t, root: t.UID() == 0}
	in := &instance{view: t, dataDir: dataDir, account: trust.Account{UID: -1}}
	if c.root {
		a, err := trust.Instance(t, dataDir)
		if err != nil {
			return pgclient.Connect{}, err
		}
		in.account, in.view = a, t.As(a.User())
	} else if st, err := t.Stat(dataDir); err == nil {
		in.account = trust.Of(st.UID, st.GID)
	} else if !errors.Is(err, fs.ErrPermission) {
		return pgclient.Connect{}, err
	}
	l, err := ReadLock(in.view, dataDir)
	if err != nil {
		return pgclient.Connect{}, err
	}
	in.pid, in.port, in.socketDir, in.listen = l.PID, l.Port, l.SocketDir, l.Listen
	if in.port == 0 {
		return pgclient.Connect{}, &say.Problem{Message: say.M("the server of {dataDir} is starting", "dataDir",
			dataDir),
			Hint: say.M("try again when the server accepts connections; its log says what it is doing"),
			Code: say.CodeError}
	}
	return c.connectTo(in)
}
