package target

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// do runs something with the user's rights to files, which the kernel keeps for
// each thread.
func (f folders) do(something func() error) error {
	if f.as == nil || f.as.UID == os.Geteuid() || os.Geteuid() != 0 {
		return something()
	}
	done := make(chan error, 1)
	OnThread(func() {
		err := takeRights(*f.as)
		if err == nil {
			err = something()
		}
		done <- err
	})
	return <-done
}

// same asks setfsuid(2) and setfsgid(2) for what they are, changing nothing.
const same = ^uintptr(0)

// takeRights gives this thread the groups and the filesystem user of u. Changing the user also drops root's
// capabilities that override file permissions. setfsuid(2) reports no errors, so its result is read back.
func takeRights(u User) error {
	groups := make([]uint32, len(u.Groups)+1) // one more, so that there is a first
	for i, g := range u.Groups {
		groups[i] = uint32(g)
	}
	if _, _, e := syscall.RawSyscall(syscall.SYS_SETGROUPS, uintptr(len(u.Groups)), uintptr(unsafe.Pointer(&groups[0])),
		0); e != 0 {
		return os.NewSyscallError("setgroups", e)
	}
	for _, s := range []struct {
		call uintptr
		id   int
	}{{syscall.SYS_SETFSGID, u.GID}, {syscall.SYS_SETFSUID, u.UID}} {
		syscall.RawSyscall(s.call, uintptr(s.id), 0, 0)
		if now, _, _ := syscall.RawSyscall(s.call, same, 0, 0); int(now) != s.id {
			return say.Err("the rights of user {uid}: the kernel gives those of {other}",
				"uid", strconv.Itoa(u.UID), "other", strconv.Itoa(int(now)))
		}
	}
	return nil
}

// OpenFolder opens a directory as a place (O_PATH), with a user's rights to the way to it; nil is ourselves.
func OpenFolder(u *User, name string) (f *os.File, err error) {
	err = folders{&Local{}, u}.do(func() (err error) {
		f, err = os.OpenFile(name, unix.O_PATH|unix.O_DIRECTORY, 0)
		return err
	})
	return f, err
}
