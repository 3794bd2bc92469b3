// Package journalfile reads and writes journals: one file an apply under Dir, each
// line on disk before the step that it announces. What the lines say is the business
// of fact/journal; who may write is that of apply, which holds a lock.
package journalfile

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// Log is a journal that is being written. Who writes holds the lock of apply.
type Log struct {
	journal.Writing

	t    target.Target
	path string
}

// Create makes a journal with its begin line and the planned ones, all of them or none. The directory is made where it
// does not exist, closed to others: the files whose content a journal keeps may be closed to them too.
func Create(t target.Target, dir string, run journal.Run, at int64, planned []journal.Line) (*Log, error) {
	if err := t.Mkdir(dir, 0o700); err != nil {
		return nil, say.Err("journal: {error}", "error", err)
	}
	run.Schema, run.Changes = journal.Schema, len(planned)
	g := &Log{Writing: journal.NewWriting(), t: t, path: file(dir, run.ID)}
	var text bytes.Buffer
	for _, l := range append([]journal.Line{{Kind: journal.Begin, At: at, Run: &run}}, planned...) {
		b, err := g.Take(l)
		if err != nil {
			return nil, say.Err("journal: {error}", "error", err)
		}
		text.Write(b)
	}
	switch _, err := t.Stat(g.path); {
	case err == nil:
		return nil, say.Err("journal {id}: {error}", "id", run.ID, "error", fs.ErrExist)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, say.Err("journal {id}: {error}", "id", run.ID, "error", err)
	}
	if err := t.Write(g.path, text.Bytes(), 0o600); err != nil {
		return nil, say.Err("journal {id}: {error}", "id", run.ID, "error", err)
	}
	return g, nil
}

// Open goes on with a journal. A last line that a crash cut off is taken away,
// so that the next one does not run into it. A journal that is damaged is copied
// aside as it is; the part of it that is proven goes on, with a line that says what
// was found. Where not even its first line is proven, run is the head of what goes
// on; at is the time. may looks at the journal before anything is written, and its
// error is returned as it is.
func Open(t target.Target, dir, id string, run journal.Run, at int64, may func(*journal.Journal) error) (*Log, error) {
	r, err := read(t, dir, id)
	if err != nil {
		return nil, err
	}
	if err := may(r.Journal); err != nil {
		return nil, err
	}
	if r.Foreign != "" {
		return nil, &journal.ForeignError{ID: id, Format: r.Foreign}
	}
	g := &Log{Writing: r.Writing(), t: t, path: file(dir, id)}
	switch {
	case !r.Recorded():
		err = g.goOn(dir, r.Data, r.Whole, run, at)
	case r.Whole < len(r.Data):
		err = t.Write(g.path, r.Data[:r.Whole], 0o600)
	}
	if err != nil {
		return nil, say.Err("journal {id}: {error}", "id", id, "error", err)
	}
	return g, nil
}

// goOn makes a journal that is damaged one that can be written on. whole is how many
// bytes of its data are proven.
func (g *Log) goOn(dir string, data []byte, whole int, run journal.Run, at int64) error {
	d := *g.Damage
	d.Kept = journal.KeptPath(dir, g.ID, data)
	if err := g.t.Write(d.Kept, data, 0o600); err != nil {
		return err
	}
	text := bytes.Clone(data[:whole])
	lines := []journal.Line{{Kind: journal.Damaged, At: at, Damage: &d}}
	if g.Run.ID == "" {
		run.ID, run.Schema, run.Changes = g.ID, journal.Schema, 0
		g.Writing, text = journal.NewWriting(), nil
		lines = append([]journal.Line{{Kind: journal.Begin, At: at, Run: &run}}, lines...)
	}
	for _, l := range lines {
		b, err := g.Take(l)
		if err != nil {
			return err
		}
		text = append(text, b...)
	}
	return g.t.Write(g.path, text, 0o600)
}

// Append writes one line and returns when it is on disk. After an error nothing
// of it is in the file, and the step that it announces must not be taken.
func (g *Log) Append(l journal.Line) error {
	was := g.Writing
	b, err := g.Take(l)
	if err == nil {
		err = g.t.Append(g.path, b)
	}
	if err != nil {
		g.Writing = was
		return say.Err("journal {id}: {error}", "id", g.ID, "error", err)
	}
	return nil
}
