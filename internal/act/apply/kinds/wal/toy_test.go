package wal_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/wal"
	"github.com/pgfettle/pgfettle/internal/act/movewal"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// mortal is what points are counted by: at the one that is chosen, the process
// dies.
type mortal struct{ fuse, points int }

func (m *mortal) point() {
	m.points++
	if m.fuse == 0 {
		m.fuse = -1
		panic(death{})
	}
	if m.fuse > 0 {
		m.fuse--
	}
}

// walHost is this machine with a simulated server: files, links and directories are real ones below a temporary
// directory, and each step that changes something may be the last, also in the middle of a copy or of a removal.
type walHost struct {
	*target.Local
	*mortal
	t     *testing.T
	root  string
	dir   string // data directory
	uid   int    // -1: as it is
	owner int    // 0: as it is; whose all is that is ours

	replaced map[string]string      // files of the host, such as /etc/fstab
	stats    map[string]target.Info // what stat says of a path instead
	space    *target.Space
	barred   error // what a right that is missing says

	up        bool
	journal   string   // what the server has written: it needs all of it to start
	refuses   string   // a directory of WAL with which it does not start
	said      []string // what was reported
	busy      string
	mute      error  // why the server does not report it
	unreached string // a directory that its owner cannot get to
	readOnly  bool
	stops     int
	onStop    func() error
	onCopy    func()
	full      bool
	old       bool // the filesystem has no exchange
	real      bool // its data directory belongs to an account of this machine
}

func newWalHost(t *testing.T) *walHost {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// every step is fsynced, and there are tens of thousands: in memory, where there
	// is a filesystem of it, that takes seconds
	if dir, err := os.MkdirTemp("/dev/shm", "wal-test-"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		root = dir
	}
	h := &walHost{Local: &target.Local{}, mortal: &mortal{fuse: -1}, t: t, root: root, dir: root + "/data", uid: -1,
		replaced: map[string]string{"/etc/fstab": "# none\n",
			"/proc/self/mountinfo": "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"},
		stats: map[string]target.Info{}, up: true}
	for _, d := range []string{"data/pg_wal/archive_status", "data/pg_tblspc", "data/global", "wal"} {
		h.must(os.MkdirAll(root+"/"+d, 0o700))
	}
	for n := range 3 {
		h.must(os.WriteFile(fmt.Sprintf("%s/pg_wal/00000001000000000000000%d", h.dir, n),
			[]byte(strings.Repeat("x", 100)), 0o600))
	}
	h.must(os.WriteFile(h.dir+"/pg_wal/archive_status/000000010000000000000001.ready", nil, 0o600))
	h.must(os.WriteFile(h.dir+"/postgresql.conf", []byte("max_wal_size = 32MB\n"), 0o600))
	h.write("begin")
	h.control(pg.InProduction)
	return h
}

func (h *walHost) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// write is what a server does that works: it lets the WAL grow, under the name
// pg_wal, as it is led there now.
func (h *walHost) write(what string) {
	h.t.Helper()
	h.journal += what + "\n"
	h.must(os.WriteFile(h.dir+"/pg_wal/000000010000000000000003", []byte(h.journal), 0o600))
}

// control writes pg_control; its time changes each time.
func (h *walHost) control(s pg.ClusterState) {
	h.t.Helper()
	b := make([]byte, pg.ControlFileSize)
	binary.NativeEndian.PutUint32(b[16:], uint32(s))
	binary.NativeEndian.PutUint64(b[24:], uint64(len(h.journal)))
	binary.NativeEndian.PutUint32(b[288:], crc32.Checksum(b[:288], crc32.MakeTable(crc32.Castagnoli)))
	h.must(os.WriteFile(h.dir+"/global/pg_control", b, 0o600))
}

