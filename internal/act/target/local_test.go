package target

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func put(t *testing.T, root, name, data string) {
	t.Helper()
	at := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, root, name, to string) {
	t.Helper()
	at := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// tree returns a target with a secret just outside its root.
func tree(t *testing.T) (*Local, string) {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "secret", "outside\n")
	root := filepath.Join(dir, "root")
	put(t, root, "proc/meminfo", "MemTotal: 1 kB\n")
	put(t, root, "srv/wal/x", "wal\n")
	return &Local{Root: root}, root
}

func TestReadFileOfTreeAndHost(t *testing.T) {
	l, root := tree(t)
	for _, c := range []struct {
		l    *Local
		name string
	}{{l, "/proc/meminfo"}, {l, "proc/meminfo"}, {&Local{}, filepath.Join(root, "proc/meminfo")}} {
		b, err := c.l.ReadFile(c.name, 100)
		if err != nil || string(b) != "MemTotal: 1 kB\n" {
			t.Errorf("%s: %q, %v", c.name, b, err)
		}
	}
}

func TestReadFileIsBounded(t *testing.T) {
	l, root := tree(t)
	put(t, root, "big", strings.Repeat("x", 200_000)) // more than one buffer
	for _, at := range []struct {
		l    *Local
		name string
	}{{l, "big"}, {&Local{}, filepath.Join(root, "big")}} {
		if b, err := at.l.ReadFile(at.name, 200_000); err != nil || len(b) != 200_000 {
			t.Errorf("at the limit: %d bytes, %v", len(b), err)
		}
		if _, err := at.l.ReadFile(at.name, 199_999); !errors.Is(err, ErrTooLarge) {
			t.Errorf("over the limit: %v", err)
		}
	}
	// /proc says size 0, so the limit must hold while reading as well
	if _, err := (&Local{}).ReadFile("/proc/self/mountinfo", 10); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a file of /proc over the limit: %v", err)
	}
}

func TestReadFileDoesNotWaitForAFIFO(t *testing.T) {
	l, root := tree(t)
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct {
		l    *Local
		name string
	}{{l, "fifo"}, {&Local{}, filepath.Join(root, "fifo")}} {
		if _, err := at.l.ReadFile(at.name, 10); !errors.Is(err, ErrNotRegular) {
			t.Errorf("a FIFO: %v", err)
		}
	}
}

func TestNothingLeadsOutOfTheTree(t *testing.T) {
	l, root := tree(t)
	link(t, root, "up", "../secret")
	link(t, root, "deep/up", "../../../../../secret")
	link(t, root, "abs", filepath.Join(filepath.Dir(root), "secret"))
	link(t, root, "updir", "..")
	link(t, root, "loop", "loop")
	for _, name := range []string{"../secret", "/../secret", "up", "deep/up", "abs", "updir/secret", "loop"} {
		if b, err := l.ReadFile(name, 100); err == nil {
			t.Errorf("%s gave %q", name, b)
		}
		if _, err := l.Stat(name); err == nil {
			t.Errorf("%s can be seen", name)
		}
		if name == "../secret" || name == "/../secret" || name == "updir/secret" {
			continue // ".." ends at the root, where a file may be made
		}
		if err := l.Write(name, []byte("changed"), 0o644); err == nil {
			t.Errorf("%s could be written", name)
		}
	}
	if b, err := os.ReadFile(filepath.Join(filepath.Dir(root), "secret")); err != nil || string(b) != "outside\n" {
		t.Errorf("the file outside is now %q, %v", b, err)
	}
}

func TestAbsoluteLinksStartAtTheRootOfTheTree(t *testing.T) {
	l, root := tree(t)
	link(t, root, "data/pg_wal", "/srv/wal")
	link(t, root, "data/rel", "../srv/wal/x")
	if p, err := l.Resolve("data/pg_wal/x"); err != nil || p != "/srv/wal/x" {
		t.Errorf("resolved to %q, %v", p, err)
	}
	if b, err := l.ReadFile("/data/pg_wal/x", 10); err != nil || string(b) != "wal\n" {
		t.Errorf("read %q, %v", b, err)
	}
	if p, err := l.Resolve("data/rel"); err != nil || p != "/srv/wal/x" {
		t.Errorf("resolved to %q, %v", p, err)
	}
	if to, err := l.Readlink("data/pg_wal"); err != nil || to != "/srv/wal" {
		t.Errorf("the link says %q, %v", to, err)
	}
	if names, err := l.ReadDir("data/pg_wal"); err != nil || !slices.Equal(names, []string{"x"}) {
		t.Errorf("the folder holds %q, %v", names, err)
	}
	if at := l.Reach("data/pg_wal/x"); at != filepath.Join(root, "srv/wal/x") {
		t.Errorf("reached at %q", at)
	}
}

func TestSubIsARootOfItsOwn(t *testing.T) {
	l, root := tree(t)
	put(t, root, "proc/7/root/var/data/PG_VERSION", "15\n")
	link(t, root, "proc/7/root/data", "/var/data")
	sub, err := l.Sub("proc/7/root")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := sub.ReadFile("/data/PG_VERSION", 10); err != nil || string(b) != "15\n" {
		t.Errorf("read %q, %v", b, err)
	}
	if _, err := sub.ReadFile("/proc/meminfo", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the host's file is seen from within: %v", err)
	}
	if _, err := l.Sub("proc/8/root"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestStatTellsTheDevice(t *testing.T) {
	l, root := tree(t)
	var st syscall.Stat_t
	if err := syscall.Stat(filepath.Join(root, "proc/meminfo"), &st); err != nil {
		t.Fatal(err)
	}
	in, err := l.Stat("proc/meminfo")
	if err != nil || in.Inode != st.Ino || in.Dev != uint64(st.Dev) || in.UID != int(st.Uid) ||
		in.Mode.Perm() != 0o644 {
		t.Errorf("%+v, %v; want %+v", in, err, st)
	}
	// numbers of linux/kdev_t.h's new encoding: 253:7, and a minor over 255
	if ma, mi := Major(0xfd07), Minor(0xfd07); ma != 253 || mi != 7 {
		t.Errorf("0xfd07 is %d:%d", ma, mi)
	}
	if ma, mi := Major(0x101803), Minor(0x101803); ma != 24 || mi != 259 {
		t.Errorf("0x101803 is %d:%d", ma, mi)
	}
}

func TestStatfs(t *testing.T) {
	l, root := tree(t)
	a, err := l.Statfs("srv")
	b, err2 := (&Local{}).Statfs(filepath.Join(root, "srv"))
	if err != nil || err2 != nil || a.Total != b.Total || a.Total <= 0 {
		t.Errorf("%+v, %v; %+v, %v", a, err, b, err2)
	}
	if _, err := l.Statfs("nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a place that is not there: %v", err)
	}
}

func TestPeerIsWhoListens(t *testing.T) {
	// A socket's name has room for some 100 bytes, and that of the test's own directory may be longer.
	root, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	l := &Local{Root: root}
	put(t, root, "run/x", "")
	at := filepath.Join(root, "run", ".s.PGSQL.1")
	ls, err := net.Listen("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	defer ls.Close()
	if pid, err := l.Peer("/run/.s.PGSQL.1"); err != nil || pid != os.Getpid() {
		t.Errorf("pid %d, %v; want our own, %d", pid, err, os.Getpid())
	}
	if _, err := l.Peer("/run/.s.PGSQL.2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no socket: %v", err)
	}
}
