package scratch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// adopted returns the process ID of a postmaster that runs in our data directory without being our child, as after a
// restart by pg_ctl; 0 if there is none. A number that a lock file names is only believed of a process that is in the
// data directory: the file may have outlived its server.
func (i *Instance) adopted() int {
	b, err := os.ReadFile(filepath.Join(i.DataDir, "postmaster.pid"))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || pid <= 1 || i.cmd != nil && pid == i.cmd.Process.Pid {
		return 0
	}
	cwd, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return 0
	}
	if real, err := filepath.EvalSymlinks(i.DataDir); err != nil || cwd != real {
		return 0
	}
	return pid
}

// ends waits until no server of ours runs, but not longer than given.
func (i *Instance) ends(within time.Duration) bool {
	const poll = 5 * time.Millisecond // a stop takes about 100 ms
	for end := time.Now().Add(within); i.Running(); time.Sleep(poll) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
