package probe

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// sized is this host with filesystems of a given size.
type sized struct {
	*target.Local
	total, free unit.Bytes
}

func (s sized) Statfs(string) (target.Space, error) {
	return target.Space{Total: int64(s.total), Free: int64(s.free)}, nil
}

// hostWith is a snapshot of an instance whose files are in a directory of the test.
func hostWith(t *testing.T) (*snapshot.Snapshot, string) {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(data+"/pg_wal", 0o700); err != nil {
		t.Fatal(err)
	}
	uid := os.Geteuid()
	if uid == 0 { // as which no server runs
		uid = 65534
		for _, d := range []string{dir, data, data + "/pg_wal"} {
			if err := os.Chown(d, uid, uid); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	places := []snapshot.Place{{Role: snapshot.DataPlace, Path: data, Device: "8:1", UID: uid},
		{Role: snapshot.WALPlace, Path: data + "/pg_wal", Device: "8:1", UID: uid}}
	return &snapshot.Snapshot{HostSeen: true, Host: host.Host{Memory: known.Is(host.Memory{Available: 8 * unit.GB})},
		Instances: []snapshot.Instance{{Key: "1", DataDirectory: known.Is(data), Running: known.Is(true),
			Places: known.Is(places)}}}, dir
}

// TestSpaceStaysFree: a tenth of a filesystem and 2 GB are not touched, and what
// cannot be read for want of space is said.
func TestSpaceStaysFree(t *testing.T) {
	for _, c := range []struct {
		total, free, reads unit.Bytes
		disks              int
	}{
		{1000 * unit.GB, 500 * unit.GB, unit.GB, 1},
		// what a WAL segment and the file of flushes leave
		{1000 * unit.GB, 100*unit.GB + 600*unit.MB, 520 * unit.MB, 1},
		{1000 * unit.GB, 100*unit.GB + 100*unit.MB, 0, 1},
		{1000 * unit.GB, 100 * unit.GB, 0, 0},
		{10 * unit.GB, 2*unit.GB + 10*unit.MB, 0, 0},
		{10 * unit.GB, 2*unit.GB + 20*unit.MB, 0, 1},
	} {
		s, dir := hostWith(t)
		w := Prepare(sized{&target.Local{}, c.total, c.free}, s, Options{Seconds: 1})
		if len(w.Disks) != c.disks {
			t.Fatalf("%s of %s free: %d disks: %+v", c.free, c.total, len(w.Disks), w.Missing)
		}
		if c.disks == 0 {
			if len(w.Missing) == 0 {
				t.Errorf("%s free: nothing is said", c.free)
			}
			continue
		}
		d := w.Disks[0]
		if d.ReadSize != c.reads {
			t.Errorf("%s of %s free: %s to read, want %s", c.free, c.total, d.ReadSize, c.reads)
		}
		if d.Parent != dir || len(d.Roles) != 2 || len(w.Running) != 1 || w.Time < fsyncTests*time.Second ||
			w.Writes < flushSize {
			t.Errorf("%+v", w)
		}
	}
}

// TestOnly: what is not asked for is neither done nor missed.
func TestOnly(t *testing.T) {
	s, _ := hostWith(t)
	w := Prepare(sized{&target.Local{}, 1000 * unit.GB, 500 * unit.GB}, s, Options{Seconds: 1, Only: []string{Memory}})
	if len(w.Disks) != 0 || len(w.Missing) != 0 || w.memory == 0 || w.Empty() {
		t.Errorf("%+v", w)
	}
	s.HostSeen = false
	if w := Prepare(&target.Local{}, s, Options{Seconds: 1}); len(w.Disks) != 0 || len(w.Missing) != 1 {
		t.Errorf("a server afar: %+v", w)
	}
}

// TestOthersFoldersStay: only what a probe of an ended process has left is swept.
func TestOthersFoldersStay(t *testing.T) {
	dir := t.TempDir()
	mine, err := scratch.OwnerMark()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(mine)
	words[1] = "1" // this process began at another time: the number is worn again
	for name, mark := range map[string]string{"a-alive": mine, "b-dead": strings.Join(words, " ") + "\n",
		"c-damaged": "x\n"} {
		at := filepath.Join(dir, prefix+name)
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, ownerFile), []byte(mark), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "pgsql_tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := &folder{t: &target.Local{}}
	f.sweep(t.Context(), dir)
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "pgsql_tmp "+prefix+"a-alive "+prefix+"c-damaged" {
		t.Errorf("left: %s", got)
	}
}

// growing is this host while another program makes a file in a directory each time that rm is done with its others.
type growing struct {
	*target.Local
	left int // how often
}

func (g *growing) Run(ctx context.Context, c target.Command) (target.Output, error) {
	if g.left > 0 {
		g.left--
		return target.Output{Code: 1, Stderr: []byte("rm: cannot remove: Directory not empty\n")}, nil
	}
	return g.Local.Run(ctx, c)
}

// TestRemovalOfWhatGrows verifies that a directory in which a killed probe's program makes its file is removed, and
// that
// one which cannot be removed ends with its reason.
func TestRemovalOfWhatGrows(t *testing.T) {
	for _, c := range []struct {
		left int
		gone bool
	}{{0, true}, {1, true}, {removals, false}} {
		at := filepath.Join(t.TempDir(), "x")
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		f := &folder{t: &growing{&target.Local{}, c.left}, path: at}
		err := f.remove()
		if _, there := os.Stat(at); (err == nil) != c.gone || os.IsNotExist(there) != c.gone {
			t.Errorf("%d files made meanwhile: %v, %v", c.left, err, there)
		}
		if err != nil && !strings.Contains(err.Error(), "not empty") {
			t.Errorf("no reason: %v", err)
		}
	}
}

// TestSave: the newest stay, what is none of ours is not touched.
func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "measured")
	p := &measured.Probe{Schema: measured.Schema, Disks: []measured.Disk{}, Missing: []known.Gap{}}
	var last string
	for i := range savedMost + 3 {
		p.TakenAt = 1795243650 + int64(i)*86400
		var err error
		if last, err = Save(&target.Local{}, dir, p); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := os.WriteFile(filepath.Join(dir, "notes.json"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	list, err := filepath.Glob(dir + "/*.json")
	if err != nil || len(list) != savedMost+1 {
		t.Errorf("%v: %q", err, list)
	}
	b, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	if q, err := measured.Parse(b); err != nil || q.TakenAt != p.TakenAt {
		t.Errorf("%v: %s", err, b)
	}
	if _, err := os.Stat(filepath.Join(dir, "20261121T064730Z.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the oldest is still there: %v", err)
	}
}
