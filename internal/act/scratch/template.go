package scratch

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// copied makes the data directory as a copy of one that no server runs in, as initdb would have made it: a third of the
// time. Only directories and files are copied.
func (i *Instance) copied(from string) error {
	err := i.copyFolder(i.place.root, "data", from)
	if err != nil {
		return say.Err("copy of {path}: {reason}", "path", from, "reason", err)
	}
	return nil
}

// copyFolder makes a directory below one that is open, and copies into it. Each directory is opened once: of a thousand
// files the way from the top is what took the time.
func (i *Instance) copyFolder(above *os.Root, name, from string) (err error) {
	if err := above.Mkdir(name, 0o700); err != nil {
		return err
	}
	if i.Account.Switch {
		if err := above.Lchown(name, i.Account.UID, i.Account.GID); err != nil {
			return err
		}
	}
	to, err := above.OpenRoot(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		copied := i.copyFile
		if e.IsDir() {
			copied = i.copyFolder
		}
		if err := copied(to, e.Name(), filepath.Join(from, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (i *Instance) copyFile(to *os.Root, name, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := to.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if i.Account.Switch {
		err = out.Chown(i.Account.UID, i.Account.GID)
	}
	if err == nil {
		_, err = io.Copy(out, in)
	}
	return errors.Join(err, out.Close())
}
