package collect

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// closed stands for the files of a container whose root we may not enter: all
// of them are forbidden, and those of the host are never taken for them.
type closed struct{ target.Target }

func barred(name string) error { return &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission} }

func (closed) ReadFile(name string, _ int64) ([]byte, error) { return nil, barred(name) }
func (closed) ReadDir(name string) ([]string, error)         { return nil, barred(name) }
func (closed) Readlink(name string) (string, error)          { return "", barred(name) }
func (closed) Resolve(name string) (string, error)           { return "", barred(name) }
func (closed) Stat(name string) (target.Info, error)         { return target.Info{}, barred(name) }
func (closed) Statfs(name string) (target.Space, error)      { return target.Space{}, barred(name) }
func (closed) Sub(name string) (target.Target, error)        { return nil, barred(name) }
func (closed) Reach(string) string                           { return "" }
func (closed) Peer(name string) (int, error)                 { return 0, barred(name) }
