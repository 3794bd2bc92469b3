package server

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// Account is the unprivileged user that a server runs as: PostgreSQL refuses
// to run as root.
type Account struct {
	UID, GID int
	Switch   bool // we are root, and have to become it
}

// Unprivileged returns the account for servers that we start: ourselves, or,
// where we are root, the user postgres or else nobody.
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
	return Account{}, fmt.Errorf("unprivileged user: there is neither postgres nor nobody, and PostgreSQL does not run as root")
}

// attributes makes a command run as the account, in a process group of its own:
// a signal to that group reaches nothing of others, and Ctrl-C on the terminal
// reaches us alone.
func (a Account) attributes() *syscall.SysProcAttr {
	s := &syscall.SysProcAttr{Setpgid: true}
	if a.Switch {
		s.Credential = &syscall.Credential{Uid: uint32(a.UID), Gid: uint32(a.GID)}
	}
	return s
}
