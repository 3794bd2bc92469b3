package apply

import (
	"io/fs"
	"path"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// pgFiles shows a target's files to the reader of configurations. With path
// set, text stands in the place of that file: what would hold if it were written.
type pgFiles struct {
	t    target.Target
	path string // absolute; "": nothing is replaced
	text string
}

var _ interface {
	fs.ReadFileFS
	fs.ReadDirFS
	fs.StatFS
} = pgFiles{}

func absolute(name string) string { return path.Join("/", name) }

// Open implements fs.FS, which nobody asks for who can have the other three.
func (f pgFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

// ReadFile implements fs.ReadFileFS.
func (f pgFiles) ReadFile(name string) ([]byte, error) {
	if f.path != "" && absolute(name) == f.path {
		return []byte(f.text), nil
	}
	return f.t.ReadFile(absolute(name), maxFile)
}

// ReadDir implements fs.ReadDirFS.
func (f pgFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	names, err := f.t.ReadDir(absolute(name))
	if err != nil {
		return nil, err
	}
	var out []fs.DirEntry
	ours := f.path != "" && path.Dir(f.path) == absolute(name)
	for _, n := range names {
		if ours && n == path.Base(f.path) {
			continue
		}
		out = append(out, pgEntry{f.t, path.Join(absolute(name), n)})
	}
	if ours {
		out = append(out, pgEntry{nil, f.path})
	}
	return out, nil
}

// Stat implements fs.StatFS. Only the kind of the file is ever asked for.
func (f pgFiles) Stat(name string) (fs.FileInfo, error) {
	if f.path != "" && absolute(name) == f.path {
		return pgInfo{name: path.Base(name)}, nil
	}
	in, err := f.t.Stat(absolute(name))
	return pgInfo{target: in, name: path.Base(name)}, err
}

// pgEntry is a name in a folder; t is nil for a file that is not there yet.
type pgEntry struct {
	t    target.Target
	path string
}

func (e pgEntry) Name() string { return path.Base(e.path) }
func (e pgEntry) IsDir() bool  { return e.Type().IsDir() }
func (e pgEntry) Type() fs.FileMode {
	in, err := e.Info()
	if err != nil {
		return 0
	}
	return in.Mode().Type()
}
func (e pgEntry) Info() (fs.FileInfo, error) {
	if e.t == nil {
		return pgInfo{name: e.Name()}, nil
	}
	in, err := e.t.Stat(e.path)
	return pgInfo{target: in, name: e.Name()}, err
}

// pgInfo is a target's Info as an fs.FileInfo.
type pgInfo struct {
	target target.Info
	name   string
}

func (i pgInfo) Name() string       { return i.name }
func (i pgInfo) Size() int64        { return i.target.Size }
func (i pgInfo) Mode() fs.FileMode  { return i.target.Mode }
func (i pgInfo) ModTime() time.Time { return time.Time{} }
func (i pgInfo) IsDir() bool        { return i.target.Mode.IsDir() }
func (i pgInfo) Sys() any           { return nil }

// Files shows a target's files to the reader of configurations, each bounded as
// apply bounds them; what is no regular file is not read.
func Files(t target.Target) fs.FS { return pgFiles{t: t} }
