package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

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

// Read returns the journal with an id.
func Read(t target.Target, dir, id string) (*Journal, error) {
	j, _, err := read(t, dir, id)
	return j, err
}

// read returns the journal and the bytes of its whole lines where a last one
// was cut off.
func read(t target.Target, dir, id string) (j *Journal, cut []byte, err error) {
	if !validID(id) {
		return nil, nil, fmt.Errorf("%q is not the id of a journal", id)
	}
	data, err := t.ReadFile(file(dir, id), maxBytes)
	if err != nil {
		return nil, nil, fmt.Errorf("journal %s: %w", id, err)
	}
	j, whole, err := Parse(data)
	if err != nil {
		return nil, nil, fmt.Errorf("journal %s: %w", id, err)
	}
	if j.ID != id {
		return nil, nil, fmt.Errorf("journal %s: it says that it is %s", id, j.ID)
	}
	if whole < len(data) {
		cut = data[:whole]
	}
	return j, cut, nil
}

// List returns all journals, the oldest first. The error names those that
// cannot be read; the others are returned all the same. No folder is no journal.
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

// Parse reads the lines of a journal. A last line that a crash cut off is left
// out: its append had not returned, so its step was not begun. whole is how many
// bytes the others are. Anything else that is wrong is an error that names the
// line.
func Parse(data []byte) (j *Journal, whole int, err error) {
	if len(data) > maxBytes {
		return nil, 0, target.ErrTooLarge
	}
	j = &Journal{}
	for n := 1; whole < len(data); n++ {
		if n > maxLines {
			return nil, 0, fmt.Errorf("more than %d lines", maxLines)
		}
		end := bytes.IndexByte(data[whole:], '\n')
		if end < 0 {
			break
		}
		text := data[whole : whole+end]
		last := whole+end+1 == len(data)
		l, err := parseLine(text)
		// A filesystem may show blocks that a crash kept from the disk as zeros.
		if err != nil && last && bytes.IndexByte(text, 0) >= 0 {
			break
		}
		if err == nil {
			err = j.step(l)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", n, err)
		}
		whole += end + 1
	}
	if j.ID == "" {
		return nil, 0, errors.New("no begin line")
	}
	return j, whole, nil
}

func parseLine(text []byte) (*Line, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	l := &Line{}
	if err := d.Decode(l); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return l, nil
}
