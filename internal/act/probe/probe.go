// Package probe measures a machine with the programs that are installed on it: pg_test_fsync and fio on the disks of an
// instance, or its own loops if they are not; pg_test_timing on its clock, and a walk through memory. It says before
// what it will cost, keeps a share of each disk free, runs everything as the owner of the data, and leaves nothing
// behind.
package probe

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Parts are what can be measured.
var Parts = []string{Fsync, Timing, Fio, Memory}

// The parts, as a person names them.
const (
	Fsync  = "fsync"  // how often a second a write reaches the disk: pg_test_fsync
	Timing = "timing" // what reading the clock costs: pg_test_timing
	Fio    = "fio"    // reads past the page cache, and flushes in a file that grows: fio, or our own reads
	Memory = "memory" // latency and speed of memory
)

// Options say what is measured and how long.
type Options struct {
	Only    []string          // of Parts; none: all
	Seconds int               // each single measurement takes
	Tell    func(say.Message) // called with what is being measured; may be nil
}

// What is left alone of a disk, and what is written to it.
const (
	// spareShare and spareLeast stay free: a filesystem that fills up stops the
	// server, and copy-on-write ones slow down before.
	spareShare = 10 // percent
	spareLeast = 2 * unit.GB
	// readMost is the file that is read from: larger than the caches of disks and
	// of most controllers, and written in seconds by whatever serves a database.
	readMost = unit.GB
	// readLeast is the least that distinguishes a disk from its cache.
	readLeast = 256 * unit.MB
	// flushSize is the file of pg_test_fsync and of our own loop: a WAL segment.
	flushSize = 16 * unit.MB
	// fioFlushSize is the file of fio's flushes.
	fioFlushSize = 64 * unit.MB
)

// depths are how many random reads are under way at once: one backend without
// reading ahead, and three with.
var depths = []int{1, 4, 16, 64}

// Work is what will be done, before anything is.
type Work struct {
	Disks   []Place
	Time    time.Duration // at least; a slow disk takes longer to write what is read
	Writes  unit.Bytes    // to all disks together, at most
	Running []string      // instances that run on these disks, by their labels
	Missing []known.Gap   // what will not be measured

	t      target.Target
	s      *snapshot.Snapshot
	o      Options
	memory unit.Bytes // that is walked through; 0: none
}

// Place is one filesystem that will be measured.
type Place struct {
	Device   string
	Places   []string
	Roles    []string
	Parent   string // folder that ours is made in
	ReadSize unit.Bytes

	name, identity string
	fio            bool // is installed; else our own reads are in
	as             target.User
	in             *snapshot.Instance
}

// Empty says that nothing is left to measure.
func (w *Work) Empty() bool { return len(w.Disks) == 0 && w.memory == 0 && !w.wants(Timing) }

func (w *Work) wants(part string) bool { return len(w.o.Only) == 0 || slices.Contains(w.o.Only, part) }

// Prepare finds out what can be measured and what it will cost. Nothing is
// changed.
func Prepare(t target.Target, s *snapshot.Snapshot, o Options) *Work {
	w := &Work{t: t, s: s, o: o}
	if o.Tell == nil {
		w.o.Tell = func(say.Message) {}
	}
	if !s.HostSeen {
		w.miss("measurements", "the server runs on another host", "run pgfettle probe there")
		return w
	}
	each := time.Duration(o.Seconds) * time.Second
	if w.wants(Fsync) || w.wants(Fio) {
		w.disks()
	}
	for i := range w.Disks {
		d := &w.Disks[i]
		if w.wants(Fsync) {
			w.Time += fsyncTests * each
			w.Writes += flushSize
		}
		if d.ReadSize > 0 {
			w.Time += time.Duration(len(depths)+1)*each + time.Duration(d.ReadSize/layoutSpeed)*time.Second
			w.Writes += d.ReadSize
			if d.fio {
				w.Time += each
				w.Writes += fioFlushSize
			}
		}
	}
	if w.wants(Timing) {
		w.Time += each
	}
	if w.wants(Memory) {
		w.planMemory()
	}
	return w
}

// layoutSpeed is how fast a disk is taken to write the file that is read from.
const layoutSpeed = 200 * unit.MB

func (w *Work) miss(fact, reason, reveal string) {
	w.Missing = append(w.Missing, known.Gap{Fact: fact, Reason: reason, Reveal: reveal})
}

