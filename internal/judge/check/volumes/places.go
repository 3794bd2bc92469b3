package volumes

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// Mounted is a directory that the instance writes to, with the mount that it is on.
type Mounted struct {
	snapshot.Place
	Mount host.Mount
}

// Mounts returns the instance's directories with their mounts, noting what is
// missing. A directory whose mount is not in the table is omitted.
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

// PlaceName names a directory by its purpose: "data directory /srv/pg".
func PlaceName(p snapshot.Place) say.Message {
	switch p.Role {
	case snapshot.DataPlace:
		return say.M("data directory {path}", "path", p.Path)
	case snapshot.WALPlace:
		return say.M("WAL directory {path}", "path", p.Path)
	}
	return say.M("tablespace directory {path}", "path", p.Path)
}

// mostNamed bounds the directories, mounts and devices that one text names.
const mostNamed = 3

// OnMounts returns what text says of each mount that fits, with the directories on it. A WAL
// directory inside the data directory on the same mount is omitted.
func OnMounts(list []Mounted, fits func(host.Mount) bool,
	text func(m host.Mount, directories say.List) say.Message) say.List {
	out := say.List{Sep: "; ", Most: mostNamed}
	done := map[string]bool{}
	for _, m := range list {
		if done[m.Mount.Point] || !fits(m.Mount) {
			continue
		}
		done[m.Mount.Point] = true
		directories := say.List{Most: mostNamed}
		data := ""
		for _, o := range list {
			if o.Mount.Point != m.Mount.Point || o.Role == snapshot.WALPlace && data != "" &&
				strings.HasPrefix(o.Path, data+"/") {
				continue
			}
			if o.Role == snapshot.DataPlace {
				data = o.Path
			}
			directories.Items = append(directories.Items, PlaceName(o.Place))
		}
		out.Items = append(out.Items, text(m.Mount, directories))
	}
	return out
}

// MountedAt is a clause for OnMounts that names the mount.
func MountedAt(m host.Mount, directories say.List) say.Message {
	return say.M("{source} mounted at {point} ({directories})", "source", m.Source, "point", m.Point, "directories",
		directories)
}

// Disks returns the whole disks below a device: the ends of the chain
// of partitions, device mapper targets and arrays. ok is false if a part of
// the chain is unknown.
func Disks(blocks []host.Block, device string) (out []host.Block, ok bool) {
	byName := map[string]host.Block{}
	var walk func(b host.Block, depth int) bool
	for _, b := range blocks {
		byName[b.Name] = b
	}
	walk = func(b host.Block, depth int) bool {
		if depth > 16 { // real stacks have four or five levels; this one is a loop
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
