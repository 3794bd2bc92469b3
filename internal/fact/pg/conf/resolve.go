package conf

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Setting is one line that sets something, in the order in which the server
// reads them.
type Setting struct {
	Name  string // lower case
	Value string
	File  string // absolute path, as the server names it
	Line  int    // from 1
	Wins  bool   // no later line sets it again
}

// Fault is what keeps the server from taking a configuration.
type Fault struct {
	File   string
	Line   int // 0: the file as a whole
	Reason string
	Text   string // the line that the server cannot read; "" where it is not the fault of one
	// Special: the file is a device, FIFO or socket. A server that reads its configuration
	// waits for a FIFO's writer, and its postmaster reads /dev/zero without end.
	Special bool
}

// Error returns "/etc/x.conf line 3: syntax error near …".
func (f Fault) Error() string {
	if f.Line == 0 {
		return f.File + ": " + f.Reason
	}
	return fmt.Sprintf("%s line %d: %s", f.File, f.Line, f.Reason)
}

// Resolved is a whole configuration.
type Resolved struct {
	Settings []Setting
	Files    []string // read, in their order; a file that is included twice appears twice
	Dirs     []string // of include_dir, in their order
	Faults   []Fault
}

// Winner returns the line whose value holds, and false where no file sets it.
func (r Resolved) Winner(name string) (Setting, bool) {
	for _, s := range slices.Backward(r.Settings) {
		if Same(s.Name, name) {
			return s, true
		}
	}
	return Setting{}, false
}

// Values returns the values that hold, by name.
func (r Resolved) Values() map[string]string {
	out := map[string]string{}
	for _, s := range r.Settings {
		out[s.Name] = s.Value
	}
	return out
}

const (
	maxDepth    = 10   // CONF_FILE_MAX_DEPTH of the server
	maxIncludes = 1000 // files in all: a folder of drop-ins holds tens; the server itself has no bound
	maxFaults   = 100  // of one file, after which the server gives it up too
)

// Resolve reads a configuration as the server does when it starts: the main
// file, what it includes at the place where it does, then postgresql.auto.conf
// of the data directory. Both are absolute paths; names of files are relative
// to the file that includes them. fsys has the host's root as its own. What
// could not be read is a Fault; the rest is there all the same.
func Resolve(fsys fs.FS, start, dataDir string) Resolved {
	r := resolver{fsys: fsys}
	r.file(start, true, 0, nil)
	if dataDir != "" {
		r.file(path.Join(dataDir, AutoFile), false, 0, nil)
	}
	last := map[string]int{}
	for i, s := range r.out.Settings {
		if before, ok := last[s.Name]; ok {
			r.out.Settings[before].Wins = false
		}
		last[s.Name] = i
		r.out.Settings[i].Wins = true
	}
	return r.out
}

type resolver struct {
	fsys fs.FS
	out  Resolved
	full bool // a bound was reached: nothing more is read
}

// from is the line that includes something; nil for the files that none does.
type from struct {
	file string
	line int
}

func (r *resolver) fault(at *from, file string, reason string) {
	f := Fault{File: file, Reason: reason}
	if at != nil {
		f = Fault{File: at.file, Line: at.line, Reason: file + ": " + reason}
	}
	if st, err := fs.Stat(r.fsys, rooted(file)); err == nil {
		f.Special = !st.Mode().IsRegular() && !st.IsDir()
	}
	r.out.Faults = append(r.out.Faults, f)
}

// absolute makes a path absolute, as the server does.
func absolute(name string, at *from) string {
	if !path.IsAbs(name) && at != nil {
		name = path.Join(path.Dir(at.file), name)
	}
	return path.Clean(name)
}

// rooted is an absolute path as a name for an fs.FS.
func rooted(abs string) string {
	if abs = strings.TrimPrefix(path.Clean(abs), "/"); abs != "" {
		return abs
	}
	return "."
}

func (r *resolver) file(name string, strict bool, depth int, at *from) {
	if r.full {
		return
	}
	if strings.TrimLeft(name, " \t\r\n") == "" {
		r.fault(at, "include", "the name of the file is empty")
		return
	}
	abs := absolute(name, at)
	if depth > maxDepth {
		r.fault(at, abs, fmt.Sprintf("files are nested more than %d deep", maxDepth))
		return
	}
	if at != nil && at.file == abs {
		r.fault(at, abs, "the file includes itself")
		return
	}
	if len(r.out.Files) >= maxIncludes {
		r.full = true
		r.fault(at, abs, fmt.Sprintf("more than %d files", maxIncludes))
		return
	}
	b, err := fs.ReadFile(r.fsys, rooted(abs))
	if errors.Is(err, fs.ErrNotExist) && !strict {
		return
	}
	if err != nil {
		r.fault(at, abs, withoutPath(err))
		return
	}
	r.out.Files = append(r.out.Files, abs)
	faults := 0
	for i, l := range Parse(string(b)) {
		here := &from{abs, i + 1}
		switch {
		case l.Err != "":
			r.out.Faults = append(r.out.Faults, Fault{File: abs, Line: i + 1, Reason: l.Err, Text: l.Text})
			if faults++; faults == maxFaults {
				return
			}
		case l.Name == "":
		case Same(l.Name, "include_dir"):
			r.dir(l.Value, depth+1, here)
		case Same(l.Name, "include_if_exists"):
			r.file(l.Value, false, depth+1, here)
		case Same(l.Name, "include"):
			r.file(l.Value, true, depth+1, here)
		default:
			r.out.Settings = append(r.out.Settings, Setting{Name: lower(l.Name), Value: l.Value, File: abs,
				Line: i + 1})
		}
	}
}

// dir reads the files of a folder in byte order of their names.
func (r *resolver) dir(name string, depth int, at *from) {
	if strings.TrimLeft(name, " \t\r\n") == "" {
		r.fault(at, "include_dir", "the name of the directory is empty")
		return
	}
	abs := absolute(name, at)
	entries, err := fs.ReadDir(r.fsys, rooted(abs))
	if err != nil {
		r.fault(at, abs, withoutPath(err))
		return
	}
	r.out.Dirs = append(r.out.Dirs, abs)
	var names []string
	for _, e := range entries {
		if !Included(e.Name()) || e.IsDir() {
			continue
		}
		if st, err := fs.Stat(r.fsys, rooted(path.Join(abs, e.Name()))); err == nil && st.IsDir() {
			continue // a link to a folder
		}
		names = append(names, e.Name())
	}
	slices.Sort(names)
	for _, n := range names {
		r.file(path.Join(abs, n), true, depth, at)
	}
}

// Included says whether include_dir takes a file of this name.
func Included(name string) bool {
	return strings.HasSuffix(name, ".conf") && len(name) > len(".conf") && name[0] != '.'
}

// withoutPath is an error without the path, which stands beside it already.
func withoutPath(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
