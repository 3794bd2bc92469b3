package journal

import (
	"bytes"
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
	chain chain
	bytes int
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
	run.Schema, run.Changes = Schema, len(planned)
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
// so that the next one does not run into it. A journal that is damaged is copied
// aside as it is; the part of it that is proven goes on, with a line that says what
// was found. Where not even its first line is proven, run is the head of what goes
// on; at is the time. may looks at the journal before anything is written, and its
// error is returned as it is.
func Open(t target.Target, dir, id string, run Run, at int64, may func(*Journal) error) (*Log, error) {
	r, err := read(t, dir, id)
	if err != nil {
		return nil, err
	}
	if err := may(r.Journal); err != nil {
		return nil, err
	}
	if r.Foreign != "" {
		return nil, &ForeignError{id, r.Foreign}
	}
	g := &Log{Journal: r.Journal, t: t, path: file(dir, id), chain: r.chain, bytes: r.whole}
	switch {
	case !r.Recorded():
		err = g.goOn(dir, r.data, run, at)
	case r.whole < len(r.data):
		err = t.Write(g.path, r.data[:r.whole], 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", id, err)
	}
	return g, nil
}

// goOn makes a journal that is damaged one that can be written on.
func (g *Log) goOn(dir string, data []byte, run Run, at int64) error {
	d := *g.Damage
	d.Kept = keptPath(dir, g.ID, data)
	if err := g.t.Write(d.Kept, data, 0o600); err != nil {
		return err
	}
	text := bytes.Clone(data[:g.bytes])
	lines := []Line{{Kind: Damaged, At: at, Damage: &d}}
	if g.Run.ID == "" {
		run.ID, run.Schema, run.Changes = g.ID, Schema, 0
		g.Journal, g.chain, g.bytes, text = &Journal{}, chain{}, 0, nil
		lines = append([]Line{{Kind: Begin, At: at, Run: &run}}, lines...)
	}
	for _, l := range lines {
		b, err := g.take(l)
		if err != nil {
			return err
		}
		text = append(text, b...)
	}
	return g.t.Write(g.path, text, 0o600)
}

// Append writes one line and returns when it is on disk. After an error nothing
// of it is in the file, and the step that it announces must not be taken.
func (g *Log) Append(l Line) error {
	was, n := g.chain, g.bytes
	b, err := g.take(l)
	if err == nil {
		err = g.t.Append(g.path, b)
	}
	if err != nil {
		g.chain, g.bytes = was, n
		return fmt.Errorf("journal %s: %w", g.ID, err)
	}
	return nil
}

// take folds a line in and returns its bytes.
func (g *Log) take(l Line) ([]byte, error) {
	b, next, err := g.chain.seal(l)
	if err != nil {
		return nil, err
	}
	if g.bytes+len(b) > maxBytes || g.chain.n == maxLines {
		return nil, target.ErrTooLarge
	}
	if err := g.step(&l); err != nil {
		return nil, err
	}
	g.chain, g.bytes = next, g.bytes+len(b)
	return b, nil
}
