// Package target is where things happen: a host whose files are read and
// written and whose commands are run. Every other package reaches the world
// through a Target, so that a tree of files can stand for a host in a test and
// nothing else needs to exec or dial.
//
// Names are absolute paths of the target, "/proc/meminfo"; a leading slash may be omitted, so the names of an evidence
// archive are names of a target too. Errors are those of io/fs: errors.Is distinguishes fs.ErrNotExist and
// fs.ErrPermission from the rest.
package target

import (
	"context"
	"io/fs"
	"os"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Target is one host, or the view of it that a container has.
type Target interface {
	// ReadFile reads a regular file (those of /proc and /sys count as such)
	// in one go. More than limit bytes are ErrTooLarge, never a cut-off text.
	ReadFile(name string, limit int64) ([]byte, error)
	// ReadDir returns the names in a directory, unsorted, without "." and "..".
	ReadDir(name string) ([]string, error)
	// Readlink returns what a symbolic link says, which may be relative.
	Readlink(name string) (string, error)
	// Resolve returns the absolute path with every symbolic link followed.
	Resolve(name string) (string, error)
	// Stat follows symbolic links.
	Stat(name string) (Info, error)
	// Lstat is Stat of the last part itself, which may be a link.
	Lstat(name string) (Info, error)
	// Way returns every entry that a name leads through, the root first and links
	// among them, down to the entry itself.
	Way(name string) ([]Step, error)
	// Open opens a regular file for reading: a log is larger than what is read of it
	// at once.
	Open(name string) (*os.File, error)
	// Statfs returns the size of the filesystem that a path is on, and of a directory on XFS what it can do.
	Statfs(name string) (Space, error)
	// Sub returns the target whose root is the given directory: absolute links within it start there. It is how the
	// files of a container are read through /proc/PID/root. It runs no commands.
	Sub(dir string) (Target, error)
	// As returns a view of the same files with a user's rights to them and no others, so that the kernel decides what
	// is read and written on that user's behalf: no link leads to what the user could not reach anyway. Only regular
	// files are read, and only the user's own are replaced (ErrNotHis). If we are not root, or the user is, it is the
	// target itself.
	As(u User) Target
	// Reach returns the path by which this process itself gets to a name, for who has to hand one to the kernel, such
	// as that of a socket; "" if there is no way.
	Reach(name string) string
	// Peer connects to a Unix socket, asks who listens there, and hangs up without a word. The answer is 0 if the
	// listener's process is not visible from here.
	Peer(socket string) (pid int, err error)
	// Run runs a command to its end.
	Run(ctx context.Context, c Command) (Output, error)
	// Write replaces a file, or makes it: see the implementation for the
	// order of steps. A crash leaves either the old file or the new one.
	Write(name string, data []byte, perm fs.FileMode) error
	// Put is Write with the mode and the owner that the file has to have from
	// its first moment under its name, whatever the old file's were.
	Put(name string, data []byte, perm fs.FileMode, uid, gid int) error
	// PutWhile is Put that asks once more, when the new file lies ready beside the
	// old one and only the rename is left. Where still returns an error nothing is
	// replaced, and the error is that.
	PutWhile(name string, data []byte, perm fs.FileMode, uid, gid int, still func() error) error
	// Poke writes a file of /proc or /sys in one write(2), in place: the value
	// and a newline, as echo does.
	Poke(name, value string) error
	// Append adds bytes to the end of a file that exists, in one write(2), and returns when they are on disk. If it
	// returns an error nothing was added; only a crash can leave a part.
	Append(name string, data []byte) error
	// Remove unlinks a file, and fsyncs its directory. A file that does not exist is no error; a symbolic link is one,
	// and what it leads to stays.
	Remove(name string) error
	// RemoveWhile is Remove that asks once more, when only the unlink is left.
	RemoveWhile(name string, still func() error) error
	// Sweep removes what a Write or a Put of this name has left next to it that a crash cut short. No other process may
	// be writing it.
	Sweep(name string) error
	// Writable says, without writing, whether a file of this name could be made
	// or replaced: nil, or the error that it would meet.
	Writable(name string) error
	// Mkdir makes a directory that does not exist, and those above it, and fsyncs the directories that they were made
	// in.
	Mkdir(name string, perm fs.FileMode) error
	// Rmdir removes a directory that is empty, and fsyncs the one that it was in. One that is not empty, or not there,
	// is no error and stays as it is.
	Rmdir(name string) error
	// Lock takes a file's lock for this process, almost without waiting, and leaves a
	// hint of who has it. Where another process has it the error is a *Held. The
	// kernel gives the lock back when the process ends, however it ends.
	Lock(name, hint string) (unlock func() error, err error)
	// Now is the target's clock.
	Now() time.Time
	// UID is the effective user ID that all this is done as.
	UID() int
	// PageSize is the base page of the kernel in bytes.
	PageSize() int
	// ClockKept reports whether the kernel considers its clock synchronized (adjtimex(2), read only).
	ClockKept() (bool, error)
	// Machine is the kernel's name of the architecture: x86_64, aarch64, …
	Machine() string
}

// Info is what stat(2) says of a file.
type Info struct {
	Dev   uint64      // filesystem that holds it
	Inode uint64      //
	Rdev  uint64      // of a device node: the device
	Mode  fs.FileMode // type and permissions
	UID   int
	GID   int
	Size  int64
	Time  time.Time // of the last change of its content
}

// Major and Minor take a device number apart, as glibc's gnu_dev_major and
// gnu_dev_minor do.
func Major(dev uint64) uint32 { return uint32(dev>>8&0xfff) | uint32(dev>>32&^uint64(0xfff)) }

// Minor is the other half.
func Minor(dev uint64) uint32 { return uint32(dev&0xff) | uint32(dev>>12&^uint64(0xff)) }

// Space is what statfs(2) says, in bytes and inodes.
type Space struct {
	Total, Free  int64 // Free is what an ordinary user may still take
	Files, FFree int64
	Reflinks     *bool // of XFS: files can share blocks; nil: unknown, or no question of this filesystem
}

// Command is a program to run. It is never a shell line.
type Command struct {
	Argv  []string // program and arguments; the program is looked up in PATH
	Stdin []byte   // nil: empty
	Env   []string // NAME=VALUE, added to the usual ones; LC_ALL=C always holds
	Bare  bool     // of our own environment only a PATH
	Own   bool     // the user's own shell command: the whole environment, PATH included
	Dir   string   // "": the directory that we are in, or / under As
	As    *User    // nil: as we are; another user needs root. See Start for what it gets
	// under As: set-user-ID programs work in what it starts, as a server's archive_command may need
	Keeps   bool
	Timeout time.Duration // 0: DefaultTimeout
	Limit   int64         // bytes of output and of error text each; 0: DefaultLimit
}

// User is a user and group to run a command as.
type User struct {
	UID, GID int
	Groups   []int // further groups; nil: none
}

// Output is what a command that was run to its end left.
type Output struct {
	Stdout, Stderr []byte
	Code           int // exit status; -1 where a signal ended it
}

// The bounds of a command that sets none: no command that pgfettle runs is
// waited for by a person longer than ten seconds, nor says a megabyte.
const (
	DefaultTimeout = 10 * time.Second
	DefaultLimit   = 1 << 20
)

// Errors besides those of io/fs.
var (
	ErrTooLarge   = say.Err("larger than its limit")
	ErrNotRegular = say.Err("not a regular file")
	ErrImmutable  = say.Err("marked immutable or append-only")
	ErrNotHis     = say.Err("a file of another account, which the account of the instance could not replace")
	ErrNoCommands = say.Err("no commands are run here")
	ErrTimeout    = say.Err("did not end in time")
)
