package target

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/test/tier"
)

func TestPutSetsModeWhateverTheOldOneWas(t *testing.T) {
	l, root := tree(t)
	at := filepath.Join(root, "srv/wal/x")
	if err := l.Put("/srv/wal/x", []byte("new\n"), 0o640, os.Getuid(), os.Getgid()); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(at)
	if err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", fi, err)
	}
	if b, _ := os.ReadFile(at); string(b) != "new\n" {
		t.Errorf("holds %q", b)
	}
	if err := l.Put("/srv/wal", nil, 0o600, os.Getuid(), os.Getgid()); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder was replaced: %v", err)
	}
}

func TestPutGivesTheFileAway(t *testing.T) {
	tier.Root(t, "give files away")
	l, root := tree(t)
	if err := os.Chown(filepath.Join(root, "srv/wal/x"), 1, 1); err != nil {
		tier.Missing(t, tier.Rights, "this root may not give files away: %v", err)
	}
	for _, name := range []string{"srv/wal/x", "srv/wal/new"} {
		if err := l.Put(name, []byte("new\n"), 0o600, 12345, 23456); err != nil {
			t.Fatal(err)
		}
		if in, err := l.Stat(name); err != nil || in.UID != 12345 || in.GID != 23456 {
			t.Errorf("owner of %s is %d:%d, %v", name, in.UID, in.GID, err)
		}
	}
}

// TestPutWhile: who is asked last sees the old file, and may leave it so; nothing is left next to it then.
func TestPutWhile(t *testing.T) {
	l, root := tree(t)
	at := filepath.Join(root, "srv/wal/x")
	no := errors.New("somebody was faster")
	for _, c := range []struct {
		answer error
		holds  string
	}{{no, "wal\n"}, {nil, "new\n"}} {
		seen := ""
		err := l.PutWhile("/srv/wal/x", []byte("new\n"), 0o600, os.Getuid(), os.Getgid(), func() error {
			b, _ := os.ReadFile(at)
			seen = string(b)
			return c.answer
		})
		if b, _ := os.ReadFile(at); !errors.Is(err, c.answer) || seen != "wal\n" || string(b) != c.holds {
			t.Errorf("%v: it was %q when it was asked, and is %q", err, seen, b)
		}
		if names, err := l.ReadDir("/srv/wal"); err != nil || len(names) != 1 {
			t.Errorf("beside it: %q, %v", names, err)
		}
	}
}

