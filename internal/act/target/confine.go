package target

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// AccountPath is the PATH of every program that runs as the account of an
// instance: where distributions put programs, and nothing of the caller's.
const AccountPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// rootPath are the directories that root's own programs are looked for in before those of its PATH.
const rootPath = "/usr/sbin:/usr/bin:/sbin:/bin"

// Credential is that of a user; nil if that is the current user.
func (u *User) Credential() *syscall.Credential {
	if u == nil || u.UID == os.Geteuid() {
		return nil
	}
	c := &syscall.Credential{Uid: uint32(u.UID), Gid: uint32(u.GID)}
	for _, g := range u.Groups {
		c.Groups = append(c.Groups, uint32(g))
	}
	return c
}

// Start starts a program as a user: in its own session, so that it has no terminal, with no descriptor of ours except
// its three, without capabilities, and, unless it keeps privileges, unable to gain any (no_new_privs): a program that
// replaces its present supervisor permanently keeps the privileges of that. It must be waited for with the returned
// function, from any goroutine. Without root it starts as the current user.
//
// no_new_privs and the bounding set are the thread's, and a child has those of the thread that forked it: so it is
// started on a separate thread, which ends with the child, as the kernel takes the end of that thread for the end of
// the parent (PR_SET_PDEATHSIG).
func Start(cmd *exec.Cmd, u *User, keeps bool) (wait func() error, err error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Credential = u.Credential()
	if u == nil {
		cmd.SysProcAttr.Setpgid = true
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		return cmd.Wait, nil
	}
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setpgid = true, false
	sealOnce.Do(seal)
	started, over, ended := make(chan error, 1), make(chan struct{}), make(chan error, 1)
	OnThread(func() {
		var err error
		if !keeps {
			err = giveUp()
		}
		if err == nil {
			err = cmd.Start()
		}
		started <- err
		if err == nil {
			<-over
		}
	})
	if err := <-started; err != nil {
		return nil, err
	}
	go func() { ended <- cmd.Wait(); close(over) }()
	return func() error { return <-ended }, nil
}

// giveUp takes from this thread, and with it from what it starts, every way to more rights: set-user-ID programs, file
// capabilities, and the capabilities that could be regained.
func giveUp() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl(PR_SET_NO_NEW_PRIVS)", err)
	}
	if os.Geteuid() != 0 {
		return nil
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		// a kernel that is older has fewer, and who has no CAP_SETPCAP drops none:
		// with no_new_privs nothing can be gained from them
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) &&
			!errors.Is(err, unix.EPERM) {
			return os.NewSyscallError("prctl(PR_CAPBSET_DROP)", err)
		}
	}
	return nil
}

var sealOnce sync.Once

// seal closes for our children what our parent has left open: Go opens all files closed on exec, but inherits others.
func seal() {
	const first = 3 // behind stdin, stdout, stderr
	if unix.CloseRange(first, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	names, err := filepath.Glob("/proc/self/fd/*") // before 5.11
	if err != nil {
		return
	}
	for _, n := range names {
		fd := 0
		for _, d := range filepath.Base(n) {
			fd = fd*10 + int(d-'0')
		}
		if fd >= first {
			unix.CloseOnExec(fd)
		}
	}
}

// safePath is the PATH that root's own programs are looked for in: the directories of the system, then those of root's
// PATH that root alone can change. Without root, it is the user's own.
func safePath() string {
	path := os.Getenv("PATH")
	if os.Geteuid() != 0 {
		return path
	}
	kept := strings.Split(rootPath, ":")
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && RootsOwn(&Local{}, dir) == nil {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, ":")
}

// lookUp finds a program in a PATH. A name with a slash is taken as it is.
func lookUp(name, path string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, dir := range filepath.SplitList(path) {
		at := filepath.Join(dir, name)
		if st, err := os.Stat(at); err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 {
			return at, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}
