package scripts

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pgfettle/pgfettle/test/await"
)

// jammed is a process that stands still at its first word on stderr.
type jammed struct {
	cmd *exec.Cmd
	out *os.File // the end of its stderr that is not read
}

// jam LOCK COMMAND… starts a command whose stderr is a pipe that is full, and waits
// until it has the lock: there it stands, for as long as the script wants.
func jam(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: jam LOCK COMMAND…")
	}
	r, w, err := os.Pipe()
	ts.Check(err)
	const getPipeSize = 1032 // F_GETPIPE_SZ of linux/fcntl.h
	size, _, errno := syscall.Syscall(syscall.SYS_FCNTL, w.Fd(), getPipeSize, 0)
	if errno != 0 {
		ts.Fatalf("size of a pipe: %v", errno)
	}
	_, err = w.Write(make([]byte, size))
	ts.Check(err)
	cmd := exec.Command(inPath(ts, args[1]), args[2:]...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), w
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"))
	ts.Check(cmd.Start())
	ts.Check(w.Close())
	ts.Defer(func() { _ = cmd.Process.Kill(); _, _ = cmd.Process.Wait(); _ = r.Close() })
	running.Store(ts, &jammed{cmd, r})
	for end := time.Now().Add(await.Patience); ; time.Sleep(5 * time.Millisecond) {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(b), fmt.Sprintf("process %d ", cmd.Process.Pid)) {
			ts.Setenv("JAMMED", fmt.Sprint(cmd.Process.Pid))
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s: it is not locked by process %d: %q, %v", args[0], cmd.Process.Pid, b, err)
		}
	}
}

// running are the processes that were jammed, by their script.
var running sync.Map

// unjam [COMMAND…] lets the process go on and waits for its good end. With a
// command, that one is started first, and has to say that it waits before the way
// is free; it has to end well too.
func unjam(ts *testscript.TestScript, neg bool, args []string) {
	v, ok := running.LoadAndDelete(ts)
	if neg || !ok {
		ts.Fatalf("usage: jam first, then unjam [COMMAND…]")
	}
	j := v.(*jammed)
	var other *exec.Cmd
	if len(args) > 0 {
		other = exec.Command(inPath(ts, args[0]), args[1:]...)
		other.Dir, other.Env = ts.MkAbs("."), append(os.Environ(), "HOME="+ts.Getenv("HOME"))
		talk, err := other.StderrPipe()
		ts.Check(err)
		ts.Check(other.Start())
		ts.Defer(func() { _ = other.Process.Kill(); _, _ = other.Process.Wait() })
		b, said := make([]byte, 4096), ""
		for !strings.Contains(said, "waiting: ") {
			n, err := talk.Read(b)
			said += string(b[:n])
			if err != nil {
				ts.Fatalf("it does not wait: %q, %v", said, err)
			}
		}
		ts.Logf("%s", said)
		go func() { _, _ = io.Copy(io.Discard, talk) }()
	}
	go func() { _, _ = io.Copy(io.Discard, j.out) }()
	err := j.cmd.Wait()
	if other != nil {
		err = errors.Join(err, other.Wait())
	}
	ts.Check(err)
}

// inPath finds a command of the script's own.
func inPath(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		at := filepath.Join(dir, name)
		if st, err := os.Stat(at); err == nil && !st.IsDir() {
			return at
		}
	}
	ts.Fatalf("%s is not in PATH", name)
	return ""
}
