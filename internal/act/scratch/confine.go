package scratch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Confinement is what a postmaster is put under before its first instruction,
// so that all of its memory and all of its children are under it.
type Confinement struct {
	Enter        func(pid int) error // puts the process where it is to live, such as into a cgroup
	AddressSpace unit.Bytes          // of the postmaster and of every process it starts (RLIMIT_AS); 0: no limit
}

// StartConfined is Start under a confinement.
func (i *Instance) StartConfined(ctx context.Context, c Confinement, args ...string) error {
	return i.start(ctx, &c, args)
}

// waiting is a command that becomes the given one, under the same process ID, when a line comes in; when its input ends
// before, it ends.
func (c *Confinement) waiting(args []string) *exec.Cmd {
	script := `read -r go && exec "$0" "$@"`
	if c.AddressSpace > 0 {
		script = fmt.Sprintf("ulimit -v %d && ", int64(c.AddressSpace/unit.KB)) + script
	}
	return exec.Command("/bin/sh", append([]string{"-c", script}, args...)...)
}

// begin starts a command that is waiting, confines it and lets it go. If that fails nothing of it is left.
func (c *Confinement) begin(acc Account, cmd *exec.Cmd) (wait func() error, err error) {
	in, gate, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdin = in
	wait, err = acc.start(cmd)
	_ = in.Close()
	if err != nil {
		return nil, errors.Join(err, gate.Close())
	}
	if c.Enter != nil {
		err = c.Enter(cmd.Process.Pid)
	}
	if err == nil {
		_, err = gate.WriteString("go\n")
	}
	err = errors.Join(err, gate.Close()) // the end of input, in case it still waits
	if err != nil {
		_ = cmd.Process.Kill()
		_ = wait()
	}
	return wait, err
}
