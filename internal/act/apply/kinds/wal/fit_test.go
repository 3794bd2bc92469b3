package wal_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/walmove"
	"github.com/pgfettle/pgfettle/test/tier"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// postgres is the owner of the data directory.
const postgres = 26

// fitCase is a host that a move is asked for on.
type fitCase struct {
	name  string
	to    string // R is the directory of all; "": R/wal/new
	other bool   // R/wal is another filesystem, which is where most cases begin
	set   func(h *walHost, in *snapshot.Instance)
}

// mountinfo is that of a host with a second disk at R/wal, of a type.
func (h *walHost) mountinfo(kind, source, options string) {
	h.replaced["/proc/self/mountinfo"] = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n" +
		"30 22 8:17 / " + h.root + "/wal rw,relatime - " + kind + " " + source + " " + options + "\n"
	in, err := h.Local.Stat(h.root + "/wal")
	h.must(err)
	in.Dev, in.UID, in.GID, in.Mode = 8<<8|17, 0, 0, fs.ModeDir|0o755
	h.stats[h.root+"/wal"] = in
	h.replaced["/etc/fstab"] = "UUID=1 / ext4 defaults 0 1\nUUID=2 " + h.root + "/wal ext4 defaults 0 2\n"
}

// folder is a folder on the second disk, as the server's owner would have it.
func (h *walHost) folder(name string, change func(*target.Info)) {
	h.must(os.Mkdir(h.root+name, 0o700))
	in, err := h.Local.Stat(h.root + name)
	h.must(err)
	in.Dev, in.UID, in.GID = 8<<8|17, postgres, postgres
	if change != nil {
		change(&in)
	}
	h.stats[h.root+name] = in
}

