package apply_test

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// toyFile is a file in memory.
type toyFile struct {
	data     string
	mode     fs.FileMode
	uid, gid int
}

// death is what a process that is killed panics with.
type death struct{}

// toyDisk is a host in memory whose every operation has points at which the
// process may die: before, after, and wherever a real one leaves something in
// between (a temporary file, a file that is renamed and not yet on disk, a part
// of a line). It knows files, live values (under /proc and /sys) and servers.
type toyDisk struct {
	target.Target // nil: the engine calls nothing else
	files         map[string]toyFile
	dirs          map[string]bool
	live          map[string]string
	servers       map[string]*toyServer

	fuse   int             // points left until death; below 0: it lives
	cut    int             // chooses how what was cut off looks
	power  bool            // death is a power failure: what was not fsynced may be gone
	held   bool            // another process has the lock
	locked map[string]bool // we have
	taken  []string        // locks, in their order
	full   bool            // no room for another byte
	most   int             // huge pages that the kernel can find
	tight  bool            // no room for a grown pool and a server that does not use it at once

	points, writes int

	somebody func(n int) // acts at a point, by its number
}

const (
	poolPath   = "/proc/sys/vm.nr_hugepages"
	SysctlFile = "/etc/sysctl.d/60-toy.conf"
	grubFile   = "/etc/default/grub"
	journalDir = "/var/lib/pgfettle/journal"
)

// UID is that of an ordinary user: whose files are whose is no matter of the engine's.
func (d *toyDisk) UID() int { return 1000 }

// point is where the process may die. lost takes back what is not on disk yet.
func (d *toyDisk) point(lost func()) {
	d.points++
	if d.somebody != nil {
		d.somebody(d.points)
	}
	if d.fuse == 0 {
		d.fuse = -1
		if d.power && lost != nil && d.cut%2 == 1 {
			lost()
		}
		d.locked = map[string]bool{} // the kernel takes them back
		panic(death{})
	}
	if d.fuse > 0 {
		d.fuse--
	}
}

func notThere(name string) error { return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist} }

func (d *toyDisk) ReadFile(name string, limit int64) ([]byte, error) {
	d.point(nil)
	if v, ok := d.live[name]; ok {
		return []byte(v + "\n"), nil
	}
	f, ok := d.files[name]
	if !ok {
		return nil, notThere(name)
	}
	if int64(len(f.data)) > limit {
		return nil, target.ErrTooLarge
	}
	return []byte(f.data), nil
}

func (d *toyDisk) ReadDir(name string) ([]string, error) {
	d.point(nil)
	if !d.dirs[name] {
		return nil, notThere(name)
	}
	var names []string
	for n := range d.files {
		if path.Dir(n) == name {
			names = append(names, path.Base(n))
		}
	}
	return names, nil
}

func (d *toyDisk) Stat(name string) (target.Info, error) {
	if f, ok := d.files[name]; ok {
		return target.Info{Mode: f.mode, UID: f.uid, GID: f.gid, Size: int64(len(f.data))}, nil
	}
	if d.dirs[name] {
		return target.Info{Mode: fs.ModeDir | 0o755}, nil
	}
	return target.Info{}, notThere(name)
}

func (d *toyDisk) Writable(string) error { return nil }

func (d *toyDisk) Mkdir(name string, _ fs.FileMode) error {
	d.point(nil)
	for ; name != "/"; name = path.Dir(name) {
		d.dirs[name] = true
	}
	d.point(nil)
	return nil
}

func (d *toyDisk) Lock(name, _ string) (func() error, error) {
	d.point(nil)
	if d.held {
		return nil, &target.Held{Path: "lock", By: "process 42"}
	}
	if d.locked[name] {
		panic(name + " was taken twice")
	}
	d.locked[name], d.taken = true, append(d.taken, name)
	return func() error { delete(d.locked, name); return nil }, nil
}

func (d *toyDisk) Resolve(name string) (string, error) { return name, nil }

func (d *toyDisk) Write(name string, data []byte, perm fs.FileMode) error {
	f := d.files[name]
	if f.mode != 0 {
		perm = f.mode
	}
	return d.Put(name, data, perm, f.uid, f.gid)
}

func (d *toyDisk) Put(name string, data []byte, perm fs.FileMode, uid, gid int) error {
	return d.PutWhile(name, data, perm, uid, gid, func() error { return nil })
}

func (d *toyDisk) PutWhile(name string, data []byte, perm fs.FileMode, uid, gid int, still func() error) error {
	d.point(nil)
	if d.full {
		return &fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
	}
	d.writes++
	temp := tempOf(name)
	d.files[temp] = toyFile{data: string(data[:d.cut%(len(data)+1)])}
	d.point(nil)
	d.files[temp] = toyFile{data: string(data)}
	d.point(nil)
	if err := still(); err != nil {
		delete(d.files, temp)
		return err
	}
	old, was := d.files[name]
	delete(d.files, temp)
	d.files[name] = toyFile{data: string(data), mode: perm, uid: uid, gid: gid}
	d.point(func() { d.restore(name, old, was) })
	d.point(nil)
	return nil
}

func tempOf(name string) string { return path.Join(path.Dir(name), "."+path.Base(name)+".tmp") }

func (d *toyDisk) Sweep(name string) error {
	d.point(nil)
	delete(d.files, tempOf(name))
	d.point(nil)
	return nil
}

func (d *toyDisk) restore(name string, old toyFile, was bool) {
	if was {
		d.files[name] = old
	} else {
		delete(d.files, name)
	}
}

func (d *toyDisk) Remove(name string) error {
	return d.RemoveWhile(name, func() error { return nil })
}

func (d *toyDisk) RemoveWhile(name string, still func() error) error {
	d.point(nil)
	if err := still(); err != nil {
		return err
	}
	d.writes++
	old, was := d.files[name]
	delete(d.files, name)
	d.point(func() { d.restore(name, old, was) })
	d.point(nil)
	return nil
}

func (d *toyDisk) Append(name string, data []byte) error {
	d.point(nil)
	if d.full {
		return &fs.PathError{Op: "append", Path: name, Err: syscall.ENOSPC}
	}
	d.writes++
	f, ok := d.files[name]
	if !ok {
		return notThere(name)
	}
	whole := f
	whole.data += string(data)
	part := string(data[:d.cut%len(data)])
	if d.cut%7 == 0 { // blocks that were not written yet
		part = strings.Repeat("\x00", len(data)-1) + "\n"
	}
	f.data += part
	d.files[name] = f
	d.point(nil)
	d.files[name] = whole
	d.point(func() { d.files[name] = f })
	d.point(nil)
	return nil
}

func (d *toyDisk) Poke(name, value string) error {
	d.point(nil)
	old, ok := d.live[name]
	if !ok {
		return notThere(name)
	}
	d.writes++
	if name == poolPath {
		from, _ := strconv.Atoi(old)
		to, _ := strconv.Atoi(value)
		d.live[name] = strconv.Itoa((from + min(to, d.most)) / 2) // page by page
		d.point(nil)
		value = strconv.Itoa(min(to, d.most))
	}
	d.live[name] = value
	d.point(nil)
	return nil
}
