package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// Log is a journal that is being written. Who writes holds the lock of apply.
type Log struct {
	*Journal // as the lines so far tell it

	t     target.Target
	path  string
	bytes int
	lines int
}

// NewID makes the id of a journal: the time to the second, so that ids sort by
// age, and a suffix of lower-case letters and digits that the caller draws.
func NewID(now time.Time, suffix string) string {
	return now.UTC().Format(idTime) + "-" + suffix
}

const idTime = "20060102-150405"

// TimeOf returns the time in an id.
func TimeOf(id string) (time.Time, bool) {
	if len(id) < len(idTime) {
		return time.Time{}, false
	}
	t, err := time.Parse(idTime, id[:len(idTime)])
	return t, err == nil
}

// validID holds ids to what can be a file's name and nothing else.
func validID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, c := range id {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// Create makes a journal with its begin line and the planned ones, all of them
// or none. The folder is made where it is not there, closed to others: the files
// whose content a journal keeps may be closed to them too.
func Create(t target.Target, dir string, run Run, at int64, planned []Line) (*Log, error) {
	if err := t.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	run.Schema = Schema
	g := &Log{Journal: &Journal{}, t: t, path: file(dir, run.ID)}
	var text bytes.Buffer
	for _, l := range append([]Line{{Kind: Begin, At: at, Run: &run}}, planned...) {
		b, err := g.take(l)
		if err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		text.Write(b)
	}
	switch _, err := t.Stat(g.path); {
	case err == nil:
		return nil, fmt.Errorf("journal %s: %w", run.ID, fs.ErrExist)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("journal %s: %w", run.ID, err)
	}
	if err := t.Write(g.path, text.Bytes(), 0o600); err != nil {
		return nil, fmt.Errorf("journal %s: %w", run.ID, err)
	}
	return g, nil
}

// Open goes on with a journal. A last line that a crash cut off is taken away,
// so that the next one does not run into it.
func Open(t target.Target, dir, id string) (*Log, error) {
	j, cut, err := read(t, dir, id)
	if err != nil {
		return nil, err
	}
	g := &Log{Journal: j, t: t, path: file(dir, id)}
	if cut != nil {
		if err := t.Write(g.path, cut, 0o600); err != nil {
			return nil, fmt.Errorf("journal %s: %w", id, err)
		}
	}
	data, err := t.ReadFile(g.path, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", id, err)
	}
	g.bytes, g.lines = len(data), bytes.Count(data, []byte("\n"))
	return g, nil
}

// Append writes one line and returns when it is on disk. After an error nothing
// of it is in the file, and the step that it announces must not be taken.
func (g *Log) Append(l Line) error {
	b, err := g.take(l)
	if err == nil {
		err = g.t.Append(g.path, b)
	}
	if err != nil {
		return fmt.Errorf("journal %s: %w", g.ID, err)
	}
	return nil
}

// take folds a line in and returns its bytes.
func (g *Log) take(l Line) ([]byte, error) {
	b, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	b = append(b, '\n')
	if g.bytes+len(b) > maxBytes || g.lines == maxLines {
		return nil, target.ErrTooLarge
	}
	if err := g.step(&l); err != nil {
		return nil, err
	}
	g.bytes += len(b)
	g.lines++
	return b, nil
}
