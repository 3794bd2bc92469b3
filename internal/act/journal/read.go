package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// Bounds of what is read. A plan has some dozens of changes with a few lines
// each; the files in the states are configuration files of a few kB.
const (
	maxBytes = 64 << 20
	maxLines = 100_000
	maxFiles = 10_000 // journals in the folder
)

const suffix = ".jsonl"

func file(dir, id string) string { return path.Join(dir, id+suffix) }

// Read returns the journal with an id. One that is damaged, or of a format that is
// not read here, is returned as such, and is no error.
func Read(t target.Target, dir, id string) (*Journal, error) {
	r, err := read(t, dir, id)
	if err != nil {
		return nil, err
	}
	return r.Journal, nil
}

// reading is a journal with the bytes that it was read from.
type reading struct {
	*Journal
	data  []byte
	whole int   // bytes of the lines that are proven
	chain chain // at their end
}

func read(t target.Target, dir, id string) (*reading, error) {
	if !validID(id) {
		return nil, fmt.Errorf("%q is not the id of a journal", id)
	}
	data, err := t.ReadFile(file(dir, id), maxBytes)
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", id, err)
	}
	r, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", id, err)
	}
	if r.ID != id {
		if r.ID != "" { // of a copy nothing is believed: the journal that it is of is there too, or was
			r = &reading{Journal: &Journal{Changes: []Change{}, Damage: &Damage{Line: 1, Reason: "it says that it is " + r.ID, Unknown: unproven(data, nil)}}, data: data}
		}
		r.ID = id
		if at, ok := TimeOf(id); ok {
			r.Started = at.Format(time.RFC3339)
		}
		r.settle()
	}
	return r, nil
}

// List returns all journals, the oldest first, those that are damaged among them.
// The error names those whose file cannot be read; the others are returned all the
// same. No folder is no journal.
func List(t target.Target, dir string) ([]*Journal, error) {
	names, err := t.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("journals: %w", err)
	}
	if len(names) > maxFiles {
		return nil, fmt.Errorf("journals: more than %d files in %s", maxFiles, dir)
	}
	slices.Sort(names) // an id starts with its time
	var list []*Journal
	var bad []error
	for _, n := range names {
		id, ok := strings.CutSuffix(n, suffix)
		if !ok || !validID(id) {
			continue // such as the temporary file of one that was being made
		}
		j, err := Read(t, dir, id)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		list = append(list, j)
	}
	return list, errors.Join(bad...)
}

// Parse reads the lines of a journal, as far as they are proven; whole is how many
// bytes those are. A last line that a crash cut off is left out: its append had not
// returned, so its step was not begun. Anything else that is wrong is Damage of the
// journal, and names the line. The error is that of a file which is no journal for
// its size.
func Parse(data []byte) (j *Journal, whole int, err error) {
	r, err := parse(data)
	if err != nil {
		return nil, 0, err
	}
	return r.Journal, r.whole, nil
}

func parse(data []byte) (*reading, error) {
	if len(data) > maxBytes {
		return nil, target.ErrTooLarge
	}
	j := &Journal{Changes: []Change{}}
	r := &reading{Journal: j, data: data}
	if j.Foreign = foreign(data); j.Foreign != "" {
		j.settle()
		return r, nil
	}
	var bad error
	for r.whole < len(data) {
		if r.chain.n == maxLines {
			bad = fmt.Errorf("more than %d lines", maxLines)
			break
		}
		end := bytes.IndexByte(data[r.whole:], '\n')
		if end < 0 {
			break
		}
		text := data[r.whole : r.whole+end]
		last := r.whole+end+1 == len(data)
		l, next, err := r.chain.open(text)
		// A filesystem may show blocks that a crash kept from the disk as zeros.
		if err != nil && last && bytes.IndexByte(text, 0) >= 0 {
			break
		}
		if err == nil {
			err = j.step(l)
		}
		if err != nil {
			bad = err
			break
		}
		r.chain = next
		r.whole += end + 1
	}
	// The first lines come to the disk together: no crash cuts them.
	switch n := len(j.Changes); {
	case bad == nil && j.ID == "":
		bad = errors.New("no begin line")
	case bad == nil && n < j.Run.Changes && j.Damage == nil:
		bad = fmt.Errorf("it has %d of the %d changes that were planned", n, j.Run.Changes)
	}
	if bad != nil {
		d := &Damage{Line: r.chain.n + 1, Reason: bad.Error(), Unknown: unproven(data[r.whole:], j.Changes)}
		if len(j.Changes) < j.Run.Changes {
			d.Planned = j.Run.Changes
		}
		d.join(j.Damage)
		j.Damage, j.recorded = d, false
		j.settle()
	}
	return r, nil
}
