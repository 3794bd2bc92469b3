package scratch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// copied makes the data directory as a copy of one that no server runs in, as initdb
// would have made it: a third of the time. Only folders and files are copied.
func (i *Instance) copied(from string) error {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name := filepath.Join("data", rel)
		if d.IsDir() {
			return i.place.mkdir(name)
		}
		return i.copyFile(path, name)
	})
	if err != nil {
		return fmt.Errorf("copy of %s: %w", from, err)
	}
	return nil
}

func (i *Instance) copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := i.place.root.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
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
