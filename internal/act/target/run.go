package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Run implements Target. The command is the leader of a process group of its
// own, and the whole group is killed when the time is over, so that nothing of
// it stays behind. Output beyond the limit is ErrTooLarge, and the command is
// killed. An exit status other than 0 is no error: see Output.Code.
func (l *Local) Run(ctx context.Context, c Command) (Output, error) {
	if !l.host() {
		return Output{}, ErrNoCommands
	}
	if len(c.Argv) == 0 {
		return Output{}, errors.New("no program to run")
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Limit <= 0 {
		c.Limit = DefaultLimit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, ErrTimeout)
	defer cancel()
	kill, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := exec.CommandContext(kill, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, environment(c)
	cmd.Stdin = bytes.NewReader(c.Stdin)
	stdout := &bounded{limit: c.Limit, full: func() { stop(ErrTooLarge) }}
	stderr := &bounded{limit: c.Limit, full: func() { stop(ErrTooLarge) }}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if c.As != nil {
		if cmd.Dir == "" {
			cmd.Dir = "/" // ours may be closed to the other user
		}
		if c.As.UID != os.Geteuid() {
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(c.As.UID), Gid: uint32(c.As.GID)}
			for _, g := range c.As.Groups {
				cmd.SysProcAttr.Credential.Groups = append(cmd.SysProcAttr.Credential.Groups, uint32(g))
			}
		}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a grandchild that left the group may hold the pipes open
	err := cmd.Run()
	out := Output{Stdout: stdout.buf.Bytes(), Stderr: stderr.buf.Bytes()}
	if cmd.ProcessState != nil {
		out.Code = cmd.ProcessState.ExitCode()
	}
	var exit *exec.ExitError
	switch cause := context.Cause(kill); {
	case cause != nil && err != nil:
		return out, fmt.Errorf("%s: %w", c.Argv[0], cause)
	case errors.As(err, &exit):
		return out, nil
	case err != nil:
		return out, fmt.Errorf("%s: %w", c.Argv[0], err)
	}
	return out, nil
}

// environment gives a command our own variables, or only PATH where it runs as
// somebody else or wants no more, and always the language whose messages we can read.
func environment(c Command) []string {
	var env []string
	if c.As == nil && !c.Bare {
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "LC_") && !strings.HasPrefix(v, "LANG") {
				env = append(env, v)
			}
		}
	} else {
		env = append(env, "PATH="+os.Getenv("PATH"))
	}
	return append(append(env, c.Env...), "LC_ALL=C")
}

// bounded takes no more than limit bytes. The buffer is a field and not
// embedded: io.Copy would else find its ReadFrom and pass the limit by.
type bounded struct {
	buf   bytes.Buffer
	limit int64
	full  func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.buf.Len())+int64(len(p)) > b.limit {
		b.full()
		return 0, ErrTooLarge
	}
	return b.buf.Write(p)
}
