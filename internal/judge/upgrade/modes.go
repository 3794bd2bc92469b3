package upgrade

import (
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// The tablespaces that have no directory of their own, by their oid in every version: they are in the data directory.
const (
	pgDefault = 1663
	pgGlobal  = 1664
)

// mode says which ways of moving the files this host allows.
func (j *judge) mode() {
	list := []say.Message{}
	if j.to >= swapFrom {
		list = append(list, say.M("--swap: fastest, moves the files; the old cluster is unusable as soon as it begins"))
	}
	list = append(list, say.M("--link: fast, needs no space; the old cluster is unusable once the new server has "+
		"started"))
	dirs := j.directories()
	list = append(list, j.cloning(dirs), j.copying(dirs))
	j.step("mode", say.M("Choose a mode. The new data directory must be on the same filesystem, except for --copy. "+
		"{modes}.", "modes", say.List{Items: list, Sep: "; "}))
}

// directory is one that has relations.
type directory struct {
	path string
	oids []string // of its tablespaces
}

// directories are the data directory and those of the tablespaces; none where one of them is unknown.
func (j *judge) directories() (out []directory) {
	places, _ := j.in.Places.Get()
	for _, p := range places {
		switch p.Role {
		case snapshot.DataPlace:
			out = slices.Insert(out, 0, directory{p.Path, []string{strconv.Itoa(pgDefault), strconv.Itoa(pgGlobal)}})
		case snapshot.TablespacePlace:
			out = append(out, directory{p.Path, []string{p.Tablespace}})
		}
	}
	if len(out) == 0 || len(out[0].oids) < 2 {
		return nil
	}
	list, _ := j.in.Server.Tablespaces.Get()
	for _, t := range list { // one whose directory could not be found may be anywhere
		oid := strconv.FormatInt(t.OID, 10)
		found := slices.ContainsFunc(out, func(d directory) bool { return slices.Contains(d.oids, oid) })
		if t.Location != "" && !found {
			return nil
		}
	}
	return out
}

// cloning says whether files can share blocks on the filesystem of each directory.
func (j *judge) cloning(dirs []directory) say.Message {
	first, open := "", ""
	for _, d := range dirs {
		m, ok := j.s.MountOf(d.path)
		if !ok {
			first = ""
			break
		}
		if first == "" {
			first = m.FSType
		}
		switch shares, sure := j.s.SharesBlocks(d.path); {
		case sure && !shares && m.FSType == "xfs":
			return say.M("--clone: not possible ({place} is on xfs that was made with reflink=0)", "place", d.path)
		case sure && !shares:
			return say.M("--clone: not possible on {filesystem}", "filesystem", m.FSType)
		case !sure && open == "":
			open = m.FSType
		}
	}
	switch {
	case first == "":
		return say.M("--clone: only on XFS with reflink and on Btrfs (the filesystem is unknown)")
	case open != "":
		return say.M("--clone: fast, and the old cluster stays usable, if {filesystem} can share blocks here, which "+
			"is unknown (pg_upgrade --check --clone reports it)", "filesystem", open)
	}
	return say.M("--clone: fast, and the old cluster stays usable ({filesystem} can share blocks)", "filesystem", first)
}

// copying says how much room a copy takes on each filesystem: tablespaces are copied where they are.
func (j *judge) copying(dirs []directory) say.Message {
	rooms := j.rooms(dirs)
	if len(rooms) < 2 {
		return j.copyingAt(dirs)
	}
	var list []say.Message
	short := false
	for _, r := range rooms {
		size, ok := r.size.Get()
		switch {
		case !ok:
			list = append(list, say.M("{place}: unknown (run with --deep)", "place", r.point))
		case !r.measured:
			list = append(list, say.M("{place}: {size} (the free space is unknown)", "place", r.point, "size", size))
		case size > r.free:
			short = true
			list = append(list, say.M("{place}: {size}, and only {free} are free", "place", r.point, "size", size,
				"free", r.free))
		default:
			list = append(list, say.M("{place}: {size} of {free} free", "place", r.point, "size", size, "free", r.free))
		}
	}
	if short {
		return say.M("--copy: slow, and there is not enough space. It takes on each filesystem: {list}", "list",
			say.List{Items: list, Sep: ", "})
	}
	return say.M("--copy: slow, keeps the old cluster. It takes on each filesystem: {list}", "list",
		say.List{Items: list, Sep: ", "})
}

// room is a filesystem that relations are on.
type room struct {
	point    string
	size     known.Fact[unit.Bytes] // of what is there
	free     unit.Bytes
	measured bool // free is known
}

// rooms are the filesystems of the directories, that of the data directory first; none where one is unknown.
func (j *judge) rooms(dirs []directory) (out []room) {
	sizes := map[string]unit.Bytes{}
	list, _ := j.in.Server.Deep.Tablespaces.Get()
	for _, t := range list {
		sizes[strconv.FormatInt(t.OID, 10)] = t.Size
	}
	spaces, _ := j.s.Host.Spaces.Get()
	for _, d := range dirs {
		m, ok := j.s.MountOf(d.path)
		if !ok {
			return nil
		}
		at := slices.IndexFunc(out, func(r room) bool { return r.point == m.Point })
		if at < 0 {
			at = len(out)
			space, measured := j.s.SpaceAt(spaces, d.path)
			out = append(out, room{point: m.Point, size: known.Is(unit.Bytes(0)), free: space.Free, measured: measured})
		}
		for _, oid := range d.oids {
			size, ok := sizes[oid]
			if sum, all := out[at].size.Get(); ok && all {
				out[at].size = known.Is(sum + size)
			} else {
				out[at].size = known.Fact[unit.Bytes]{}
			}
		}
	}
	return out
}

// copyingAt says how much room a copy takes where all is on one filesystem, or it is unknown on how many.
func (j *judge) copyingAt(dirs []directory) say.Message {
	var size unit.Bytes
	complete := false
	if dbs, ok := j.in.Server.Databases.Get(); ok {
		complete = len(dbs) > 0
		for _, d := range dbs {
			n, ok := d.Size.Get()
			complete, size = complete && ok, size+n
		}
	}
	free := false
	var space unit.Bytes
	if spaces, ok := j.s.Host.Spaces.Get(); ok && len(dirs) > 0 {
		at, ok := j.s.SpaceAt(spaces, dirs[0].path)
		space, free = at.Free, ok
	}
	switch {
	case complete && free && size > space:
		return say.M("--copy: slow, and there is not enough space: the databases have {size}, and {free} are "+
			"free", "size", size,
			"free", space)
	case complete && free:
		return say.M("--copy: slow, keeps the old cluster; takes {size} of {free} "+
			"free", "size", size, "free", space)
	case complete:
		return say.M("--copy: slow, keeps the old cluster; takes {size} (the free space is unknown)", "size", size)
	}
	return say.M("--copy: slow, keeps the old cluster; takes as much space again (the size is unknown; run with " +
		"--deep)")
}
