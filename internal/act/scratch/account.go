package scratch

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Account is the unprivileged user that a server runs as: PostgreSQL refuses
// to run as root.
type Account struct {
	UID, GID int
	Switch   bool // we are root, and have to become it
}

// Unprivileged returns the account for servers that we start: ourselves, or, if we are root, the user postgres,
// otherwise the user nobody.
func Unprivileged() (Account, error) {
	if os.Geteuid() != 0 {
		return Account{UID: os.Geteuid(), GID: os.Getegid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil && uid != 0 {
			return Account{UID: uid, GID: gid, Switch: true}, nil
		}
	}
	return Account{},
		say.Err("no unprivileged user: neither postgres nor nobody exists, and PostgreSQL does not run as root")
}

// AccountAs returns the account of a user, to run as if we are root; ourselves without root, or without such a user.
func AccountAs(u *target.User) Account {
	self := Account{UID: os.Geteuid(), GID: os.Getegid()}
	if u == nil || u.UID == self.UID || self.UID != 0 {
		return self
	}
	return Account{UID: u.UID, GID: u.GID, Switch: true}
}

// command makes a program ready to run as the account; start starts it. If we are root the program has to be root's or
// the account's: see trust.
func (a Account) command(ctx context.Context, program string, args ...string) (*exec.Cmd, error) {
	if os.Geteuid() == 0 {
		if _, err := (trust.Account{UID: a.UID, GID: a.GID, Name: "user " + strconv.Itoa(a.UID)}).Program(
			&target.Local{}, program); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // with its children
	cmd.WaitDelay = time.Second
	return cmd, nil
}

// start starts a command as the account, in its own session: a signal to that group reaches no other process, and
// Ctrl-C on the terminal reaches only us. Root's own programs keep root's rights: pg_dump goes to the sockets of a
// server that a person has named. What is returned waits for its end.
func (a Account) start(cmd *exec.Cmd) (wait func() error, err error) {
	return target.Start(cmd, &target.User{UID: a.UID, GID: a.GID}, a.UID == 0)
}

// finish runs a command to its end.
func (a Account) finish(cmd *exec.Cmd) error {
	wait, err := a.start(cmd)
	if err != nil {
		return err
	}
	return wait()
}