// disks lists the filesystems under the places of the instances, each once.
func (w *Work) disks() {
	if len(w.s.Instances) == 0 {
		w.miss("disks", "no instance was found, whose disks would be measured", "name a data directory")
	}
	fio := w.wants(Fio) && w.has("fio")
	if w.wants(Fio) && !fio {
		w.miss("fio", "it is not installed; "+measured.OwnReads+" stood in, without flushes of a file that grows",
			"install it: apt-get install fio, dnf install fio or zypper install fio")
	}
	for i := range w.s.Instances {
		in := &w.s.Instances[i]
		places, ok := in.Places.Get()
		if !ok {
			w.Missing = append(w.Missing, in.Places.Gap())
			continue
		}
		for _, p := range places {
			at := slices.IndexFunc(w.Disks, func(d Place) bool { return d.Device == p.Device })
			if at >= 0 {
				d := &w.Disks[at]
				if !slices.Contains(d.Roles, string(p.Role)) {
					d.Roles = append(d.Roles, string(p.Role))
				}
				d.Places = append(d.Places, p.Path)
			} else if d, ok := w.place(in, p, fio); ok {
				w.Disks = append(w.Disks, d)
			} else {
				continue
			}
			if up, ok := in.Running.Get(); (!ok || up) && !slices.Contains(w.Running, in.Label()) {
				w.Running = append(w.Running, in.Label())
			}
		}
	}
}

// place finds a directory on the filesystem of a place where ours can be made, and the space that may be taken there.
func (w *Work) place(in *snapshot.Instance, p snapshot.Place, fio bool) (Place, bool) {
	d := Place{Device: p.Device, Places: []string{p.Path}, Roles: []string{string(p.Role)}, in: in, fio: fio}
	name := "disk under " + p.Path
	own, err := w.t.Stat(p.Path)
	if err != nil || !own.Mode.IsDir() || own.UID != p.UID {
		w.miss(name, "its directory cannot be reached from here",
			"run pgfettle where its files are, as their owner or as root")
		return d, false
	}
	if m, ok := w.s.MountOf(p.Path); ok && (m.FSType == "tmpfs" || m.FSType == "ramfs") {
		w.miss(name, "it is memory ("+m.FSType+"), no disk", "")
		return d, false
	}
	d.as = target.User{UID: own.UID, GID: own.GID}
	if w.t.UID() == 0 {
		dir, _ := in.DataDirectory.Get()
		a, err := trust.Instance(w.t, dir)
		if err == nil && a.UID != own.UID {
			err = say.Err("it belongs to another account than the instance")
		}
		if err != nil {
			w.miss(name, "nothing is done there as root: "+err.Error(), "")
			return d, false
		}
		d.as = a.Alone()
	}
	if w.t.UID() != 0 && w.t.UID() != own.UID {
		w.miss(name, "only its owner and root may write there",
			"run pgfettle as root or as the owner of the data directory")
		return d, false
	}
	d.name, d.identity = collect.Identity(w.t, p.Device)
	// The parent directory holds no data. If it is on another filesystem, or closed to the owner, the place itself is
	// used: servers, base backups and rewinds skip what begins like a temporary file.
	for _, at := range []string{path.Dir(p.Path), p.Path} {
		st, err := w.t.Stat(at)
		if err == nil && st.Dev == own.Dev && st.UID == own.UID && st.Mode.Perm()&0o300 == 0o300 {
			d.Parent = at
			break
		}
	}
	if d.Parent == "" {
		w.miss(name, "there is no directory of its owner in which to create a private one", "")
		return d, false
	}
	space, err := w.t.Statfs(d.Parent)
	if err != nil {
		w.miss(name, "its free space could not be asked for: "+err.Error(), "")
		return d, false
	}
	spare := max(unit.Bytes(space.Total)*spareShare/100, spareLeast)
	left := unit.Bytes(space.Free) - spare - flushSize
	if left < 0 {
		w.miss(name, fmt.Sprintf("%s are free there, and %s have to stay so", unit.Bytes(space.Free), spare),
			"free some space")
		return d, false
	}
	if w.wants(Fio) {
		if d.ReadSize = min(readMost, (left - fioFlushSize).RoundDown(unit.MB)); d.ReadSize < readLeast {
			d.ReadSize = 0
			w.miss("reads of the "+name, fmt.Sprintf("%s are free there, and %s have to stay so",
				unit.Bytes(space.Free), spare), "free some space")
		}
	}
	return d, true
}

