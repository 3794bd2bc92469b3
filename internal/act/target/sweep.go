package target

import (
	"errors"
	"io/fs"
	"strings"
)

// Sweep implements Target. The directory is held open, and what is in it is taken for what it is and not for what a
// link in its place leads to.
func (l *Local) Sweep(name string) error {
	dir, base, err := l.folder(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	names, err := f.Readdirnames(-1)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	for _, n := range names {
		if !isTemporary(n, base) {
			continue
		}
		in, err := dir.Lstat(n)
		if err != nil || !in.Mode().IsRegular() {
			continue // it has gone meanwhile, or is nothing that we made
		}
		if err := dir.Remove(n); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// isTemporary reports whether temporary could have made this name beside base.
func isTemporary(name, base string) bool {
	middle, ok := strings.CutPrefix(name, "."+base+".")
	if !ok {
		return false
	}
	middle, ok = strings.CutSuffix(middle, temporarySuffix)
	return ok && middle != "" && strings.Trim(middle, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