func (h *walHost) Runs(*snapshot.Instance) (bool, error) { return h.up, nil }
func (h *walHost) Checkpoint(context.Context, *snapshot.Instance) {
	h.point()
	h.write("checkpoint")
}
func (h *walHost) Busy(context.Context, *snapshot.Instance) (string, error) { return h.busy, h.mute }
func (h *walHost) Commands(context.Context, *snapshot.Instance) (string, string, error) {
	return "stop it", "start it", h.barred
}
func (h *walHost) Log(context.Context, *snapshot.Instance) string { return "/log" }
func (h *walHost) UseLog(*snapshot.Instance, string)              {}

func (h *walHost) Stop(context.Context, *snapshot.Instance) error {
	h.point()
	if h.onStop != nil {
		if err := h.onStop(); err != nil {
			return err
		}
	}
	h.stop()
	h.point()
	return nil
}

func (h *walHost) stop() {
	h.write("shutdown")
	h.control(pg.ShutDown)
	h.up = false
	h.stops++
}

func (h *walHost) Start(context.Context, *snapshot.Instance) error {
	h.point()
	if err := h.start(); err != nil {
		return err
	}
	h.point()
	return nil
}

// start starts the server for any caller. It reads its WAL, of which no byte may ever be missing.
func (h *walHost) start() error {
	h.t.Helper()
	if h.up {
		return nil
	}
	real, err := filepath.EvalSymlinks(h.dir + "/pg_wal")
	if err != nil {
		h.t.Fatalf("a server without pg_wal: %v", err)
	}
	if h.refuses != "" && real == h.refuses {
		return errors.New("FATAL: could not open the WAL")
	}
	b, err := os.ReadFile(h.dir + "/pg_wal/000000010000000000000003")
	if err != nil || string(b) != h.journal {
		h.t.Fatalf("WAL is lost: the server wrote\n%s\nand finds\n%s (%v)", h.journal, b, err)
	}
	for n := range 3 {
		if b, err := os.ReadFile(fmt.Sprintf("%s/pg_wal/00000001000000000000000%d", h.dir, n)); err != nil ||
			len(b) != 100 {
			h.t.Fatalf("WAL is lost: segment %d: %v", n, err)
		}
	}
	h.up = true
	h.control(pg.InProduction)
	h.write("start")
	return nil
}

// crash is a power failure: whatever ran is gone.
func (h *walHost) crash() { h.up = false }

func (h *walHost) folders(*target.User) target.Folders {
	return walHands{h.Local.Folders(nil), h}
}

func (h *walHost) UID() int {
	if h.uid >= 0 {
		return h.uid
	}
	return h.Local.UID()
}

// Reach says that this is a tree: its server is no process, which would have an
// account.
func (h *walHost) Reach(name string) string {
	if h.real {
		return h.Local.Reach(name)
	}
	return h.root + "/tree" + name
}

func (h *walHost) ReadFile(name string, limit int64) ([]byte, error) {
	if text, ok := h.replaced[name]; ok {
		return []byte(text), nil
	}
	return h.Local.ReadFile(name, limit)
}

func (h *walHost) Stat(name string) (target.Info, error) {
	if in, ok := h.stats[name]; ok {
		return in, nil
	}
	in, err := h.Local.Stat(name)
	if h.owner != 0 && in.UID == os.Geteuid() {
		in.UID, in.GID = h.owner, h.owner
	}
	return in, err
}

func (h *walHost) Statfs(name string) (target.Space, error) {
	if h.space != nil {
		return *h.space, nil
	}
	return h.Local.Statfs(name)
}

func (h *walHost) Writable(name string) error {
	if h.readOnly {
		return &fs.PathError{Op: "write", Path: name, Err: syscall.EROFS}
	}
	return nil
}

func (h *walHost) Now() time.Time { return time.Unix(1795257000, 0) }

// The journal's own operations are points as well.
func (h *walHost) Append(name string, data []byte) error {
	h.point()
	err := h.Local.Append(name, data)
	h.point()
	return err
}

func (h *walHost) Write(name string, data []byte, perm fs.FileMode) error {
	h.point()
	err := h.Local.Write(name, data, perm)
	h.point()
	return err
}

// walHands are real directories with points.
type walHands struct {
	target.Folders
	h *walHost
}

