package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// owned is a file of some owner, group and mode.
type owned struct {
	fs.FileInfo
	uid, gid uint32
	mode     fs.FileMode
}

func (o owned) Mode() fs.FileMode { return o.mode }
func (o owned) Sys() any          { return &syscall.Stat_t{Uid: o.uid, Gid: o.gid} }

func TestWhoMayWriteAPolicy(t *testing.T) {
	for _, c := range []struct {
		about string
		file  owned
		named bool
		ok    bool
	}{
		{"root's own", owned{mode: 0o644}, false, true},
		{"of root's group", owned{mode: 0o664}, false, true},
		{"of another group", owned{gid: 100, mode: 0o664}, false, false},
		{"that another group reads", owned{gid: 100, mode: 0o640}, false, true},
		{"for everybody", owned{mode: 0o646}, false, false},
		{"for everybody, named", owned{mode: 0o666}, true, false},
		{"of a user", owned{uid: 1000, mode: 0o644}, false, false},
		{"of a user, named", owned{uid: 1000, gid: 1000, mode: 0o644}, true, true},
		{"of a user's group, named", owned{uid: 1000, gid: 1000, mode: 0o664}, true, false},
	} {
		if why := writable(c.file, c.named); (why == "") != c.ok {
			t.Errorf("a file %s: %q", c.about, why)
		}
	}
}

// asRoot is this host as root sees it.
type asRoot struct{ target.Target }

func (asRoot) UID() int { return 0 }

func TestPolicyThatAnybodyWrites(t *testing.T) {
	name := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(name, []byte("profile = \"dw\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &Host{Target: asRoot{&target.Local{}}}
	if p, err := h.ReadPolicy(name, true); err != nil || p.Profile != "dw" {
		t.Errorf("%+v %v", p, err)
	}
	if err := os.Chmod(name, 0o602); err != nil {
		t.Fatal(err)
	}
	if _, err := h.ReadPolicy(name, true); err == nil {
		t.Error("root follows a file that everybody may write")
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.ReadPolicy(fifo, true); err == nil {
		t.Error("a FIFO was read")
	}
}
