package collect

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// maxFile bounds a file of /proc or /sys. The largest of them, proc/cpuinfo of 1,024 CPUs, is 1.5 MB.
const maxFile = 4 << 20

// Reveals: what would show a thing that was refused.
const (
	asRoot  = "run pgfettle as root"
	asOwner = "run pgfettle as the owner of the data directory (postgres) or as root"
)

// take copies a file of the target into the archive under its own path, once.
func (c *collector) take(name string) ([]byte, bool) {
	if b, err := c.a.ReadFile(name); err == nil {
		return b, true
	}
	b, err := c.t.ReadFile(name, maxFile)
	if err != nil {
		c.miss(name, err, asRoot)
		return nil, false
	}
	return b, c.add(name, b)
}

// takeIfThere copies a file that many hosts do not have: its absence is not
// worth a word, only that it is closed to us.
func (c *collector) takeIfThere(name, as string) {
	b, err := c.t.ReadFile(name, maxFile)
	switch {
	case err == nil:
		c.add(as, b)
	case !gone(err):
		c.miss(as, err, asRoot)
	}
}

func (c *collector) add(name string, b []byte) bool {
	if err := c.a.Add(name, b); err != nil {
		c.a.AddMissing(evidence.Missing{Name: name, State: known.Unread, Reason: err.Error()})
		return false
	}
	return true
}

// miss notes why a file is unavailable.
func (c *collector) miss(name string, err error, reveal string) {
	m := missing(name, err, reveal)
	if m.State == known.Forbidden && c.root {
		m.Reason, m.Reveal = "permission denied, even to root", "" // by a namespace, a capability or a security module
	}
	c.a.AddMissing(m)
}

// missing turns an error into the note of an unavailable file. The reveal is kept only where a right was what was
// missing.
func missing(name string, err error, reveal string) evidence.Missing {
	m := evidence.Missing{Name: name, State: known.Unread, Reason: plainly(err)}
	switch {
	case gone(err):
		m.State, m.Reason = known.Absent, "no such file"
	case errors.Is(err, fs.ErrPermission):
		m.State, m.Reason, m.Reveal = known.Forbidden, "permission denied", reveal
	}
	return m
}

// gone reports whether a file does not exist, or its process ended while it was read.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

// plainly omits the path of an error, which stands next to it anyway.
func plainly(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// glob returns the names that match a pattern of path.Match, segment by segment; directories that cannot be listed for
// want of a right are noted.
func (c *collector) glob(pattern string) []string {
	found := []string{""}
	for _, part := range strings.Split(pattern, "/") {
		var next []string
		for _, dir := range found {
			if !strings.ContainsAny(part, `*?[\`) {
				next = append(next, path.Join(dir, part))
				continue
			}
			names, err := c.t.ReadDir(dir)
			if err != nil {
				if errors.Is(err, fs.ErrPermission) {
					c.miss(dir, err, asRoot)
				}
				continue
			}
			for _, n := range names {
				if ok, err := path.Match(part, n); ok && err == nil {
					next = append(next, path.Join(dir, n))
				}
			}
		}
		found = next
	}
	return found
}

// text reads a small file of a target as one trimmed line; "" if it cannot.
func text(t target.Target, name string) string {
	b, err := t.ReadFile(name, maxFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
