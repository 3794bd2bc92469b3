package pgsetting

import "io/fs"

// mayWrite says which right is missing to replace a file of the instance of a data directory: its directory has to be
// writable, and a mount that is read-only says so here and not half-way. As root it is the right of the account: see
// files.
func (p Kind) mayWrite(dir, name string) error {
	files := p.Target
	if dir != "" || p.Target.UID() == 0 {
		var err error
		if files, err = p.Files(dir); err != nil {
			return err
		}
	}
	if err := files.Writable(name); err != nil {
		return err
	}
	in, err := files.Stat(name)
	if err == nil && files.UID() != 0 && in.UID != files.UID() {
		// a new file of ours would replace another user's, and its owner could not be restored
		return &fs.PathError{Op: "write", Path: name, Err: fs.ErrPermission}
	}
	return nil
}