var fitCases = []fitCase{
	{name: "it fits", other: true},
	{name: "it fits a folder that is there", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.folder("/wal/new", nil)
	}},
	{name: "it is there already", to: "R/data/pg_wal"},
	{name: "the server is stopped", other: true, set: func(h *walHost, _ *snapshot.Instance) { h.stop() }},
	{name: "pg_wal is a link already", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.must(os.Rename(h.dir+"/pg_wal", h.root+"/before"))
		h.must(os.Symlink("../before", h.dir+"/pg_wal"))
	}},
	{name: "a relative path", to: "wal/new"},
	{name: "a path of two lines", to: "/wal\n/new"},
	{name: "the mount point itself", other: true, to: "R/wal"},
	{name: "a folder of the same disk that is mounted a second time", to: "R/wal",
		set: func(h *walHost, _ *snapshot.Instance) {
			h.mountinfo("ext4", "/dev/sda1", "rw")
			delete(h.stats, h.root+"/wal")
		}},
	{name: "the filesystem is not mounted", set: func(h *walHost, _ *snapshot.Instance) {
		h.replaced["/etc/fstab"] = "UUID=2 " + h.root + "/wal ext4 defaults 0 2\n"
	}},
	{name: "the folder above is not there", to: "R/none/new"},
	{name: "a link that leads nowhere", to: "R/wal/new", set: func(h *walHost, _ *snapshot.Instance) {
		h.must(os.Symlink("/none", h.root+"/wal/new"))
	}},
	{name: "a file", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.must(os.WriteFile(h.root+"/wal/new", nil, 0o600))
		h.stats[h.root+"/wal/new"] = target.Info{Dev: 8<<8 | 17, UID: postgres, Mode: 0o600}
	}},
	{name: "not empty", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.folder("/wal/new", nil)
		h.must(os.WriteFile(h.root+"/wal/new/x", nil, 0o600))
	}},
	{name: "the WAL of another server", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.folder("/wal/new", nil)
		h.must(os.WriteFile(h.root+"/wal/new/000000010000000000000001", nil, 0o600))
		h.must(os.Mkdir(h.root+"/wal/new/archive_status", 0o700))
	}},
	{name: "lost+found", other: true, to: "R/wal/lost+found", set: func(h *walHost, _ *snapshot.Instance) {
		h.folder("/wal/lost+found", nil)
	}},
	{name: "in the data directory", to: "R/data/wal"},
	{name: "in the WAL", to: "R/data/pg_wal/new"},
	{name: "in the WAL, which is elsewhere", to: "R/before/new", set: func(h *walHost, _ *snapshot.Instance) {
		h.must(os.Rename(h.dir+"/pg_wal", h.root+"/before"))
		h.must(os.Symlink(h.root+"/before", h.dir+"/pg_wal"))
	}},
	{name: "above the data directory", to: "R"},
	{name: "in a tablespace", other: true, to: "R/wal/space/new", set: func(h *walHost, _ *snapshot.Instance) {
		h.folder("/wal/space", nil)
		h.must(os.Symlink(h.root+"/wal/space", h.dir+"/pg_tblspc/16385"))
	}},
	{name: "the same filesystem"},
	{name: "another subvolume of a btrfs", set: func(h *walHost, _ *snapshot.Instance) {
		h.mountinfo("btrfs", "/dev/sda1", "rw")
		h.replaced["/proc/self/mountinfo"] = strings.Replace(h.replaced["/proc/self/mountinfo"], "ext4 /dev/sda1",
			"btrfs /dev/sda1", 1)
	}},
	{name: "tmpfs", set: func(h *walHost, _ *snapshot.Instance) { h.mountinfo("tmpfs", "tmpfs", "rw") }},
	{name: "ramfs", set: func(h *walHost, _ *snapshot.Instance) { h.mountinfo("ramfs", "ramfs", "rw") }},
	{name: "a disk in memory", set: func(h *walHost, _ *snapshot.Instance) { h.mountinfo("ext4", "/dev/ram0", "rw") }},
	{name: "without barriers", set: func(h *walHost, _ *snapshot.Instance) {
		h.mountinfo("ext4", "/dev/sdb1", "rw,nobarrier")
	}},
	{name: "a network filesystem", set: func(h *walHost, _ *snapshot.Instance) {
		h.mountinfo("nfs4", "filer:/wal", "rw,hard")
	}},
	{name: "a filesystem of a program", set: func(h *walHost, _ *snapshot.Instance) {
		h.mountinfo("fuse.sshfs", "x", "rw")
	}},
	{name: "the layer of a container", set: func(h *walHost, _ *snapshot.Instance) {
		h.mountinfo("overlay", "overlay", "rw")
	}},
	{name: "not in fstab", other: true, set: func(h *walHost, _ *snapshot.Instance) { h.replaced["/etc/fstab"] = "" }},
	{name: "of another user", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.folder("/wal/new", func(in *target.Info) { in.UID = 33 })
	}},
	{name: "open to others", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.folder("/wal/new", func(in *target.Info) { in.Mode = fs.ModeDir | 0o755 })
	}},
	{name: "closed to the server", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.folder("/wal/new", func(in *target.Info) { in.Mode = fs.ModeDir | 0o500 })
	}},
	{name: "below a folder of another user", other: true, to: "R/wal/his/new",
		set: func(h *walHost, _ *snapshot.Instance) {
			h.folder("/wal/his", func(in *target.Info) { in.UID = 4711 })
		}},
	{name: "below a folder that everybody writes to", other: true, to: "R/wal/all/new",
		set: func(h *walHost, _ *snapshot.Instance) {
			h.folder("/wal/all", func(in *target.Info) { in.UID, in.GID, in.Mode = 0, 0, fs.ModeDir|0o777 })
		}},
	{name: "below a folder of a group", other: true, to: "R/wal/group/new",
		set: func(h *walHost, _ *snapshot.Instance) {
			h.folder("/wal/group", func(in *target.Info) { in.UID, in.GID, in.Mode = 0, 4711, fs.ModeDir|0o775 })
		}},
	{name: "below a folder like /tmp", other: true, to: "R/wal/all/new", set: func(h *walHost, _ *snapshot.Instance) {
		h.folder("/wal/all", func(in *target.Info) { in.UID, in.GID, in.Mode = 0, 0, fs.ModeDir|fs.ModeSticky|0o777 })
	}},
	{name: "out of the server's reach", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.unreached = h.root + "/wal"
	}},
	{name: "too small", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.space = &target.Space{Total: 1 << 30, Free: 30 << 20, Files: 1000, FFree: 1000}
	}},
	{name: "too small for max_wal_size as the server has it", other: true,
		set: func(h *walHost, in *snapshot.Instance) {
			in.Server.Settings = known.Is(pg.Settings{"max_wal_size": pg.Setting{Value: "1024", Unit: "MB"}})
			h.space = &target.Space{Total: 1 << 30, Free: 1 << 30}
		}},
	{name: "no inodes", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.space = &target.Space{Total: 1 << 30, Free: 1 << 30, Files: 1000, FFree: 9}
	}},
	{name: "not shut down cleanly", other: true, set: func(h *walHost, _ *snapshot.Instance) { h.crash() }},
	{name: "a base backup", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.busy = "process 42 sends a base backup"
	}},
	{name: "an exclusive backup", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.must(os.WriteFile(h.dir+"/backup_label", nil, 0o600))
	}},
	{name: "a base backup that was not started", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.stop()
		h.must(os.WriteFile(h.dir+"/backup_label", nil, 0o600))
	}},
	{name: "a base backup cannot be asked for", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.mute = errors.New("password authentication failed")
	}},
	{name: "a standby", other: true, set: func(_ *walHost, in *snapshot.Instance) {
		in.Server.Recovery = known.Is(true)
	}},
	{name: "a standby that is stopped", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.stop()
		h.must(os.WriteFile(h.dir+"/standby.signal", nil, 0o600))
	}},
	{name: "with replicas", other: true, set: func(_ *walHost, in *snapshot.Instance) {
		in.Server.Replicas = known.Is([]pg.Replica{{}, {}})
	}},
	{name: "with SELinux", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.replaced["/sys/fs/selinux/enforce"] = "1"
	}},
	{name: "a link in pg_wal", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.must(os.RemoveAll(h.dir + "/pg_wal/archive_status"))
		h.must(os.Symlink("/elsewhere", h.dir+"/pg_wal/archive_status"))
	}},
	{name: "pg_wal leads nowhere", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.must(os.RemoveAll(h.dir + "/pg_wal"))
		h.must(os.Symlink("/none", h.dir+"/pg_wal"))
	}},
	{name: "left over from an earlier move", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.must(os.Mkdir(h.dir+"/pg_wal.pgfettle-moving", 0o700))
	}},
	{name: "a move is under way", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.must(os.WriteFile(h.dir+"/pgfettle-move-wal.json",
			[]byte(`{"schema":"pgfettle.move-wal/1","from":{"path":"`+h.dir+
				`/pg_wal"},"to":{"path":"/x","link":"/x"},"running":true,"phase":"copy"}`), 0o600))
	}},
	{name: "a note of something else", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.must(os.WriteFile(h.dir+"/pgfettle-move-wal.json",
			[]byte(
				`{"schema":"pgfettle.move-wal/1","from":{"path":"/etc"},"to":{"path":"/x","link":"/x"},`+
					`"phase":"copy"}`), 0o600))
	}},
	{name: "Patroni", other: true, set: func(_ *walHost, in *snapshot.Instance) { in.Manager = known.Is("patroni") }},
	{name: "CloudNativePG", other: true, set: func(_ *walHost, in *snapshot.Instance) {
		in.Manager = known.Is("cloudnative-pg")
	}},
	{name: "another manager", other: true, set: func(_ *walHost, in *snapshot.Instance) {
		in.Manager = known.Is("stolon")
	}},
	{name: "Ansible", other: true, set: func(_ *walHost, in *snapshot.Instance) { in.Manager = known.Is("ansible") }},
	{name: "in a container", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.replaced[h.dir+"/postmaster.pid"] = "1\n" + h.dir + "\n"
	}},
	{name: "in a container that is seen into", other: true, set: func(h *walHost, in *snapshot.Instance) {
		h.replaced[h.dir+"/postmaster.pid"] = "42\n"
		in.Processes = known.Is([]host.Process{{PID: 4711}})
		h.stats["/proc/4711/root"] = target.Info{Dev: 99, Inode: 2}
	}},
	{name: "as another user", other: true, set: func(h *walHost, _ *snapshot.Instance) { h.uid = 4711 }},
	{name: "nobody knows how to stop it", other: true, set: func(h *walHost, _ *snapshot.Instance) {
		h.barred = &say.Problem{Message: say.M("the server is run by runsv"), Code: say.CodeRefused}
	}},
	{name: "read-only", other: true, set: func(h *walHost, _ *snapshot.Instance) { h.readOnly = true }},
	{name: "the data directory is not known", other: true, set: func(_ *walHost, in *snapshot.Instance) {
		in.DataDirectory = known.Barred[string](known.Gap{Fact: "x", Reason: "the role may not see it"})
	}},
}

