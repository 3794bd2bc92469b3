package target

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/test/tier"
)

func TestWriteMakesANewFileWithItsMode(t *testing.T) {
	l, root := tree(t)
	old := syscall.Umask(0o077) // the mode must not depend on it
	err := l.Write("/srv/new.conf", []byte("a = 1\n"), 0o644)
	syscall.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(root, "srv/new.conf")
	fi, err := os.Stat(at)
	if err != nil || fi.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", fi, err)
	}
	if b, _ := os.ReadFile(at); string(b) != "a = 1\n" {
		t.Errorf("holds %q", b)
	}
}

func TestWriteReplacesTheFileAndNotItsContents(t *testing.T) {
	l, root := tree(t)
	at := filepath.Join(root, "srv/wal/x")
	if err := os.Chmod(at, 0o640); err != nil {
		t.Fatal(err)
	}
	before, err := os.Open(at) // a reader who has the file open keeps the old text
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if err := l.Write("srv/wal/x", []byte("new\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if _, err := before.Read(got); err != nil || string(got) != "wal\n" {
		t.Errorf("the open file reads %q, %v", got, err)
	}
	fi, err := os.Stat(at)
	if err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v; the old file's was 0640", fi.Mode(), err)
	}
	if b, _ := os.ReadFile(at); string(b) != "new\n" {
		t.Errorf("holds %q", b)
	}
	left, err := os.ReadDir(filepath.Dir(at))
	if err != nil || len(left) != 1 {
		t.Errorf("beside it lies %v, %v", left, err)
	}
}

func TestWriteKeepsOwnerOfAnothersFile(t *testing.T) {
	tier.Root(t, "give files away")
	l, root := tree(t)
	at := filepath.Join(root, "srv/wal/x")
	if err := os.Chown(at, 12345, 23456); err != nil {
		tier.Missing(t, tier.Rights, "this root may not give files away: %v", err)
	}
	if err := l.Write("srv/wal/x", []byte("new\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if in, err := l.Stat("srv/wal/x"); err != nil || in.UID != 12345 || in.GID != 23456 {
		t.Errorf("owner is %d:%d, %v", in.UID, in.GID, err)
	}
}

func TestWriteGoesThroughALinkAndLeavesIt(t *testing.T) {
	l, root := tree(t)
	link(t, root, "etc/x.conf", "/srv/wal/x")
	if err := l.Write("etc/x.conf", []byte("new\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if to, err := l.Readlink("etc/x.conf"); err != nil || to != "/srv/wal/x" {
		t.Errorf("the link says %q, %v", to, err)
	}
	if b, _ := l.ReadFile("srv/wal/x", 10); string(b) != "new\n" {
		t.Errorf("its file holds %q", b)
	}
}

func TestWriteFailsWithoutATrace(t *testing.T) {
	l, root := tree(t)
	link(t, root, "srv/dangling", "/nowhere/x")
	for name, want := range map[string]error{"nowhere/x": fs.ErrNotExist, "srv/wal": ErrNotRegular,
		"srv/dangling": ErrNotRegular} {
		if err := l.Write(name, []byte("x"), 0o600); !errors.Is(err, want) {
			t.Errorf("%s: %v; want %v", name, err, want)
		}
	}
	left, err := os.ReadDir(filepath.Join(root, "srv"))
	if err != nil || len(left) != 2 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}