func (f walHands) step(do func() error) error {
	f.h.point()
	err := do()
	f.h.point()
	return err
}

func (f walHands) Make(name string, perm fs.FileMode) error {
	return f.step(func() error { return f.Folders.Make(name, perm) })
}
func (f walHands) Enter(name string) error {
	if name == f.h.unreached {
		return &fs.PathError{Op: "stat", Path: name, Err: fs.ErrPermission}
	}
	return f.Folders.Enter(name)
}
func (f walHands) Unmake(name string) error {
	return f.step(func() error { return f.Folders.Unmake(name) })
}
func (f walHands) Symlink(text, name string) error {
	return f.step(func() error { return f.Folders.Symlink(text, name) })
}
func (f walHands) Unlink(name string) error {
	return f.step(func() error { return f.Folders.Unlink(name) })
}
func (f walHands) Exchange(a, b string) error {
	if f.h.old {
		return target.ErrNoExchange
	}
	return f.step(func() error { return f.Folders.Exchange(a, b) })
}
func (f walHands) Rename(a, b string) error {
	return f.step(func() error { return f.Folders.Rename(a, b) })
}
func (f walHands) Save(name string, data []byte, perm fs.FileMode) error {
	f.h.point()
	f.h.must(os.WriteFile(target.TempOf(name), data[:len(data)/2], perm))
	return f.step(func() error { return f.Folders.Save(name, data, perm) })
}
func (f walHands) Drop(name string) error {
	return f.step(func() error { return f.Folders.Drop(name) })
}

// Empty removes one entry after another, in no order that anybody may rely on.
func (f walHands) Empty(name string) error {
	f.h.point()
	list, err := os.ReadDir(name)
	if err == nil {
		slices.Reverse(list)
		for _, e := range list {
			f.h.must(os.RemoveAll(filepath.Join(name, e.Name())))
			f.h.point()
		}
	}
	return f.Folders.Empty(name)
}

// Copy may be cut off before, with one file of half its length, and after.
func (f walHands) Copy(ctx context.Context, from, to string, told func(int64)) error {
	f.h.point()
	if f.h.fuse == 0 {
		f.h.must(os.WriteFile(to+"/000000010000000000000000", []byte("half"), 0o600))
	}
	f.h.point()
	if f.h.onCopy != nil {
		f.h.onCopy()
	}
	if f.h.full {
		f.h.must(os.WriteFile(to+"/000000010000000000000000", []byte("half"), 0o600))
		return fmt.Errorf("write: %w", errors.New("no space left on device"))
	}
	return f.step(func() error { return f.Folders.Copy(ctx, from, to, told) })
}

// instance is the snapshot of the server.
func (h *walHost) snapshot() *snapshot.Snapshot {
	return &snapshot.Snapshot{HostSeen: true, Instances: []snapshot.Instance{
		{Key: "1", DataDirectory: known.Is(h.dir)}}}
}

func (h *walHost) wal() *wal.Kind {
	return &wal.Kind{Mover: &movewal.Mover{Target: h, Server: h, Folders: h.folders, Tell: func(s string) {
		h.said = append(h.said, s)
	}}}
}

// picture is every name below the temporary directory except for the journal, with what is in it and where links lead.
func (h *walHost) picture() string {
	h.t.Helper()
	var b strings.Builder
	h.must(filepath.WalkDir(h.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p == h.root+"/j" {
			return fs.SkipDir
		}
		in, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s", strings.TrimPrefix(p, h.root), in.Mode())
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			b.WriteString(" → " + to)
		case in.Mode().IsRegular() && !strings.HasSuffix(p, "pg_control") && !strings.HasSuffix(p, "0003"):
			text, _ := os.ReadFile(p)
			b.WriteString(" " + string(text))
		}
		b.WriteString("\n")
		return nil
	}))
	return b.String()
}

// death is what a process that is killed panics with.
type death struct{}

// dies lets f run until it dies; false: it came to its end.
func dies(f func()) (died bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(death); !ok {
				panic(p)
			}
			died = true
		}
	}()
	f()
	return false
}
