package kernel

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// TestReflinksOfXFS: what XFS reports of itself, to root and to an account, is what the kernel does when a file is
// cloned. Other filesystems are not asked.
func TestReflinksOfXFS(t *testing.T) {
	if _, err := exec.LookPath("mkfs.xfs"); err != nil {
		tier.Missing(t, tier.Kernel, "mkfs.xfs is not installed")
	}
	account := target.User{UID: trust.Nobody, GID: trust.Nobody}
	for _, kind := range []string{"xfs with reflinks", "xfs without reflinks", "ext4"} {
		t.Run(kind, func(t *testing.T) {
			d := cell.DiskOf(t, tier.Kernel, kind, 320<<20)
			cloned := clones(t, d.At)
			for name, view := range map[string]target.Target{"root": &target.Local{},
				"a tree": &target.Local{Root: d.At}, "an account": (&target.Local{}).As(account)} {
				at := d.At
				if name == "a tree" {
					at = "/"
				}
				s, err := view.Statfs(at)
				if err != nil {
					t.Fatal(err)
				}
				if (s.Reflinks != nil) != (kind != "ext4") || s.Reflinks != nil && *s.Reflinks != cloned {
					t.Errorf("%s: %+v, and a file is cloned: %v", name, s, cloned)
				}
			}
		})
	}
}

// clones reports whether the kernel clones a file of a directory.
func clones(t *testing.T, dir string) bool {
	t.Helper()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := os.WriteFile(from, make([]byte, 64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	return unix.IoctlFileClone(int(b.Fd()), int(a.Fd())) == nil
}
