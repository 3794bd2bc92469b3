package target

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// self is this program, which root has chosen to run.
const self = "/proc/self/exe"

// Run implements Target. Root runs no program that others can replace. The command is the leader of its own process
// group, and the whole group is killed when the time is over, so that nothing of it stays behind. Output beyond the
// limit is ErrTooLarge, and the command is killed. An exit status other than 0 is no error: see Output.Code.
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
	env := environment(c)
	program, err := lookUp(c.Argv[0], pathIn(env))
	if err != nil {
		return Output{}, err
	}
	if os.Geteuid() == 0 && (c.As == nil || c.As.UID == 0) && program != self {
		if err := RootsOwn(l, program); err != nil {
			return Output{}, say.Err("{name} is not run as root: {reason}", "name", program, "reason", err)
		}
	}
	cmd := exec.CommandContext(kill, program, c.Argv[1:]...)
	cmd.Args[0] = c.Argv[0]
	cmd.Dir, cmd.Env = c.Dir, env
	cmd.Stdin = bytes.NewReader(c.Stdin)
	stdout := &bounded{limit: c.Limit, full: func() { stop(ErrTooLarge) }}
	stderr := &bounded{limit: c.Limit, full: func() { stop(ErrTooLarge) }}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if c.As != nil && cmd.Dir == "" {
		cmd.Dir = "/" // ours may be closed to the other user
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a grandchild that left the group may hold the pipes open
	wait, err := Start(cmd, c.As, c.Keeps)
	if err == nil {
		err = wait()
	}
	out := Output{Stdout: stdout.buf.Bytes(), Stderr: stderr.buf.Bytes()}
	if cmd.ProcessState != nil {
		out.Code = cmd.ProcessState.ExitCode()
	}
	var exit *exec.ExitError
	switch cause := context.Cause(kill); {
	case cause != nil && err != nil:
		return out, say.Named(c.Argv[0], cause)
	case errors.As(err, &exit):
		return out, nil
	case err != nil:
		return out, say.Named(c.Argv[0], err)
	}
	return out, nil
}

// environment gives a command what it may know: the account of an instance a clean one, the user's own shell line all
// of ours, and root's programs ours except for the PATH that they are looked for in and what changes the linker.
func environment(c Command) []string {
	env := []string{}
	switch {
	case c.As != nil:
		env = append(env, "PATH="+AccountPath)
	case c.Bare:
		env = append(env, "PATH="+safePath())
	default:
		for _, v := range os.Environ() {
			name, _, _ := strings.Cut(v, "=")
			language := strings.HasPrefix(v, "LC_") || strings.HasPrefix(v, "LANG")
			led := !c.Own && os.Geteuid() == 0 && (name == "PATH" || strings.HasPrefix(name, "LD_"))
			if !language && !led {
				env = append(env, v)
			}
		}
		if !c.Own && os.Geteuid() == 0 {
			env = append(env, "PATH="+safePath())
		}
	}
	return append(append(env, c.Env...), "LC_ALL=C")
}

// pathIn is the PATH of an environment, the last one of it.
func pathIn(env []string) string {
	path := ""
	for _, v := range env {
		if p, ok := strings.CutPrefix(v, "PATH="); ok {
			path = p
		}
	}
	return path
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
