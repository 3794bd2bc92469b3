// Command progress runs go test and reports progress: each package when it ends, periodically what is running and for
// how long, and at the end what failed, what took longest, and what was skipped because of which missing requirement.
// go test itself reports packages in order, so that nothing is seen while the first one runs.
//
//	go run ./test/progress -timeout 20m ./... --then -C test/web ./...
//
// Arguments are those of go test; what --then divides runs one after the other, each to its end, also where one before
// it has failed; what --beside divides runs at once, such as packages of several modules. The exit code is not 0 if a
// test failed, a package did not build, or a tier of PGFETTLE_REQUIRE was skipped. The last line says no more than N
// passed, N failed, N skipped.
package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// every is how often the running tests are reported: often enough to show that something moves, rarely enough for a
// readable log of twenty minutes.
const every = 20 * time.Second

// grace is how long go test and its tests may take to end on a signal: they have
// servers to stop.
const grace = 30 * time.Second

// then divides the arguments of one go test from those of the next, beside from those of
// one that runs at the same time.
const (
	then   = "--then"
	beside = "--beside"
)

func main() {
	runtime.LockOSThread() // the kernel takes the end of the thread that started go test for ours
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	r := newReport(os.Stdout, time.Now, os.Getenv("PGFETTLE_REQUIRE"))
	tick := time.NewTicker(every)
	go func() {
		for range tick.C {
			r.running()
		}
	}()
	code := 0
	for _, group := range divided(os.Args[1:], then) {
		var together []*exec.Cmd
		for _, args := range divided(group, beside) {
			together = append(together, command(args))
		}
		if err := follow(together, r, signals); err != nil {
			code = 1
			if exit, ok := errors.AsType[*exec.ExitError](err); ok { // one of them
				code = max(1, exit.ExitCode())
			} else {
				r.say("progress: " + err.Error())
			}
		}
		if r.interrupted.Load() {
			break
		}
	}
	tick.Stop()
	if !r.end(code == 0) {
		os.Exit(max(1, code))
	}
}

// divided are the arguments between the dividers.
func divided(args []string, by string) (groups [][]string) {
	for {
		n := slices.Index(args, by)
		if n < 0 {
			return append(groups, args)
		}
		groups, args = append(groups, args[:n]), args[n+1:]
	}
}

// command is one go test, in its own process group with all that it starts.
func command(args []string) *exec.Cmd {
	at := 0
	if len(args) > 1 && args[0] == "-C" { // which go wants first
		at = 2
	}
	c := exec.Command("go", slices.Concat([]string{"test"}, args[:at], []string{"-json"}, args[at:])...)
	c.Stderr = os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	return c
}

// follow runs some go tests at once, each to its end. A signal reaches the process groups
// of all, and who has not ended some time after it, or at a second one, is killed.
func follow(all []*exec.Cmd, r *report, signals <-chan os.Signal) error {
	var errs []error
	var started []*exec.Cmd
	var outs []io.Reader
	for _, c := range all {
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil { // the others are of use nevertheless
			errs = append(errs, err)
			continue
		}
		started, outs = append(started, c), append(outs, out)
	}
	ended := make(chan struct{})
	passing := make(chan struct{})
	kill := func(s syscall.Signal) {
		for _, c := range started {
			_ = syscall.Kill(-c.Process.Pid, s) // it may just have ended
		}
	}
	go func() {
		defer close(passing)
		var late <-chan time.Time
		for {
			select {
			case <-ended:
				return
			case s := <-signals:
				if r.interrupted.Swap(true) {
					s = syscall.SIGKILL
				}
				late = time.After(grace)
				kill(s.(syscall.Signal))
			case <-late:
				kill(syscall.SIGKILL)
			}
		}
	}()
	results := make(chan error)
	for i, c := range started {
		go func() {
			err := r.read(outs[i])
			if err != nil {
				_, _ = io.Copy(io.Discard, outs[i]) // go test must not wait for a reader
			}
			results <- errors.Join(err, c.Wait())
		}()
	}
	for range started {
		errs = append(errs, <-results)
	}
	close(ended)
	<-passing
	if r.interrupted.Load() {
		errs = append(errs, errors.New("interrupted"))
	}
	return errors.Join(errs...)
}