func TestRemove(t *testing.T) {
	l, root := tree(t)
	if err := l.Remove("/srv/wal/x"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(root, "srv/wal/x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	for _, name := range []string{"/srv/wal/x", "/nowhere/x"} {
		if err := l.Remove(name); err != nil {
			t.Errorf("what is not there: %v", err)
		}
	}
	if err := l.Remove("/srv/wal"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
}

// TestRemoveLeavesLinks: neither a link nor what it leads to is removed, also where it leads nowhere; links among the
// directories above are followed.
func TestRemoveLeavesLinks(t *testing.T) {
	l, root := tree(t)
	link(t, root, "link", "srv/wal/x")
	link(t, root, "dangling", "srv/nowhere")
	link(t, root, "folder", "srv/wal")
	for _, name := range []string{"/link", "/dangling", "/folder"} {
		if err := l.Remove(name); !errors.Is(err, syscall.ELOOP) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Lstat(filepath.Join(root, name)); err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "srv/wal/x")); err != nil {
		t.Errorf("the file behind the link is gone: %v", err)
	}
	if err := l.Remove("/folder/x"); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(root, "srv/wal/x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestSweep: what a writer that was killed has left goes, and nothing else does.
func TestSweep(t *testing.T) {
	l, root := tree(t)
	folder := filepath.Join(root, "srv/wal")
	d, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for range 2 {
		f, _, err := temporary(d, "x") // and no more comes of it
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	kept := []string{"x", ".y.abc.pgfettle-tmp", ".x.A.pgfettle-tmp", ".x..pgfettle-tmp", ".x.abc.pgfettle-tmp~",
		"x.abc.pgfettle-tmp"}
	for _, n := range kept[1:] {
		if err := os.WriteFile(filepath.Join(folder, n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link(t, root, "srv/wal/.x.link.pgfettle-tmp", "/srv/wal/x")
	if err := errors.Join(l.Sweep("/srv/wal/x"), l.Sweep("/srv/wal/x"), l.Sweep("/nowhere/x")); err != nil {
		t.Fatal(err)
	}
	left, err := l.ReadDir("/srv/wal")
	if err != nil {
		t.Fatal(err)
	}
	kept = append(kept, ".x.link.pgfettle-tmp")
	slices.Sort(left)
	slices.Sort(kept)
	if !slices.Equal(left, kept) {
		t.Errorf("left are %q, and should be %q", left, kept)
	}
}

func TestMkdirMakesTheFoldersAbove(t *testing.T) {
	l, root := tree(t)
	old := syscall.Umask(0o077)
	err := errors.Join(l.Mkdir("/var/lib/p/journal", 0o700), l.Mkdir("/var/lib/p/journal", 0o755))
	syscall.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"var": 0o755, "var/lib/p": 0o755, "var/lib/p/journal": 0o700} {
		if fi, err := os.Stat(filepath.Join(root, name)); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, fi, err, want)
		}
	}
	if err := l.Mkdir("/srv/wal/x/y", 0o755); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("under a file: %v", err)
	}
}

func TestPokeWritesInPlace(t *testing.T) {
	l, root := tree(t)
	at := filepath.Join(root, "proc/meminfo")
	before, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(at, 0); err != nil {
		t.Fatal(err)
	}
	if err := l.Poke("/proc/meminfo", "60"); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(at)
	if b, _ := os.ReadFile(at); err != nil || string(b) != "60\n" || !os.SameFile(before, after) {
		t.Errorf("holds %q, %v", b, err)
	}
	if err := l.Poke("/proc/nothing", "1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a value that is not there: %v", err)
	}
}

func TestAppend(t *testing.T) {
	l, root := tree(t)
	if err := errors.Join(l.Append("/srv/wal/x", []byte("one\n")),
		l.Append("/srv/wal/x", []byte("two\n"))); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(root, "srv/wal/x")); string(b) != "wal\none\ntwo\n" {
		t.Errorf("holds %q", b)
	}
	if err := l.Append("/srv/wal/new", []byte("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A limit on the size of files stands for a full disk: the write comes short.
func TestAppendThatComesShortAddsNothing(t *testing.T) {
	l, root := tree(t)
	out, err := play(t, "short", Command{Env: []string{"PGFETTLE_TEST_SHORT=" + root}})
	if err != nil || string(out.Stdout) != "refused" {
		t.Fatalf("%q %q, %v", out.Stdout, out.Stderr, err)
	}
	if b, err := l.ReadFile("srv/wal/x", 100); err != nil || string(b) != "wal\n" {
		t.Errorf("holds %q, %v", b, err)
	}
}

// short is what the process under the limit does.
func short(root string) string {
	limit := syscall.Rlimit{Cur: 10, Max: 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err.Error()
	}
	if err := (&Local{Root: root}).Append("srv/wal/x", []byte(strings.Repeat("x", 20))); err == nil {
		return "appended"
	}
	return "refused"
}

func TestLockExcludes(t *testing.T) {
	l, root := tree(t)
	unlock, err := l.Lock("/srv/lock", "process 1 (pgfettle apply)")
	if err != nil {
		t.Fatal(err)
	}
	var held *Held
	if _, err := l.Lock("/srv/lock", "process 2"); !errors.As(err, &held) || held.By != "process 1 (pgfettle apply)" {
		t.Errorf("%v", err)
	}
	if fi, err := os.Stat(filepath.Join(root, "srv/lock")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := l.Lock("/srv/lock", "process 2")
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}

func TestWritable(t *testing.T) {
	l, _ := tree(t)
	for _, name := range []string{"/srv/new", "/srv/wal/x", "/etc/systemd/system/x.d/y.conf"} {
		if err := l.Writable(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (&Local{}).Writable("/proc/self/x"); err == nil {
		t.Error("a file could be made in /proc")
	}
	if os.Geteuid() == 0 {
		return // no directory is closed to root
	}
	l, root := tree(t)
	if err := os.Chmod(filepath.Join(root, "srv"), 0o500); err != nil {
		t.Fatal(err)
	}
	if err := l.Writable("/srv/new"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a closed folder: %v", err)
	}
}

func TestNothingIsWrittenOutsideOfTheTree(t *testing.T) {
	l, root := tree(t)
	link(t, root, "up", "../secret")
	link(t, root, "out", filepath.Dir(root))
	for _, name := range []string{"up", "out/secret"} {
		for what, err := range map[string]error{
			"put": l.Put(name, []byte("x"), 0o600, os.Getuid(), os.Getgid()), "append": l.Append(name, []byte("x")),
			"poke": l.Poke(name, "x"),
		} {
			if err == nil {
				t.Errorf("%s: %s went through", what, name)
			}
		}
		_ = l.Remove(name) // what is not found is no error
	}
	if b, err := os.ReadFile(filepath.Join(filepath.Dir(root), "secret")); err != nil || string(b) != "outside\n" {
		t.Errorf("the file outside is now %q, %v", b, err)
	}
}
