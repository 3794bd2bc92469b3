package collect

import (
	"io/fs"
	"path"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// confFS shows a target's files, with the rights that it has, to the reader of
// configurations. What is no regular file is not read.
type confFS struct{ t target.Target }

var _ interface {
	fs.ReadFileFS
	fs.ReadDirFS
	fs.StatFS
} = confFS{}

// Open implements fs.FS, which nobody asks for who can have the other three.
func (f confFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

// ReadFile implements fs.ReadFileFS.
func (f confFS) ReadFile(name string) ([]byte, error) { return f.t.ReadFile("/"+name, maxFile) }

// ReadDir implements fs.ReadDirFS.
func (f confFS) ReadDir(name string) ([]fs.DirEntry, error) {
	names, err := f.t.ReadDir("/" + name)
	if err != nil {
		return nil, err
	}
	var out []fs.DirEntry
	for _, n := range names {
		out = append(out, fs.FileInfoToDirEntry(confInfo{name: n})) // Stat tells the folders apart
	}
	return out, nil
}

// Stat implements fs.StatFS. Only the kind of the file is ever asked for.
func (f confFS) Stat(name string) (fs.FileInfo, error) {
	in, err := f.t.Stat("/" + name)
	return confInfo{in, path.Base(name)}, err
}

type confInfo struct {
	target.Info
	name string
}

func (i confInfo) Name() string       { return i.name }
func (i confInfo) Size() int64        { return i.Info.Size }
func (i confInfo) Mode() fs.FileMode  { return i.Info.Mode }
func (i confInfo) ModTime() time.Time { return i.Time }
func (i confInfo) IsDir() bool        { return i.Info.Mode.IsDir() }
func (i confInfo) Sys() any           { return nil }
