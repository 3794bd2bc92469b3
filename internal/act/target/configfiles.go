package target

import (
	"io/fs"
	"path"
	"time"
)

// ConfigFiles shows a target's files to the reader of configurations. With path set, text is in place of that file:
// what would hold if it were written.
type ConfigFiles struct {
	Target   Target
	Replaced string // absolute; "": nothing is replaced
	Text     string
}

var _ interface {
	fs.ReadFileFS
	fs.ReadDirFS
	fs.StatFS
} = ConfigFiles{}

func absolute(name string) string { return path.Join("/", name) }

// Open implements fs.FS, which is not used by callers that have the other three.
func (f ConfigFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

// ReadFile implements fs.ReadFileFS.
func (f ConfigFiles) ReadFile(name string) ([]byte, error) {
	if f.Replaced != "" && absolute(name) == f.Replaced {
		return []byte(f.Text), nil
	}
	return f.Target.ReadFile(absolute(name), MaxConfigFile)
}

// ReadDir implements fs.ReadDirFS.
func (f ConfigFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	names, err := f.Target.ReadDir(absolute(name))
	if err != nil {
		return nil, err
	}
	var out []fs.DirEntry
	ours := f.Replaced != "" && path.Dir(f.Replaced) == absolute(name)
	for _, n := range names {
		if ours && n == path.Base(f.Replaced) {
			continue
		}
		out = append(out, configEntry{f.Target, path.Join(absolute(name), n)})
	}
	if ours {
		out = append(out, configEntry{nil, f.Replaced})
	}
	return out, nil
}

// Stat implements fs.StatFS. Only the kind of the file is ever asked for.
func (f ConfigFiles) Stat(name string) (fs.FileInfo, error) {
	if f.Replaced != "" && absolute(name) == f.Replaced {
		return configInfo{name: path.Base(name)}, nil
	}
	in, err := f.Target.Stat(absolute(name))
	return configInfo{target: in, name: path.Base(name)}, err
}

// configEntry is a name in a directory; t is nil for a file that does not exist yet.
type configEntry struct {
	t    Target
	path string
}

func (e configEntry) Name() string { return path.Base(e.path) }
func (e configEntry) IsDir() bool  { return e.Type().IsDir() }
func (e configEntry) Type() fs.FileMode {
	in, err := e.Info()
	if err != nil {
		return 0
	}
	return in.Mode().Type()
}
func (e configEntry) Info() (fs.FileInfo, error) {
	if e.t == nil {
		return configInfo{name: e.Name()}, nil
	}
	in, err := e.t.Stat(e.path)
	return configInfo{target: in, name: e.Name()}, err
}

// configInfo is a target's Info as an fs.FileInfo.
type configInfo struct {
	target Info
	name   string
}

func (i configInfo) Name() string       { return i.name }
func (i configInfo) Size() int64        { return i.target.Size }
func (i configInfo) Mode() fs.FileMode  { return i.target.Mode }
func (i configInfo) ModTime() time.Time { return time.Time{} }
func (i configInfo) IsDir() bool        { return i.target.Mode.IsDir() }
func (i configInfo) Sys() any           { return nil }

// AsConfigFiles shows a target's files to the reader of configurations, each bounded as
// apply bounds them; what is no regular file is not read.
func AsConfigFiles(t Target) fs.FS { return ConfigFiles{Target: t} }
