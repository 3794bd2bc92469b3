// Package evidence holds the bytes of a host and its instances as they were
// found, before anything is made of them: one archive of named files that is
// an io/fs.FS to its readers and a text that a person can read, redact and
// send.
//
// Names are those of the files they came from (proc/meminfo, sys/block/vda/…);
// query results are pg/KEY/NAME.json, KEY being the instance's key; commands
// are cmd/NAME. A file that could not be read is in the archive too, with the
// reason, so that "forbidden" survives being mailed.
package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// Limits on an archive that a stranger sent. They are far above what a host
// of 5,000 backends yields (about 10 MB in 16,000 entries) and far below what
// would hurt the machine that reads it.
const (
	MaxArchive = 256 << 20 // bytes of text
	MaxEntry   = 32 << 20  // bytes of one entry
	MaxEntries = 200_000   // number of entries
	MaxName    = 1024      // bytes of one name
)

// Missing is the error of a file that is not in the archive, with the reason. errors.Is distinguishes fs.ErrPermission
// (forbidden) from fs.ErrNotExist (absent); a Missing that is neither could not be read for another reason.
type Missing struct {
	Name   string
	State  known.State // Absent, Forbidden or Unread
	Reason string
	Reveal string
	// of what a server did not answer: a SQLSTATE or a word of pg.Cause; "" for none. Reasons may be in any language
	Cause string

	// Unnoted says that the archive knows nothing of the name: it is neither
	// there nor noted as missing. It counts as absent, as most names are.
	Unnoted bool
}

// What a fact says that the description of a host does not give: the reason, and before it the word that gives it.
const (
	Untold  = "the description does not contain it"
	addWord = "add "
)

// NotTold is a file of a described host that a word such as "cpus=N" would give.
func NotTold(name, word string) Missing {
	return Missing{Name: name, State: known.Unread, Reason: Untold, Reveal: addWord + word}
}

// fact is the name that a person uses for what is missing: for a described host the word of the description, because
// its author does not know the files of evidence.
func (m *Missing) fact(name string) string {
	if word, _, ok := strings.Cut(strings.TrimPrefix(m.Reveal, addWord), "="); ok && m.Reason == Untold {
		return word + "="
	}
	return name
}

func (m *Missing) Error() string { return m.Name + ": " + m.Reason }

// Is makes errors.Is work with the errors of io/fs.
func (m *Missing) Is(target error) bool {
	return target == fs.ErrNotExist && m.State == known.Absent ||
		target == fs.ErrPermission && m.State == known.Forbidden
}

// Archive is a set of named files. It is not safe for concurrent writing.
type Archive struct {
	files   map[string][]byte
	missing map[string]*Missing
}

// New returns an empty archive.
func New() *Archive {
	return &Archive{files: map[string][]byte{}, missing: map[string]*Missing{}}
}

// Add puts a file into the archive; a later one of the same name replaces it.
// A name that is not a valid fs path is refused.
func (a *Archive) Add(name string, data []byte) error {
	if !fs.ValidPath(name) || name == "." || len(name) > MaxName || strings.ContainsAny(name, "\n\r") ||
		name == missingName || name == endName {
		return fmt.Errorf("evidence: %q is not a usable name", name)
	}
	if len(data) > MaxEntry {
		return fmt.Errorf("evidence: %s: more than %d MB", name, MaxEntry>>20)
	}
	a.files[name] = data
	delete(a.missing, name)
	return nil
}

// AddMissing notes that a file is unavailable.
func (a *Archive) AddMissing(m Missing) {
	if !fs.ValidPath(m.Name) || len(m.Name) > MaxName {
		return
	}
	if _, ok := a.files[m.Name]; !ok {
		a.missing[m.Name] = &m
	}
}

