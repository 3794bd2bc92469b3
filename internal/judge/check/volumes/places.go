package volumes

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// Mounted is a folder that the instance writes to, with the mount it lies on.
type Mounted struct {
	snapshot.Place
	Mount host.Mount
}

// Mounts returns the instance's folders with their mounts, noting what is
// missing. A folder whose mount is not in the table is left out.
func Mounts(c *check.Case) []Mounted {
	places, ok := check.Need(c, c.Instance.Places)
	if !ok {
		return nil
	}
	if _, ok := check.Need(c, c.Snapshot.Host.Mounts); !ok {
		return nil
	}
	var out []Mounted
	for _, p := range places {
		if m, ok := c.Snapshot.MountOf(p.Path); ok {
			out = append(out, Mounted{p, m})
		}
	}
	return out
}

// PlaceName names a folder by what it is for: "the data directory /srv/pg".
func PlaceName(p snapshot.Place) string {
	switch p.Role {
	case snapshot.DataPlace:
		return "the data directory " + p.Path
	case snapshot.WALPlace:
		return "the WAL folder " + p.Path
	}
	return "the tablespace folder " + p.Path
}

// OnMounts tells which folders lie on the mounts that fit, each mount once with
// what text says of it. A WAL folder that stands inside the data directory on
// the same mount goes without saying.
func OnMounts(list []Mounted, fits func(host.Mount) bool, text func(host.Mount) string) string {
	var told []string
	done := map[string]bool{}
	for _, m := range list {
		if done[m.Mount.Point] || !fits(m.Mount) {
			continue
		}
		done[m.Mount.Point] = true
		var folders []string
		data := ""
		for _, o := range list {
			if o.Mount.Point != m.Mount.Point || o.Role == snapshot.WALPlace && data != "" &&
				strings.HasPrefix(o.Path, data+"/") {
				continue
			}
			if o.Role == snapshot.DataPlace {
				data = o.Path
			}
			folders = append(folders, PlaceName(o.Place))
		}
		told = append(told, check.Join(folders, ", ", 3)+" on "+text(m.Mount))
	}
	return check.Join(told, "; ", 3)
}

// Disks returns the whole disks that a device lies on: the ends of the chain
// of partitions, device mapper targets and arrays. ok is false where a part of
// the chain was not seen.
func Disks(blocks []host.Block, device string) (out []host.Block, ok bool) {
	byName := map[string]host.Block{}
	var walk func(b host.Block, depth int) bool
	for _, b := range blocks {
		byName[b.Name] = b
	}
	walk = func(b host.Block, depth int) bool {
		if depth > 16 { // real stacks have four or five storeys; this one turns in a circle
			return false
		}
		if len(b.Below) == 0 {
			out = append(out, b)
			return b.Kind != "partition"
		}
		for _, n := range b.Below {
			below, ok := byName[n]
			if !ok || !walk(below, depth+1) {
				return false
			}
		}
		return true
	}
	for _, b := range blocks {
		if b.Device == device {
			return out, walk(b, 0) && len(out) > 0
		}
	}
	return nil, false
}
