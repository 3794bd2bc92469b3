package target

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAllocate: a file has its blocks and is closed to others; nothing that is there under its name is touched.
func TestAllocate(t *testing.T) {
	top := t.TempDir()
	l := &Local{Root: top}
	const size = 3<<20 + 4096
	if err := l.Allocate("/a", size); err != nil {
		t.Fatal(err)
	}
	in, err := os.Lstat(filepath.Join(top, "a"))
	if err != nil {
		t.Fatal(err)
	}
	st := in.Sys().(*syscall.Stat_t)
	if in.Size() != size || in.Mode() != 0o600 || st.Blocks*512 < size {
		t.Errorf("%d bytes in %d blocks, %s", in.Size(), st.Blocks, in.Mode())
	}
	if err := l.Allocate("/a", size); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	if err := os.Symlink("b", filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	if err := l.Allocate("/link", size); err == nil {
		t.Error("a link was followed")
	}
	if _, err := os.Lstat(filepath.Join(top, "b")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := l.Allocate("/none/a", size); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := l.Allocate("/c", 1<<62); err == nil { // more than there is
		t.Error("it has room for everything")
	}
	if _, err := os.Lstat(filepath.Join(top, "c")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what has no room is left: %v", err)
	}
}

// TestInstall: a name that is taken is kept.
func TestInstall(t *testing.T) {
	top := t.TempDir()
	l := &Local{Root: top}
	for _, n := range []string{"from", "taken"} {
		if err := os.WriteFile(filepath.Join(top, n), []byte(n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Install("/from", "/taken"); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if err := l.Install("/from", "/elsewhere/to"); err == nil {
		t.Error("it went to another directory")
	}
	if err := l.Install("/from", "/to"); err != nil {
		t.Error(err)
	}
	for n, want := range map[string]string{"to": "from", "taken": "taken"} {
		if b, err := os.ReadFile(filepath.Join(top, n)); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", n, b, err)
		}
	}
}
