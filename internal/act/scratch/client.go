package scratch

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Client is a program that talks to a scratch instance, such as pgbench. It runs
// as the account of the server, with no PG* variable of the caller.
type Client struct {
	Argv []string
	Env  []string // added
	Dir  string   // "": /
	// Signal passes signals on to it, for programs that end in their own time on
	// one; nil: none.
	Signal <-chan syscall.Signal
	// In is what it reads, Out where its output goes instead of into Ended: files
	// alone, such as the ends of a pipe, which the caller closes.
	In, Out *os.File
	Line    func(line string) // called with each line of its error output as it comes, from one goroutine; may be nil
	// Said is called with each line of its output, from another goroutine; a line for which it returns true is not
	// kept. nil keeps all.
	Said func(line string) (enough bool)
}

// Ended is what a client left.
type Ended struct {
	Stdout, Stderr string // the first megabyte of each
	Code           int    // exit status; -1 where a signal ended it
	CPU            time.Duration
}

// mostSaid bounds what is kept of a client's output: pgbench with a progress
// line each second says 100 bytes a second, so these are three hours.
const mostSaid = 1 << 20

// mostLine bounds a line that is passed on.
const mostLine = 64 << 10

// Run runs a client to its end. When ctx ends, it and what it started are
// killed, and the error is the cause. So are they when we are killed ourselves.
func (a Account) Run(ctx context.Context, c Client) (Ended, error) {
	cmd, err := a.command(ctx, c.Argv[0], c.Argv[1:]...)
	if err != nil {
		return Ended{Code: -1}, err
	}
	cmd.Env, cmd.Dir = append(environment(""), c.Env...), c.Dir
	if c.Dir == "" {
		cmd.Dir = "/"
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var out, text bytes.Buffer
	closeOutput := func() error { return nil }
	cmd.Stdout = &bounded{w: &out, left: mostSaid}
	if c.In != nil {
		cmd.Stdin = c.In
	}
	if c.Out != nil {
		cmd.Stdout = c.Out
	}
	r, w := io.Pipe()
	cmd.Stderr = io.MultiWriter(&bounded{w: &text, left: mostSaid}, w)
	var wg sync.WaitGroup
	each := func(r io.Reader, told func(line string)) {
		s := bufio.NewScanner(r)
		s.Buffer(nil, mostLine)
		for s.Scan() {
			told(s.Text())
		}
		_, _ = io.Copy(io.Discard, r) // after a line that is too long, nothing more is reported
	}
	wg.Go(func() {
		each(r, func(line string) {
			if c.Line != nil {
				c.Line(line)
			}
		})
	})
	if c.Said != nil && c.Out == nil {
		kept := cmd.Stdout
		said, end := io.Pipe()
		cmd.Stdout, closeOutput = end, end.Close
		wg.Go(func() {
			each(said, func(line string) {
				if !c.Said(line) {
					_, _ = io.WriteString(kept, line+"\n") // into memory
				}
			})
		})
	}
	wait, err := a.start(cmd)
	if err == nil {
		ended := make(chan struct{})
		var passing sync.WaitGroup
		passing.Go(func() {
			for {
				select {
				case <-ended:
					return
				case sig := <-c.Signal:
					_ = cmd.Process.Signal(sig) // it may have ended by itself
				}
			}
		})
		err = wait()
		close(ended)
		passing.Wait()
	}
	_ = w.Close()
	_ = closeOutput()
	wg.Wait()
	e := Ended{Stdout: out.String(), Stderr: text.String(), Code: -1}
	if st := cmd.ProcessState; st != nil {
		e.Code, e.CPU = st.ExitCode(), st.UserTime()+st.SystemTime()
	}
	switch {
	case ctx.Err() != nil:
		return e, context.Cause(ctx)
	case cmd.ProcessState == nil:
		return e, say.Named(c.Argv[0], err)
	}
	return e, nil
}
