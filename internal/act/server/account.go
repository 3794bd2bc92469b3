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

// AccountOf returns the account of a user id, to run as where we are root;
// without root, or with a negative id, ourselves.
func AccountOf(uid int) (Account, error) {
	self := Account{UID: os.Geteuid(), GID: os.Getegid()}
	if uid < 0 || uid == self.UID || self.UID != 0 {
		return self, nil
	}
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return Account{}, fmt.Errorf("account of a client: %w", err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return Account{}, fmt.Errorf("account of a client: group %q", u.Gid)
	}
	return Account{UID: uid, GID: gid, Switch: true}, nil
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
