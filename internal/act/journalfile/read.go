package journalfile

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// maxFiles bounds how many journals are in the directory.
const maxFiles = 10_000

// Dir is where journals lie.
const Dir = "/var/lib/pgfettle/journal"

const suffix = ".jsonl"

func file(dir, id string) string { return path.Join(dir, id+suffix) }

// Read returns the journal with an id. One that is damaged, or of a format that is
// not read here, is returned as such, and is no error.
func Read(t target.Target, dir, id string) (*journal.Journal, error) {
	r, err := read(t, dir, id)
	if err != nil {
		return nil, err
	}
	return r.Journal, nil
}

func read(t target.Target, dir, id string) (*journal.Reading, error) {
	if !journal.ValidID(id) {
		return nil, say.Err("{id} is not the id of a journal", "id", say.Quoted(id))
	}
	data, err := t.ReadFile(file(dir, id), journal.MaxBytes)
	if err != nil {
		return nil, say.Err("journal {id}: {error}", "id", id, "error", err)
	}
	r, err := journal.ParseAs(id, data)
	if err != nil {
		return nil, say.Err("journal {id}: {error}", "id", id, "error", err)
	}
	return r, nil
}

// List returns all journals, the oldest first, those that are damaged among them. The error names those whose file
// cannot be read; the others are returned all the same. No directory is no journal.
func List(t target.Target, dir string) ([]*journal.Journal, error) {
	names, err := t.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, say.Err("journals: {error}", "error", err)
	}
	if len(names) > maxFiles {
		return nil, say.Err("journals: more than {n} files in {dir}", "n", strconv.Itoa(maxFiles), "dir", dir)
	}
	slices.Sort(names) // an id starts with its time
	var list []*journal.Journal
	var bad []error
	for _, n := range names {
		id, ok := strings.CutSuffix(n, suffix)
		if !ok || !journal.ValidID(id) {
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
