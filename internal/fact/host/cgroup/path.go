package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// controllers are those that limit a server, in the order of their reading.
var controllers = []string{"memory", "cpu", "cpuset", "pids", "hugetlb"}

// Bounds on cgroups. systemd nests five or six deep in a pod; the bound keeps a made-up path from yielding files
// without end.
const (
	maxCGroupDepth = 64
	maxCGroupLines = 256 // a line a hierarchy: 13 controllers, and named ones
)

// Membership is one line of /proc/PID/cgroup.
type Membership struct {
	Controllers []string // of a version 1 hierarchy; nil for version 2
	Path        string   // as the kernel shows it to the reader's cgroup namespace
}

// ParseMembership parses the text of /proc/PID/cgroup. A line that is none is an error: a skipped hierarchy would hide
// a limit.
func ParseMembership(b []byte) ([]Membership, error) {
	out := []Membership{}
	err := host.Lines(b, func(_ int, line string) error {
		if line == "" {
			return nil
		}
		f := strings.SplitN(line, ":", 3)
		if len(f) != 3 || !host.Digits(f[0]) || !strings.HasPrefix(f[2], "/") || len(f[2]) > host.MaxWord {
			return fmt.Errorf("%q is no membership", host.Short(line))
		}
		if len(out) == maxCGroupLines {
			return fmt.Errorf("more than %d hierarchies", maxCGroupLines)
		}
		m := Membership{Path: strings.TrimSuffix(f[2], " (deleted)")}
		if f[0] != "0" || f[1] != "" {
			m.Controllers = strings.Split(f[1], ",")
		}
		out = append(out, m)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = errors.New("no membership")
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// level is one cgroup among the ancestors of a process.
type level struct {
	dir    string // its directory as an evidence name: sys/fs/cgroup/memory/a
	cgroup string // its path as /proc/PID/cgroup would show it
}

// hierarchy is the ancestors of a process in the hierarchy of one controller.
type hierarchy struct {
	version int
	path    string  // of the process, as /proc/PID/cgroup has it
	levels  []level // own group first, root of the mount last

	hugeCounts bool // mounted with memory_hugetlb_accounting, an option of version 2 alone
}

// hierarchyOf finds a controller's hierarchy. Version 1 comes before version 2, as a controller that is bound there is
// not in the other. ok is false if no hierarchy is mounted that holds the process.
func hierarchyOf(controller string, mounts []host.Mount, members []Membership) (h hierarchy, ok bool) {
	for _, m := range members {
		for _, c := range m.Controllers {
			if c == controller {
				return resolve(1, m.Path, mounts, func(mt host.Mount) bool {
					return mt.FSType == "cgroup" && mt.Has(controller)
				})
			}
		}
	}
	for _, m := range members {
		if m.Controllers == nil {
			return resolve(2, m.Path, mounts, func(mt host.Mount) bool { return mt.FSType == "cgroup2" })
		}
	}
	return hierarchy{}, false
}

// resolve finds the directories of a path among the mounts that match.
func resolve(version int, cgroup string, mounts []host.Mount, match func(host.Mount) bool) (h hierarchy, ok bool) {
	h = hierarchy{version: version, path: cgroup}
	for _, m := range mounts {
		if match(m) {
			if h.levels = ancestors(m, cgroup); h.levels != nil {
				h.hugeCounts = version == 2 && m.Has("memory_hugetlb_accounting")
				return h, true
			}
		}
	}
	return h, false
}

// ancestors lists the directories under a mount that are a cgroup and its ancestors, the group itself first. The root
// of the mount and the path are both relative to the reader's cgroup namespace: "/" is its root, "/.." is outside. If
// the path is not below the mount's root, or the names between the two are outside the namespace and so not known,
// there are none: the limits of some ancestors alone say nothing about the smallest.
func ancestors(m host.Mount, cgroup string) []level {
	rootUps, root := outside(m.Root)
	ups, names := outside(cgroup)
	point := strings.TrimPrefix(path.Clean(m.Point), "/")
	if !fs.ValidPath(point) || point == "." || len(names) > maxCGroupDepth || rootUps != ups ||
		len(root) > len(names) || !slices.Equal(root, names[:len(root)]) {
		return nil
	}
	var out []level
	up := strings.Repeat("/..", ups)
	for n := len(names); n >= len(root); n-- {
		l := level{dir: path.Join(point, path.Join(names[len(root):n]...)), cgroup: up + "/" + path.Join(names[:n]...)}
		if !fs.ValidPath(l.dir) {
			return nil
		}
		out = append(out, l)
	}
	return out
}

// outside splits a cgroup path into the number of its leading ".." and the names that follow.
func outside(p string) (ups int, names []string) {
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "" || part == ".":
		case part == ".." && len(names) == 0:
			ups++
		case part == "..":
			names = names[:len(names)-1]
		default:
			names = append(names, part)
		}
	}
	return ups, names
}
