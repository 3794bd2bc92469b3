package scratch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// placePattern is the name of every place, as os.MkdirTemp reads it.
const placePattern = "pgfettle-*"

// ownerFile records in a place which process owns it. It belongs to the creator of the place, even if the place itself
// was given to an account.
const ownerFile = ".pgfettle-owner"

// owner is the process that a place belongs to. A process ID alone can be reused by another process, so its start time
// is recorded too; both are valid only within one boot and one PID namespace.
type owner struct {
	pid   int
	start string // clock ticks after boot, field 22 of /proc/PID/stat
	boot  string
	space string // what /proc/self/ns/pid leads to
}

func self() (owner, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return owner{}, err
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return owner{}, err
	}
	start, err := startOf(os.Getpid())
	return owner{os.Getpid(), start, strings.TrimSpace(string(boot)), space}, err
}

func (o owner) text() string {
	return strconv.Itoa(o.pid) + " " + o.start + " " + o.boot + " " + o.space + "\n"
}

func readOwner(text string) (owner, bool) {
	f := strings.Fields(text)
	if len(f) != 4 {
		return owner{}, false
	}
	pid, err := strconv.Atoi(f[0])
	return owner{pid, f[1], f[2], f[3]}, err == nil && pid > 0
}

// dead reports whether the process of a place is known to have ended. One that could be in another container, whose
// processes are not seen here, is not.
func (o owner) dead(me owner) bool {
	switch {
	case o.boot != me.boot:
		return true
	case o.space != me.space:
		return false
	}
	start, err := startOf(o.pid)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) || err == nil && start != o.start
}

// OwnerMark returns the line that says whose a directory is that this process makes outside this package, for OwnerGone
// of a later one.
func OwnerMark() (string, error) {
	me, err := self()
	return me.text(), err
}

// OwnerGone reports whether a mark is of a process that is known to have ended.
func OwnerGone(mark string) bool {
	me, err := self()
	o, ok := readOwner(mark)
	return err == nil && ok && o.dead(me)
}

// startOf returns the start of a process.
func startOf(pid int) (string, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", err
	}
	l, err := host.ParseStatLine(b)
	if err != nil || l.Len() < host.StatStart {
		return "", say.Err("fields are missing in /proc/PID/stat")
	}
	return l.Field(host.StatStart), nil
}

// sweep removes places that processes of ours left in a temporary directory when they were killed. What is not certain
// to be one of those stays.
func sweep(parent string, me owner) {
	names, err := filepath.Glob(filepath.Join(parent, placePattern))
	if err != nil {
		return
	}
	for _, name := range names {
		if abandoned(name, me) {
			_ = os.RemoveAll(name) // follows no link; what is left of it is tried again next time
		}
	}
}

func abandoned(name string, me owner) bool {
	if st, err := os.Lstat(name); err != nil || !st.IsDir() {
		return false
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	f, err := root.OpenFile(ownerFile, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return false
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || int(sys.Uid) != os.Geteuid() {
		return false // of another user, or created by the account that got the place
	}
	b, err := io.ReadAll(io.LimitReader(f, 256)) // four words of some twenty characters
	if err != nil {
		return false
	}
	o, ok := readOwner(string(b))
	if !ok || !o.dead(me) {
		return false
	}
	i := Instance{DataDir: filepath.Join(name, "data")}
	return i.adopted() == 0 // otherwise a server started there outlives its owner
}
