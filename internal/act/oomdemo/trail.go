package oomdemo

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/act/cgroup"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// groupPrefix begins the name of every group of ours: nothing else is ever
// removed as one.
const groupPrefix = "pgfettle-oom-"

// folderPrefix begins the name of every folder of a throwaway server.
const folderPrefix = "pgfettle-"

// record is what has to be taken away again, written down before it is made.
type record struct {
	Groups  []cgroup.Group `json:"groups"`  // where the cgroup may be
	Folder  string         `json:"folder"`  // of the throwaway server
	Sysctls []former       `json:"sysctls"` // values of the kernel, in the order in which to restore them
}

// former is a value of the kernel that was changed.
type former struct {
	Name   string `json:"name"` // vm.overcommit_memory
	Before string `json:"before"`
	After  string `json:"after"`
}

// trail is the record on disk, in a directory whose lock says that its owner lives.
type trail struct {
	dir    string
	lock   *os.File
	made   []string // folders above dir that were made for it, the deepest last
	record record
	kernel values
}

// claim takes the directory of the record for this process. One exercise runs at a time: two would share the memory
// that each has been promised.
func claim(dir string) (*trail, error) {
	t := &trail{dir: dir, kernel: procSys{}}
	if err := t.parents(filepath.Dir(dir)); err != nil {
		return nil, access(err)
	}
	for {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, access(errors.Join(err, t.unmake()))
		}
		f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its owner has just removed it
		}
		if err != nil {
			return nil, access(errors.Join(err, t.unmake()))
		}
		if err := target.Flock(f); err != nil {
			_ = f.Close()
			return nil, &say.Problem{Message: say.M("another exercise is running"), Detail: say.M("the directory "+
				"{dir} is locked", "dir", dir),
				Hint: say.M("wait until it has ended; it takes less than a minute"), Code: say.CodeRefused}
		}
		// A lock on a directory that its former owner has removed excludes no process.
		mine, err1 := f.Stat()
		there, err2 := os.Lstat(dir)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			t.lock = f
			return t, nil
		}
		_ = f.Close()
	}
}

// parents makes the directories above.
func (t *trail) parents(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := t.parents(filepath.Dir(dir)); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		t.made = append(t.made, dir)
	}
	return err
}

func access(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return &say.Problem{Message: say.M("there is no place to write down what has to be removed after a crash"),
			Detail: say.OfError(err),
			Hint:   say.M("run it as root, or as a user who may write to their home directory"), Code: say.CodeNoAccess}
	}
	return say.Err("record of the exercise: {reason}", "reason", err)
}

func (t *trail) file() string { return filepath.Join(t.dir, "record.json") }

// note changes the record and returns when it is on disk.
func (t *trail) note(change func(*record)) error {
	change(&t.record)
	b, err := json.Marshal(t.record)
	if err != nil {
		return say.Err("record of the exercise: {reason}", "reason", err)
	}
	if err := (&target.Local{}).Put(t.file(), append(b, '\n'), 0o600, os.Geteuid(), os.Getegid()); err != nil {
		return say.Err("record of the exercise: {reason}", "reason", err)
	}
	return nil
}

// sweep takes away everything that the record names, then the record, and
// returns what it found: kernel values first, as they matter most.
func (t *trail) sweep() ([]string, error) {
	done := []string{}
	b, err := os.ReadFile(t.file())
	if errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	if err != nil {
		return done, err
	}
	var r record
	if err := json.Unmarshal(b, &r); err != nil {
		return done, say.Named(t.file(), err)
	}
	var errs []error
	for _, s := range r.Sysctls {
		back, err := s.restore(t.kernel)
		if back {
			done = append(done, s.Name+" = "+s.Before)
		}
		errs = append(errs, err)
	}
	for _, g := range r.Groups {
		if !strings.HasPrefix(filepath.Base(g.Dir), groupPrefix) {
			errs = append(errs, say.Named(t.file(), say.Err("{value} is not a cgroup made by pgfettle",
				"value", say.Quoted(g.Dir))))
			continue
		}
		if _, err := os.Lstat(g.Dir); err != nil {
			continue
		}
		if err := g.Remove(); err != nil {
			errs = append(errs, err)
			continue
		}
		done = append(done, "cgroup "+g.Dir)
	}
	if r.Folder != "" {
		was, err := removeFolder(r.Folder)
		if was {
			done = append(done, "directory "+r.Folder)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return done, err // the record stays, for the next run
	}
	t.record = record{}
	return done, os.Remove(t.file())
}

// removeFolder removes the directory of a throwaway server. was is false if it is gone already.
func removeFolder(dir string) (was bool, err error) {
	if !filepath.IsAbs(dir) || !strings.HasPrefix(filepath.Base(dir), folderPrefix) {
		return false, say.Err("{value} is not the directory of a throwaway server", "value", say.Quoted(dir))
	}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	err = os.RemoveAll(dir)
	return err == nil, err
}

// release gives the directory back and removes it, and those that were made for it. It stays where the record does.
func (t *trail) release() error {
	err := os.Remove(t.dir)
	if errors.Is(err, syscall.ENOTEMPTY) {
		err = nil // the error that kept the record is already reported
	}
	return errors.Join(err, t.unmake(), t.lock.Close())
}

// unmake removes the directories that were made above, where they are empty.
func (t *trail) unmake() error {
	for i := len(t.made) - 1; i >= 0; i-- {
		if err := os.Remove(t.made[i]); err != nil {
			if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
	}
	return nil
}
