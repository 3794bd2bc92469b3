package snapshot

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// promised is evidence in which a file that every collector either has or notes as missing is not simply absent when
// neither is so: it was removed from the evidence, and what depends on it is unknown.
type promised struct{ fs.FS }

var promises = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{"programs.json": true}
	for _, n := range host.Files {
		m[n] = true
	}
	for _, n := range host.SysctlNames {
		m[host.SysctlPath(n)] = true
	}
	return m
})

var promisedAnswers = sync.OnceValue(func() map[string]bool {
	const every = 1 << 20 // above every major version
	m := map[string]bool{}
	for _, q := range pg.Queries(every, true) {
		m[q.Name+".json"] = true
	}
	return m
})

func isPromised(name string) bool {
	if promises()[name] {
		return true
	}
	dir, file := path.Split(name)
	return strings.HasPrefix(dir, "pg/") && strings.Count(dir, "/") == 2 && promisedAnswers()[file]
}

func noteUnkept(name string, err error) error {
	var m *evidence.Missing
	if err == nil || !errors.As(err, &m) || !m.Unnoted || !isPromised(name) {
		return err
	}
	return &evidence.Missing{Name: name, State: known.Unread, Reason: "the evidence does not hold it",
		Cause: string(pg.NotHeld), Reveal: "take the evidence again with pgfettle snapshot"}
}

// Open implements fs.FS.
func (p promised) Open(name string) (fs.File, error) {
	f, err := p.FS.Open(name)
	return f, noteUnkept(name, err)
}

// ReadFile implements fs.ReadFileFS.
func (p promised) ReadFile(name string) ([]byte, error) {
	b, err := fs.ReadFile(p.FS, name)
	return b, noteUnkept(name, err)
}

// ReadDir implements fs.ReadDirFS.
func (p promised) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(p.FS, name) }
