package apply

import (
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/act/journal"
	"github.com/pgfettle/pgfettle/internal/act/target"
)

// maxFile bounds a configuration file: postgresql.conf with every comment is
// 30 kB, and a megabyte is no configuration that a person wrote.
const maxFile = 1 << 20

// LookFile returns what a file holds, or that there is none. Owner and mode of
// one that is to be made are the caller's to fill in.
func LookFile(t target.Target, path string) (journal.File, error) {
	f := journal.File{Path: path}
	data, err := t.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	in, err := t.Stat(path)
	if err != nil {
		return f, err
	}
	if !utf8.Valid(data) {
		return f, fmt.Errorf("%s: not UTF-8 text, which a journal could not give back byte for byte", path)
	}
	text := string(data)
	f.Text, f.Mode, f.UID, f.GID = &text, uint32(in.Mode.Perm()), in.UID, in.GID
	return f, nil
}

// SetFile makes a file what f says, or removes it; where it is so already
// nothing is written.
func SetFile(t target.Target, f journal.File) error {
	now, err := LookFile(t, f.Path)
	if err != nil {
		return err
	}
	if now.Same(f) {
		return nil
	}
	if f.Text == nil {
		return t.Remove(f.Path)
	}
	return t.Put(f.Path, []byte(*f.Text), fs.FileMode(f.Mode), f.UID, f.GID)
}