// Names returns the names of all files, sorted.
func (a *Archive) Names() []string {
	names := make([]string, 0, len(a.files))
	for n := range a.files {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// MissingFiles returns unavailable files, sorted by name.
func (a *Archive) MissingFiles() []Missing {
	out := make([]Missing, 0, len(a.missing))
	for _, m := range a.missing {
		out = append(out, *m)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// ReadFile implements fs.ReadFileFS: the bytes are the caller's own. The error
// is a *Missing.
func (a *Archive) ReadFile(name string) ([]byte, error) {
	if b, ok := a.files[name]; ok {
		return bytes.Clone(b), nil
	}
	return nil, a.whyNot(name)
}

func (a *Archive) whyNot(name string) error {
	if m, ok := a.missing[name]; ok {
		return m
	}
	return &Missing{Name: name, State: known.Absent, Reason: "no such file", Unnoted: true}
}

// Open implements fs.FS; a directory exists if a file is below it.
func (a *Archive) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if b, ok := a.files[name]; ok {
		return &file{Reader: bytes.NewReader(b), info: info{name: path.Base(name), size: int64(len(b))}}, nil
	}
	entries := a.list(name)
	if len(entries) == 0 && name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: a.whyNot(name)}
	}
	return &dir{info: info{name: path.Base(name), dir: true}, entries: entries}, nil
}

// ReadDir implements fs.ReadDirFS.
func (a *Archive) ReadDir(name string) ([]fs.DirEntry, error) {
	e := a.list(name)
	if len(e) == 0 && name != "." {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: a.whyNot(name)}
	}
	return e, nil
}

func (a *Archive) list(name string) []fs.DirEntry {
	prefix := name + "/"
	if name == "." {
		prefix = ""
	}
	seen := map[string]fs.DirEntry{}
	for n, b := range a.files {
		rest, ok := strings.CutPrefix(n, prefix)
		if !ok {
			continue
		}
		first, _, deeper := strings.Cut(rest, "/")
		if _, dup := seen[first]; dup && !deeper {
			continue
		}
		e := info{name: first, dir: deeper}
		if !deeper {
			e.size = int64(len(b))
		}
		seen[first] = e
	}
	out := make([]fs.DirEntry, 0, len(seen))
	for _, e := range seen {
		out = append(out, e)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name() < out[j].Name() })
	return out
}

type info struct {
	name string
	size int64
	dir  bool
}

func (i info) Name() string               { return i.name }
func (i info) Size() int64                { return i.size }
func (i info) ModTime() time.Time         { return time.Time{} }
func (i info) IsDir() bool                { return i.dir }
func (i info) Sys() any                   { return nil }
func (i info) Info() (fs.FileInfo, error) { return i, nil }
func (i info) Type() fs.FileMode          { return i.Mode().Type() }
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

type file struct {
	*bytes.Reader
	info info
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

type dir struct {
	info    info
	entries []fs.DirEntry
	at      int
}

func (d *dir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *dir) Close() error               { return nil }
func (d *dir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.name, Err: errors.New("is a directory")}
}
func (d *dir) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := d.entries[d.at:]
	if n <= 0 {
		d.at = len(d.entries)
		return rest, nil
	}
	if len(rest) == 0 {
		return nil, io.EOF
	}
	rest = rest[:min(n, len(rest))]
	d.at += len(rest)
	return rest, nil
}

// GapOf turns the error of reading name into a state and a gap. Errors that
// carry no reveal of their own get the usual one for their kind.
func GapOf(name string, err error) (known.State, known.Gap) {
	g := known.Gap{Fact: name, Reason: err.Error()}
	state := known.Unread
	var m *Missing
	switch {
	case errors.As(err, &m):
		return m.State, known.Gap{Fact: m.fact(name), Reason: m.Reason, Reveal: m.Reveal}
	case errors.Is(err, fs.ErrNotExist):
		state, g.Reason = known.Absent, "no such file"
	case errors.Is(err, fs.ErrPermission):
		state, g.Reason, g.Reveal = known.Forbidden, "permission denied", "run pgfettle as root"
	}
	return state, g
}

// Read reads a file of the evidence and parses it: an absent or forbidden file
// and a malformed one become a fact without a value that says so.
func Read[T any](fsys fs.FS, name string, parse func([]byte) (T, error)) known.Fact[T] {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		s, g := GapOf(name, err)
		return known.Without[T](s, g)
	}
	v, err := parse(b)
	if err != nil {
		return known.Missed[T](known.Gap{Fact: name, Reason: "malformed: " + err.Error()})
	}
	return known.Is(v)
}
