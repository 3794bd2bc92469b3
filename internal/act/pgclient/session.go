package pgclient

import (
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// Session is what one connection showed of the server behind it.
type Session struct {
	Major         int        // of server_version
	Role          string     // connected as
	Database      string     // connected to
	BackendPID    int        // by pg_backend_pid: behind a pooler, not that of our own connection
	BackendAt     int64      // start of the backend, seconds since the epoch by the server's clock
	PostmasterAt  int64      // start of the server, seconds since the epoch by the server's clock
	DataDirectory string     // "" where the role may not see it
	PeerPID       int        // process that listens on the Unix socket; 0 over TCP or where it is not visible from here
	catalogue     unit.Bytes // size of pg_class where that was asked
	PostmasterPID int        // proven to be the server's postmaster among the processes visible from here; else 0
}

func sessionOf(conn *pgconn.PgConn) Session {
	s := Session{Major: major(conn.ParameterStatus("server_version"))}
	if u, ok := conn.Conn().(*net.UnixConn); ok {
		if raw, err := u.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) {
				if c, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
					s.PeerPID = int(c.Pid)
				}
			})
		}
	}
	return s
}

// notice picks the data directory out of the settings as they pass.
func (s *Session) notice(query string, values [][]byte) {
	if query == catalogueSize.Name && len(values) > 0 {
		s.noticeSize(values)
	}
	if query == "settings" && len(values) > 1 && string(values[0]) == "data_directory" {
		s.DataDirectory = string(values[1])
	}
}

// maxProcFile bounds a file of /proc that is read here: each is one line or a few
// hundred.
const maxProcFile = 4 << 20

// reader reads the files of a host; target.Target is one.
type reader interface {
	ReadFile(name string, limit int64) ([]byte, error)
}

const (
	// clockTicks is USER_HZ, in which /proc counts: 100 on every architecture
	// that PostgreSQL is packaged for.
	ClockTicks = 100
	// SameStart is how far the start of a process may differ between /proc and the server's clock: /proc/stat has the
	// boot time in whole seconds, and a backend notes its start a little after its fork.
	SameStart = 2
)

// postmasterHere returns the process number of the session's postmaster where
// it is proven to run on the host whose files are read, else 0: it is the
// process that listens on the socket, or the parent of the session's backend,
// which is a process here that began when the server says. A process number
// alone would not do: the server's host has its own.
func postmasterHere(at reader, s Session) int {
	if s.PeerPID > 0 && isServer(at, s.PeerPID) {
		return s.PeerPID
	}
	if s.BackendPID <= 0 || s.BackendAt <= 0 || !isServer(at, s.BackendPID) {
		return 0
	}
	stat, err := at.ReadFile("proc/"+strconv.Itoa(s.BackendPID)+"/stat", maxProcFile)
	if err != nil {
		return 0
	}
	l, err := host.ParseStatLine(stat)
	if err != nil || l.Ended() {
		return 0
	}
	parent, err := strconv.Atoi(l.Field(host.StatParent))
	if err != nil {
		return 0
	}
	start, err := l.Number(host.StatStart)
	if err != nil {
		return 0
	}
	boot, err := BootTime(at)
	if err != nil {
		return 0
	}
	if apart := boot + start/ClockTicks - s.BackendAt; apart < -SameStart || apart > SameStart {
		return 0
	}
	return parent
}

// isServer reports whether a process bears a server's name.
func isServer(at reader, pid int) bool {
	comm, err := at.ReadFile("proc/"+strconv.Itoa(pid)+"/comm", maxProcFile)
	return err == nil && host.IsServerName(string(comm))
}

// BootTime reads the line btime of proc/stat: seconds since the epoch.
func BootTime(at reader) (int64, error) {
	b, err := at.ReadFile("proc/stat", maxProcFile)
	if err != nil {
		return 0, err
	}
	boot, err := host.ParseBootTime(b)
	if err != nil {
		return 0, fmt.Errorf("proc/stat: %w", err)
	}
	return boot, nil
}
