package snapshot

import (
	"bytes"
	"io/fs"
	"unicode/utf8"
)

// textFS reads files with invalid UTF-8 replaced by U+FFFD. JSON cannot contain such bytes, and a snapshot has to be
// the same after its JSON form. They occur in a mount point or a process title of a host with an old encoding.
type textFS struct{ fs.FS }

// ReadFile implements fs.ReadFileFS.
func (t textFS) ReadFile(name string) ([]byte, error) {
	b, err := fs.ReadFile(t.FS, name)
	if err != nil || utf8.Valid(b) {
		return b, err
	}
	return bytes.ToValidUTF8(b, []byte("\ufffd")), nil
}

// ReadDir implements fs.ReadDirFS.
func (t textFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(t.FS, name) }