// TestFitOfMoveWAL asks for a move on hosts of all kinds; testdata/movewal.golden has the answer for each, and asking
// changes nothing.
func TestFitOfMoveWAL(t *testing.T) {
	var b strings.Builder
	for _, c := range fitCases {
		h := newWalHost(t)
		h.owner, h.uid = postgres, postgres
		in := &h.snapshot().Instances[0]
		h.space = &target.Space{Total: 1 << 40, Free: 1 << 39}
		if c.other {
			h.mountinfo("ext4", "/dev/sdb1", "rw")
		}
		if c.set != nil {
			c.set(h, in)
		}
		if c.to == "" {
			c.to = "R/wal/new"
		}
		before := h.picture()
		f, err := h.wal().Fit(context.Background(), in, strings.Replace(c.to, "R", h.root, 1), walmove.Options{})
		if got := h.picture(); got != before {
			t.Errorf("%s: changed to\n%s", c.name, got)
		}
		fmt.Fprintf(&b, "== %s\n", c.name)
		b.WriteString(strings.ReplaceAll(fitText(f, err), h.root, "R"))
	}
	const golden = "testdata/movewal.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

func fitText(f *walmove.Plan, err error) string {
	var no *say.Problem
	switch {
	case errors.As(err, &no):
		text := "refused " + strconv.Itoa(no.Code) + ": " + no.Message.String() + "\n"
		for _, s := range []string{no.Detail.String(), no.Hint.String()} {
			if s != "" {
				text += "  " + s + "\n"
			}
		}
		return text
	case err != nil:
		return "error: " + err.Error() + "\n"
	case f.Here:
		return "here\n"
	}
	text := fmt.Sprintf("fits: %s to %s, running %v, %d files, needs %s of %s\n", f.From, f.To, f.Running, f.Size.Files,
		f.Need, f.Free)
	for _, n := range f.Notes {
		text += "  note: " + n + "\n"
	}
	return text
}

// TestDowntime: the bounds follow from the bytes, each read and written once.
func TestDowntime(t *testing.T) {
	f := &walmove.Plan{Size: unit.Extent{Bytes: int64(10 * unit.GB)}}
	if least, most := f.Downtime(); least != 40 || most != 205 {
		t.Errorf("%d to %d s", least, most)
	}
}

// TestFoldersOfTheOwner: what is done in a data directory as root is done as its owner, and nothing if that is root or
// others can replace it.
func TestFoldersOfTheOwner(t *testing.T) {
	tier.Root(t, "files of two users")
	h := newWalHost(t)
	h.real = true
	var as *target.User
	w := h.wal()
	w.Folders = func(u *target.User) target.Folders { as = u; return h.folders(u) }
	look := func() error {
		_, err := w.Look(context.Background(), apply.Knob{Address: journal.WalLocation,
			Instance: &h.snapshot().Instances[0]})
		return err
	}
	refused := func(what string) {
		t.Helper()
		var no *say.Problem
		if err := look(); !errors.As(err, &no) || no.Code != say.CodeRefused || as != nil {
			t.Errorf("%s: %v, as %+v", what, err, as)
		}
	}
	refused("root's")
	own := func(uid, gid int) {
		h.must(filepath.WalkDir(h.root, func(name string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(name, uid, gid))
		}))
	}
	own(4711, 815)
	if err := look(); err != nil || as == nil || as.UID != 4711 || as.GID != 815 {
		t.Errorf("as %+v, %v", as, err)
	}
	as = nil
	h.must(os.Chmod(h.dir, 0o770))
	refused("a folder that a group may write")
	h.must(os.Chmod(h.dir, 0o700))
	h.must(os.Lchown(h.root, 4712, 815))
	refused("below a folder of another user")
}
