package collect

import (
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// mountTable is the mounts of a mount namespace, in the order of mountinfo.
type mountTable []host.Mount

const mountInfo = "proc/self/mountinfo"

// parseMounts reads the text of any process's mountinfo with the reader of
// fact/host; an unreadable one is an empty table.
func parseMounts(b []byte) mountTable {
	a := evidence.New()
	if a.Add(mountInfo, b) != nil {
		return nil
	}
	m, _ := host.ReadMounts(a).Get()
	return m
}

// ourMounts returns the host's table, read once.
func (c *collector) ourMounts() mountTable {
	if c.mounts == nil {
		if b, ok := c.take(mountInfo); ok {
			c.mounts = parseMounts(b)
		}
	}
	return c.mounts
}

// of returns the mount that a path is on: the one with the longest mount point above it, the last one where several are
// stacked.
func (t mountTable) of(p string) (host.Mount, bool) {
	best := -1
	for i, m := range t {
		if _, ok := below(p, m.Point); ok && (best < 0 || len(m.Point) >= len(t[best].Point)) {
			best = i
		}
	}
	if best < 0 {
		return host.Mount{}, false
	}
	return t[best], true
}

// isPoint reports whether something is mounted at exactly this path.
func (t mountTable) isPoint(p string) bool {
	for _, m := range t {
		if m.Point == p {
			return true
		}
	}
	return false
}

// below returns the rest of a path under a directory.
func below(p, dir string) (string, bool) {
	if p == dir {
		return "", true
	}
	if dir == "/" {
		return strings.TrimPrefix(p, "/"), true
	}
	return strings.CutPrefix(p, dir+"/")
}

// outside returns the paths under which a path of a container may be seen from
// the host: through each mount of the host that shows the same filesystem.
func outside(inner, outer mountTable, p string) []string {
	m, ok := inner.of(p)
	if !ok {
		return nil
	}
	rest, _ := below(p, m.Point)
	inFS := path.Join(m.Root, rest)
	var out []string
	for _, o := range outer {
		if rest, ok := below(inFS, o.Root); ok && o.Device == m.Device {
			out = append(out, path.Join(o.Point, rest))
		}
	}
	return out
}
