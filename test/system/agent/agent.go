// Package agent lets a test run commands in a virtual machine that has no
// network: requests and replies go as JSON over a port that both sides hold
// open. Guest is the program inside, Client the side of the test.
package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Port is the name of the virtio port that the two meet at.
const Port = "pgfettle.agent"

// maxOutput bounds what one command may print: a plan in JSON is some 200 kB, an
// evidence file below 1 MB.
const maxOutput = 8 << 20

// Request asks for one command.
type Request struct {
	ID      int
	Argv    []string
	Stdin   string
	Seconds int // how long it may take
}

// Reply is how it ended. The reply with ID 0 comes unasked, when the agent has
// started.
type Reply struct {
	ID     int
	Stdout string
	Stderr string
	Code   int
	Error  string // it could not be run, or took too long
}

// Serve runs what is asked for until the port closes, several commands at once
// where several are asked for.
func Serve(port io.ReadWriter) error {
	var lock sync.Mutex
	enc := json.NewEncoder(port)
	reply := func(r Reply) error {
		lock.Lock()
		defer lock.Unlock()
		return enc.Encode(r)
	}
	if err := reply(Reply{}); err != nil {
		return err
	}
	dec := json.NewDecoder(port)
	for {
		var q Request
		if err := dec.Decode(&q); err != nil {
			return err
		}
		go func() { _ = reply(run(q)) }() // a port that is gone is the decoder's error
	}
}

func run(q Request) Reply {
	r := Reply{ID: q.ID, Code: -1}
	if len(q.Argv) == 0 {
		r.Error = "no program to run"
		return r
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(q.Seconds)*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, q.Argv[0], q.Argv[1:]...)
	c.Stdin = strings.NewReader(q.Stdin)
	out, errs := &bounded{}, &bounded{}
	c.Stdout, c.Stderr = out, errs
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 2 * time.Second // a program that it left running may hold its output open
	err := c.Run()
	r.Stdout, r.Stderr = out.String(), errs.String()
	if c.ProcessState != nil {
		r.Code = c.ProcessState.ExitCode()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.Error = "it took too long"
	case err != nil && !errors.As(err, &exit):
		r.Error = err.Error()
	}
	return r
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ buf bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	b.buf.Write(p[:min(len(p), maxOutput-b.buf.Len())])
	return len(p), nil
}

func (b *bounded) String() string { return b.buf.String() }
