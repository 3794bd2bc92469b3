package collect

import (
	"errors"
	"path"
	"strconv"
	"strings"
)

// pidFile is postmaster.pid, which the server keeps in its data directory.
type pidFile struct {
	pid       int    // of the postmaster; negative for a standalone backend
	port      int    // 0 where the line is not there yet
	socketDir string // first of unix_socket_directories; "" for none
	listen    string // first address listened at, "*" for all; "" for none
	status    string // starting, stopping, ready, standby; "" before version 10
	startedAt int64  // of the postmaster, seconds since the epoch; 0: not there
	segment   string // id of the SysV segment of its shared memory; "" before it has one
}

// parsePIDFile reads the lines that storage/lmgr and postmaster write; a
// server that is starting has written only the first of them.
func parsePIDFile(b []byte) (pidFile, error) {
	lines := strings.Split(string(b), "\n")
	line := func(n int) string { // counted from 1, as in miscadmin.h
		if n > len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[n-1])
	}
	var p pidFile
	var err error
	if p.pid, err = strconv.Atoi(line(1)); err != nil || p.pid == 0 {
		return pidFile{}, errors.New("the first line is no process id")
	}
	if n, err := strconv.Atoi(line(4)); err == nil && n > 0 && n < 1<<16 {
		p.port = n
	}
	if path.IsAbs(line(5)) || strings.HasPrefix(line(5), "@") {
		p.socketDir = line(5)
	}
	p.listen, p.status = line(6), line(8)
	if n, err := strconv.ParseInt(line(3), 10, 64); err == nil && n > 0 {
		p.startedAt = n
	}
	if f := strings.Fields(line(7)); len(f) == 2 { // key and id
		p.segment = f[1]
	}
	return p, nil
}
