package creation

import (
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// Key is that of the new instance in the snapshot that Beside returns.
const Key = "new"

// Beside returns the snapshot in which the host has the new instance as initdb leaves it. The instances that it has
// already are its neighbors: what they may take is not the new one's, and nothing of them is changed. The given
// snapshot stays as it is.
func Beside(s *snapshot.Snapshot, l Layout, data Folder, wal *Folder) *snapshot.Snapshot {
	next := *s
	next.Neighbours = append(slices.Clone(s.Instances), s.Neighbours...)
	next.Instances = []snapshot.Instance{instance(l, data, wal)}
	l.swapped(&next)
	return &next
}

// Among returns the snapshot in which the new instance is one of those that are planned.
func Among(s *snapshot.Snapshot, l Layout, data Folder, wal *Folder) *snapshot.Snapshot {
	next := *s
	next.Instances = append(slices.Clone(s.Instances), instance(l, data, wal))
	l.swapped(&next)
	return &next
}

func instance(l Layout, data Folder, wal *Folder) snapshot.Instance {
	in := snapshot.Instance{Key: Key, DataDirectory: known.Is(l.Data), Port: known.Is(l.Port), Running: known.Is(false),
		BinDir: known.Is(l.Programs.Bin), Manager: known.Is("")}
	at := data
	place := func(role snapshot.PlaceRole, path string, f Folder) snapshot.Place {
		return snapshot.Place{Role: role, Path: path, Device: f.Device, Mode: "0700", UID: l.Owner.UID}
	}
	walPath := data.Path + "/pg_wal"
	if wal != nil {
		at, walPath = *wal, wal.Path
	}
	in.Places = known.Is([]snapshot.Place{place(snapshot.DataPlace, data.Path, data),
		place(snapshot.WALPlace, walPath, at)})
	in.Server.Version = known.Is(l.Programs.Version)
	in.Server.Recovery = known.Is(l.Order.Primary != nil)
	in.Server.Settings = known.Is(fresh(l))
	return in
}

// fresh are the settings of a server as initdb leaves it.
func fresh(l Layout) pg.Settings {
	set := pg.Settings{}
	for _, p := range params.All(l.Major) {
		if params.ComputedAtStart(p.Name) {
			continue
		}
		s := pg.DefaultOf(p)
		switch p.Name {
		case "server_version":
			s.Value = l.Programs.Version.String()
		case "server_version_num":
			s.Value = strconv.Itoa(int(l.Programs.Version))
		case "data_directory":
			s.Value = l.Data
		case "port":
			s.Value = strconv.Itoa(l.Port)
		case "shared_buffers":
			s.Value = strconv.Itoa(int(limits.InitdbBuffers / (8 * unit.KB)))
		case "min_wal_size": // DEFAULT_MIN_WAL_SEGS and DEFAULT_MAX_WAL_SEGS, which initdb writes
			s.Value = strconv.FormatInt(int64(5*segment(l)/unit.MB), 10)
		case "max_wal_size":
			s.Value = strconv.FormatInt(int64(64*segment(l)/unit.MB), 10)
		case "wal_segment_size":
			if l.Order.Segment > 0 {
				s.Value = strconv.FormatInt(int64(l.Order.Segment), 10)
			}
		case "data_checksums":
			s.Value = "on"
			if l.Order.NoChecksums {
				s.Value = "off"
			}
		}
		set[p.Name] = s
	}
	if l.Twin != nil {
		for name, s := range l.Twin.Set {
			set[name] = s
		}
	}
	l.raised(set)
	return set
}

// segment is the size of WAL segments that was asked for, or initdb's.
func segment(l Layout) unit.Bytes {
	if l.Order.Segment > 0 {
		return l.Order.Segment
	}
	return 16 * unit.MB
}