// has reports whether a program is on the path.
func (w *Work) has(program string) bool {
	out, err := w.t.Run(context.Background(), target.Command{Argv: []string{program, "--version"}})
	return err == nil && out.Code == 0
}

// Run measures. What could not be measured is among the missing; an error is
// the context's. All that was made is removed in any case.
func (w *Work) Run(ctx context.Context) (*measured.Probe, error) {
	p := &measured.Probe{Schema: measured.Schema, TakenAt: w.t.Now().Unix(), Seconds: w.o.Seconds,
		Disks: []measured.Disk{}}
	if k, ok := w.s.Host.Kernel.Get(); ok {
		p.Kernel = k.Release
	}
	if c, ok := w.s.Host.Clock.Get(); ok {
		p.Clock = c.Current
	}
	if w.s.HostSeen && w.wants(Timing) && ctx.Err() == nil {
		w.o.Tell(say.M("measuring the clock"))
		p.Timing = w.timing(ctx)
	}
	if w.memory > 0 && ctx.Err() == nil {
		w.o.Tell(say.M("measuring the memory"))
		p.Memory = walk(ctx, w.memory)
	}
	for i := range w.Disks {
		if ctx.Err() != nil {
			break
		}
		p.Disks = append(p.Disks, w.disk(ctx, &w.Disks[i]))
	}
	p.Missing = append([]known.Gap{}, w.Missing...)
	return p, ctx.Err()
}

// disk measures one filesystem in a private directory on it.
func (w *Work) disk(ctx context.Context, d *Place) measured.Disk {
	out := measured.Disk{Device: d.Device, Name: d.name, Identity: d.identity, Places: d.Places, Roles: d.Roles}
	if d.identity == "" {
		w.miss("keeping what is measured under "+d.Places[0],
			"its device number does not survive a reboot, so check and plan cannot distinguish it from another", "")
	}
	f, err := w.makeFolder(ctx, d)
	if err != nil {
		w.miss("disk under "+d.Places[0], err.Error(), "")
		return out
	}
	defer func() {
		if err := f.remove(); err != nil {
			w.miss("disk under "+d.Places[0], err.Error(), "remove the directory manually")
		}
	}()
	if w.wants(Fsync) {
		w.o.Tell(say.M("measuring flushes under {path}", "path", d.Places[0]))
		out.Flush = w.fsync(ctx, d, f)
	}
	switch {
	case d.ReadSize == 0:
	case d.fio:
		w.fio(ctx, d, f, &out)
	default:
		w.ownReads(ctx, d, f, &out)
	}
	return out
}

// tellLayout, tellRandom and tellInOrder describe how reads are measured.
func (w *Work) tellLayout(d *Place) {
	w.o.Tell(say.M("writing {size} to read from, under {path}", "size", d.ReadSize, "path", d.Places[0]))
}

func (w *Work) tellRandom(d *Place, depth int) {
	w.o.Tell(say.N(depth, "reading at random under {path}, {n} at once", "reading at random under {path}, {n} at once",
		"path", d.Places[0]))
}

func (w *Work) tellInOrder(d *Place) {
	w.o.Tell(say.M("reading in order under {path}", "path", d.Places[0]))
}

// planMemory decides how much memory is walked through.
func (w *Work) planMemory() {
	m, ok := w.s.Host.Memory.Get()
	if !ok {
		w.Missing = append(w.Missing, w.s.Host.Memory.Gap())
		return
	}
	w.memory = memorySize(m)
	if w.memory == 0 {
		w.miss("memory", "only "+m.Available.String()+" are available, too little to take some", "")
		return
	}
	w.Time += memoryTime
}

// memorySize is what may be taken for some seconds: an eighth of what is available, and no more than caches of CPUs are
// surely smaller than.
func memorySize(m host.Memory) unit.Bytes {
	size := min(m.Available/8, memoryMost).RoundDown(unit.MB)
	if size < memoryLeast {
		return 0
	}
	return size
}

// oneLine makes what a program said fit into a clause.
func oneLine(b []byte) string {
	s := strings.Join(strings.Fields(string(b)), " ")
	if r := []rune(s); len(r) > 160 {
		s = string(r[:160]) + "…"
	}
	return strings.ToValidUTF8(s, "?")
}
