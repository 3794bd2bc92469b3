package cell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/test/tier"
)

// Disk is a small filesystem that can be filled.
type Disk struct {
	At    string // where it is mounted, as seen from without
	Block int64  // what a file takes of it at least, in bytes
}

// Kinds are the filesystems that small disks are made of: on tmpfs a file that has no room fails at write(2), ext4 has
// journal and directories that need blocks too.
var Kinds = []string{"tmpfs", "ext4"}

// xfs are the kinds of XFS by how it is made. mkfs.xfs makes none below 300 MB; the image is sparse.
var xfs = map[string]string{"xfs with reflinks": "reflink=1", "xfs without reflinks": "reflink=0"}

// mounting returns the lines of the shell that mount a disk of some size at a directory, and the size of its blocks.
func mounting(kind string, size int64, image, at string) (string, int64) {
	if kind == "tmpfs" {
		return fmt.Sprintf("mount -t tmpfs -o size=%d,nr_inodes=10000,mode=755 small %s", size, at),
			int64(os.Getpagesize())
	}
	if made, ok := xfs[kind]; ok {
		return fmt.Sprintf("truncate -s %d %s && mkfs.xfs -q -m %s %s && mount -o loop %s %s", size, image, made, image,
			image, at), 4096
	}
	const block = 1024 // the smallest that ext4 has: the most points at which it can be full
	return fmt.Sprintf("truncate -s %d %s && mkfs.ext4 -q -m 0 -b %d %s && mount -o loop %s %s && rmdir %s/lost+found",
		size, image, block, image, image, at, at), block
}

// Disk mounts an empty disk over a directory within.
func (c *Cell) Disk(kind string, size int64, at string) *Disk {
	c.t.Helper()
	c.Sh(`mkdir -p "$0"`, at)
	lines, block := mounting(kind, size, c.Dir+"/layers/image"+strings.ReplaceAll(at, "/", "-"), at)
	c.Sh(lines)
	return &Disk{At: c.Path(at), Block: block}
}

// DiskOf mounts an empty disk in a directory of the test that every user may write to, for a server that does not run
// in a cell, and takes it away at the end.
func DiskOf(t *testing.T, of, kind string, size int64) *Disk {
	t.Helper()
	if os.Geteuid() != 0 {
		tier.Missing(t, of, "only root mounts a filesystem")
	}
	dir := Folder(t)
	at := dir + "/disk"
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	lines, block := mounting(kind, size, dir+"/image", at)
	if out, err := exec.Command("/bin/sh", "-euc", lines).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(at, 0); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	})
	if err := os.Chmod(at, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return &Disk{At: at, Block: block}
}

const ballast = "ballast"

// Fill takes all room but so many bytes.
func (d *Disk) Fill(t *testing.T, leave int64) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(d.At, ballast), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	chunk := make([]byte, 1<<20)
	for size := int64(len(chunk)); size >= d.Block; {
		n, err := f.Write(chunk[:size])
		if err == nil && n == int(size) {
			err = f.Sync() // ext4 finds out about the room only then
		}
		switch {
		case errors.Is(err, syscall.ENOSPC):
			size /= 2
		case err != nil:
			t.Fatal(err)
		}
	}
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	// What was written last may not have found room to the end.
	if err := errors.Join(f.Truncate(st.Size()/d.Block*d.Block-leave), f.Sync()); err != nil {
		t.Fatal(err)
	}
}

// Empty gives the room back.
func (d *Disk) Empty(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(d.At, ballast)); err != nil {
		t.Fatal(err)
	}
}
