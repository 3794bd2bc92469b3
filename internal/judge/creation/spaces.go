package creation

import (
	"path"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// mappingFlag says where a tablespace of a primary goes.
const mappingFlag = "--tablespace-mapping"

// spaces checks the tablespaces of a primary against the mappings: each has a separate directory here. In the same
// directories as on the primary, they could be among another's.
func (l *Layout) spaces() error {
	p := l.Order.Primary
	var missing []string
	for _, x := range p.Tablespaces {
		if !path.IsAbs(x.Path) {
			return refuse(say.M("the primary at {where} has a tablespace in its data directory: {path}", "where",
				p.Where, "path", x.Path), say.M("allow_in_place_tablespaces is for tests of PostgreSQL"),
				say.M("drop it there: DROP TABLESPACE NAME;"))
		}
		if !slices.ContainsFunc(l.Order.Tablespaces, func(m newcluster.Mapping) bool { return m.Old == x.Path }) {
			missing = append(missing, x.Path)
		}
	}
	if len(missing) > 0 {
		example := newcluster.Mapping{Old: missing[0], New: path.Join("/srv/tablespace", path.Base(missing[0]))}
		return refuse(say.M("the primary at {where} has tablespaces: {names}", "where", p.Where, "names",
			say.Names(missing, 3)), say.M("each needs a separate directory on this host"),
			say.M("name one for each: {flag} {mapping}", "flag", mappingFlag, "mapping", example.String()))
	}
	for i, m := range l.Order.Tablespaces {
		if !slices.ContainsFunc(p.Tablespaces, func(x Space) bool { return x.Path == m.Old }) {
			return say.Usage(say.M("{flag}: the primary has no tablespace in {path}", "flag", mappingFlag, "path",
				m.Old), say.M("Omit it, or write the directory as pg_tablespace_location shows it there."))
		}
		for _, other := range l.Order.Tablespaces[:i] {
			if other.Old == m.Old {
				return say.Usage(say.M("{flag}: {path} is mapped twice", "flag", mappingFlag, "path", m.Old),
					say.M("Write one directory for each tablespace."))
			}
		}
	}
	return nil
}

// RefuseSpaces looks at the directories of the tablespaces of a copy as Refuse does at the others, before anything is
// touched; spaces are in the order of the mappings. From then on the layout has them with every link followed.
func (l *Layout) RefuseSpaces(data Folder, wal *Folder, spaces []Folder) error {
	list := slices.Clone(l.Order.Tablespaces)
	taken := []string{data.Path}
	if wal != nil {
		taken = append(taken, wal.Path)
	}
	for i, f := range spaces {
		if err := refuseFolder(*l, mappingFlag, f); err != nil {
			return err
		}
		for _, other := range taken {
			if within(f.Path, other) || within(other, f.Path) {
				return refuse(say.M("{a} and {b} contain each other", "a", f.Path, "b", other), say.Message{},
					say.M("name another directory with {flag}", "flag", mappingFlag))
			}
		}
		taken = append(taken, f.Path)
		list[i].New = f.Path
	}
	l.Order.Tablespaces, l.Spaces = list, spaces
	return nil
}

// elsewhere is what the tablespaces of a primary take that go to other devices than the data directory; those of
// unknown size are not counted.
func (l Layout) elsewhere(data Folder) (sum unit.Bytes) {
	for i, m := range l.Order.Tablespaces {
		if size, ok := l.Order.Primary.space(m.Old); ok && l.Spaces[i].Device != data.Device {
			sum += size
		}
	}
	return sum
}

// space is the size of a tablespace.
func (p *Primary) space(at string) (unit.Bytes, bool) {
	for _, x := range p.Tablespaces {
		if x.Path == at {
			return x.Bytes.Get()
		}
	}
	return 0, false
}

// spaceRoom refuses filesystems that are too small for the tablespaces of a primary. Those on the device of the data
// directory are counted with it.
func (l Layout) spaceRoom(data Folder) error {
	need := map[string]unit.Bytes{} // by device
	for i, m := range l.Order.Tablespaces {
		f := l.Spaces[i]
		size, ok := l.Order.Primary.space(m.Old)
		if !ok || f.Device == data.Device {
			continue
		}
		need[f.Device] += size
		if f.Total > 0 && f.Free < need[f.Device] {
			return refuse(say.M("the filesystem of {path} has {free} free, and {need} are needed", "path", f.Path,
				"free", f.Free, "need", need[f.Device]), say.M("the tablespace {path} of the primary has {size}",
				"path", m.Old, "size", size), say.M("name a directory on a larger filesystem with {flag}", "flag",
				mappingFlag))
		}
	}
	return nil
}
