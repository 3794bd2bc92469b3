// Package snapshot is the document of what the evidence means: the typed facts of a host and of the instances on it. It
// is made once by Read and never changed afterwards; judgment takes it and returns documents of its own.
package snapshot

import (
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// Schema names the version of the JSON form.
const Schema = "pgfettle.snapshot/1"

// Snapshot is what is known at one moment.
type Snapshot struct {
	Schema    string     `json:"schema"`
	TakenAt   int64      `json:"taken_at"`            // seconds since the epoch, by the host's clock
	HostSeen  bool       `json:"host_seen"`           // false: only a server over SQL; all host facts are missing
	Root      bool       `json:"root"`                // collected by root
	Described bool       `json:"described,omitempty"` // not inspected: a description of a host that may not exist yet
	Host      host.Host  `json:"host"`
	Instances []Instance `json:"instances"` // in order of key
	// Neighbours are the other instances of the host, if the user has named one, and those that should run and do not:
	// no check judges them and no plan changes them, but what they can take is not available to the others.
	Neighbours []Instance `json:"neighbours,omitempty"`
	// instances on whose behalf nothing was done: they are no part of any plan
	Strangers []Stranger `json:"strangers,omitempty"`

	// Assumed is what the description of the host does not give.
	Assumed []Assumption `json:"assumed,omitempty"`

	// Measured is the latest probe of this machine; absent if none was run or none still belongs to it.
	Measured known.Fact[measured.Probe] `json:"measured"`

	// History is what a history of samples reports; absent if the host was not watched.
	History known.Fact[History] `json:"history,omitzero"`
}

// Assumption is a value used for what a description does not give.
type Assumption struct {
	Word  string `json:"word"` // that would give it: cpus
	Value string `json:"value"`
}

// History is what a history of samples reports about the host.
type History struct {
	history.Span
	Memory *history.Peak `json:"memory,omitempty"` // bytes in use
	Others *history.Week `json:"others,omitempty"` // bytes that other programs held, in the last days
}

// Instance is one PostgreSQL instance: what the host shows of it and what its
// server said.
type Instance struct {
	Key           string                     `json:"key"` // of its files in the evidence: "1", "2", …
	DataDirectory known.Fact[string]         `json:"data_directory"`
	Port          known.Fact[int]            `json:"port"`
	Running       known.Fact[bool]           `json:"running"`
	BinDir        known.Fact[string]         `json:"bin_dir"`   // folder of the postgres binary that runs it
	Processes     known.Fact[[]host.Process] `json:"processes"` // postmaster first
	Limits        known.Fact[host.Limits]    `json:"limits"`    // of the postmaster
	CGroup        known.Fact[host.CGroup]    `json:"cgroup"`    // of the postmaster
	// processors and NUMA nodes that the postmaster may use
	Placement known.Fact[host.Placement] `json:"placement"`
	Unit      known.Fact[host.Unit]      `json:"unit"`            // if systemd runs it
	Places    known.Fact[[]Place]        `json:"places"`          // folders that the instance writes to
	StatsDir  known.Fact[string]         `json:"stats_directory"` // real path of PGDATA/pg_stat
	Segment   known.Fact[host.Segment]   `json:"segment"`         // of its shared memory, while it runs
	// what the host's package manager has of the package of its program; absent if that was not asked
	Package known.Fact[host.Package] `json:"package"`
	// "", patroni, cloudnative-pg, …: what manages the configuration
	Manager known.Fact[string] `json:"manager"`
	// what else was noticed of the instance, one clause each
	Notes  []string  `json:"notes,omitempty"`
	Server pg.Server `json:"server"`
	// of an instance that does not run: what its server would meet
	Start pg.Start `json:"start,omitzero"`
	// what the installed binary answered to the plan's questions
	Answers []ShmemAnswer `json:"answers"`

	// History is what a history of samples reports about it; absent if it was not watched.
	History known.Fact[history.Instance] `json:"history,omitzero"`
}

// Stranger is an instance that runs on the host but is left alone, because its owner is not one whose instances are
// included, or does not exist. All that is known about it comes from /proc. The collector writes them to
// strangers.json.
type Stranger struct {
	PID           int         `json:"pid"`
	Account       string      `json:"account"`                  // "mallory (uid 1001)", or "unknown"
	UID           *int        `json:"uid,omitempty"`            //
	DataDirectory *string     `json:"data_directory,omitempty"` // the working directory of its postmaster
	Port          *int        `json:"port,omitempty"`           // by its command line
	Processes     int         `json:"processes"`
	Private       *unit.Bytes `json:"private,omitempty"` // bytes that its processes hold each for itself
	// bytes of shared memory that one of them has touched, the most
	Shared *unit.Bytes `json:"shared,omitempty"`
	// bytes on huge pages that one of them has touched, the most
	HugePages *unit.Bytes `json:"huge_pages,omitempty"`
	Reason    string      `json:"reason"`         // why, a clause
	Hint      string      `json:"hint,omitempty"` // what would mend or allow it
	Suspect   bool        `json:"suspect"`        // it contradicts itself; else it only does not count
}

// PlaceRole says what a directory is for.
type PlaceRole string

// The roles of places.
const (
	DataPlace       PlaceRole = "data"       // PGDATA
	WALPlace        PlaceRole = "wal"        // pg_wal, its symlink resolved
	TablespacePlace PlaceRole = "tablespace" // target of a link in pg_tblspc
)

// Place is a directory that an instance writes to. The collector writes them to pg/KEY/places.json.
type Place struct {
	Role       PlaceRole `json:"role"`
	Path       string    `json:"path"`        // real path, symlinks resolved
	Tablespace string    `json:"tablespace"`  // oid of the tablespace; "" for others
	Device     string    `json:"device"`      // major:minor of the filesystem it is on
	MountPoint bool      `json:"mount_point"` // the directory itself is the root of a mount
	Mode       string    `json:"mode"`        // permission bits, such as "0700"
	UID        int       `json:"uid"`
}

// ShmemQuestion asks how much shared memory a server would want with these
// settings. Settings are in pg_settings' base units, sorted by name, so that
// equal questions are equal texts.
type ShmemQuestion struct {
	Instance string       `json:"instance"` // Instance.Key
	Settings []NamedValue `json:"settings"` // those that differ from the instance's present ones
}

// NamedValue is a setting with its value in the base unit.
type NamedValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ShmemAnswer is what the installed binary said to a question. The collector
// writes them to pg/KEY/shmem_answers.json.
type ShmemAnswer struct {
	Question ShmemQuestion `json:"question"`
	Bytes    unit.Bytes    `json:"bytes"` // shared memory requested from the kernel
	Pages    int64         `json:"pages"` // huge pages of PageSize; 0 when the binary did not say
	// "-C shared_memory_size_in_huge_pages" or "request under an address-space limit"
	Method string `json:"method"`
}

// Instance returns the instance with the given key, or nil.
func (s *Snapshot) Instance(key string) *Instance {
	for i := range s.Instances {
		if s.Instances[i].Key == key {
			return &s.Instances[i]
		}
	}
	return nil
}

// Postmaster returns the instance's first process.
func (in *Instance) Postmaster() known.Fact[host.Process] {
	ps, ok := in.Processes.Get()
	if !ok || len(ps) == 0 {
		return known.Without[host.Process](in.Processes.State(), known.Gap{
			Fact: "pg/" + in.Key + "/processes", Reason: "no process of this instance was seen",
			Reveal: in.Processes.Gap().Reveal})
	}
	return known.Is(ps[0])
}

// FromFiles reports whether the settings are those of the configuration files, because no server is running to report
// its own.
func (in *Instance) FromFiles() bool {
	up, ok := in.Running.Get()
	return ok && !up && in.Server.Settings.Known()
}

// Version is the version of the server for display: "17.11", "19rc1"; "" if unknown. If the server is not running,
// often only the major version is known, because its data directory holds no more.
func (in *Instance) Version() string {
	v, ok := in.Server.Version.Get()
	up, told := in.Running.Get()
	switch pre := in.Server.PreRelease(); {
	case !ok:
		return ""
	case pre != "" && v.Minor() == 0:
		return pre
	case v.Minor() == 0 && (told && !up || in.MajorOnly()):
		return strconv.Itoa(v.Major())
	}
	return v.String()
}

// MajorOnly says whether only the major version of the server is known, as a person told it.
func (in *Instance) MajorOnly() bool {
	s, ok := in.Server.Settings.Get()
	return ok && s.MajorOnly()
}

// MemoryLimit returns the memory that is available to an instance: the host's, or the smallest limit of its cgroup's
// ancestors if that is less. limited says which of the two it is.
func (s *Snapshot) MemoryLimit(in *Instance) (m known.Fact[unit.Bytes], limited bool) {
	m = known.Map(s.Host.Memory, func(m host.Memory) unit.Bytes { return m.Total })
	if in == nil {
		return m, false
	}
	cg, ok := in.CGroup.Get()
	if !ok {
		return m, false
	}
	limit, ok := cg.Memory.Get()
	if total, known := m.Get(); !ok || known && limit >= total {
		return m, false
	}
	return cg.Memory, true
}

// AllOnZFS reports whether every place of every instance is known to be on ZFS.
func (s *Snapshot) AllOnZFS() bool {
	for i := range s.Instances {
		places, ok := s.Instances[i].Places.Get()
		if !ok || len(places) == 0 {
			return false
		}
		for _, p := range places {
			if m, ok := s.MountOf(p.Path); !ok || m.FSType != "zfs" {
				return false
			}
		}
	}
	return len(s.Instances) > 0
}

// MountOf returns the mount that a path is on: the one with the longest mount point that is a prefix of it, the last
// one if several are stacked.
func (s *Snapshot) MountOf(path string) (host.Mount, bool) {
	mounts, _ := s.Host.Mounts.Get()
	best := -1
	for i, m := range mounts {
		if isBelow(path, m.Point) && (best < 0 || len(m.Point) >= len(mounts[best].Point)) {
			best = i
		}
	}
	if best < 0 {
		return host.Mount{}, false
	}
	return mounts[best], true
}

// Filesystems whose files always, and never, share blocks with others (reflinks). Of XFS its maker decides; ZFS has a
// switch for it, and network filesystems have what their servers have.
var (
	withReflinks    = []string{"btrfs", "bcachefs"}
	withoutReflinks = []string{"ext2", "ext3", "ext4", "f2fs", "jfs", "nilfs2", "ramfs", "reiserfs", "tmpfs", "vfat"}
)

// SharesBlocks reports whether files of the filesystem at a path can share blocks; sure is false where it is unknown.
func (s *Snapshot) SharesBlocks(path string) (shares, sure bool) {
	at, ok := s.MountOf(path)
	switch {
	case !ok:
	case slices.Contains(withReflinks, at.FSType):
		return true, true
	case slices.Contains(withoutReflinks, at.FSType):
		return false, true
	case at.FSType == "xfs":
		spaces, _ := s.Host.Spaces.Get()
		for _, sp := range spaces {
			if m, ok := s.MountOf(sp.Path); ok && m.Point == at.Point && sp.Reflinks != nil {
				return *sp.Reflinks, true
			}
		}
	}
	return false, false
}

func isBelow(path, point string) bool {
	return point == "/" || path == point || len(path) > len(point) && path[:len(point)] == point &&
		path[len(point)] == '/'
}

// MeasuredAt returns what was measured on the device of the instance's first place of a role; ok is false if nothing
// was.
func (s *Snapshot) MeasuredAt(in *Instance, role PlaceRole) (*measured.Disk, bool) {
	p, ok := s.Measured.Get()
	places, ok2 := in.Places.Get()
	if !ok || !ok2 {
		return nil, false
	}
	for _, at := range places {
		if at.Role == role {
			return p.On(at.Device)
		}
	}
	return nil, false
}

// MeasuredTiming returns what reading the clock costs this instance's server, if that was measured with the kernel's
// present clock source.
func (s *Snapshot) MeasuredTiming() (t *measured.TimingRun, under float64, ok bool) {
	p, known := s.Measured.Get()
	clock, seen := s.Host.Clock.Get()
	if !known || p.Timing == nil || !seen || clock.Current != p.Clock {
		return nil, 0, false
	}
	c := p.Timing.Timing.Server()
	if c == nil {
		return nil, 0, false
	}
	under, ok = c.UnderMicrosecond()
	return p.Timing, under, ok
}

// Label names the instance for people: its data directory, else its port, else
// its key.
func (in *Instance) Label() string {
	if d, ok := in.DataDirectory.Get(); ok {
		return d
	}
	if p, ok := in.Port.Get(); ok {
		return "port " + strconv.Itoa(p)
	}
	return "instance " + in.Key
}

// SpaceAt returns the known data of the filesystem that a path is on.
func (s *Snapshot) SpaceAt(spaces []host.Space, path string) (host.Space, bool) {
	at, mounted := s.MountOf(path)
	for _, sp := range spaces {
		m, ok := s.MountOf(sp.Path)
		if sp.Path == path || mounted && ok && m.Point == at.Point { // statfs answers for the whole filesystem
			return sp, true
		}
	}
	return host.Space{}, false
}
