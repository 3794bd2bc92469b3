package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

func TestPlaces(t *testing.T) {
	got, err := places([]byte("35 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"),
		[]byte("4:memory:/a\n0::/\n"))
	want := []Place{
		{1, []string{"/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/memory"}},
		{1, []string{"/sys/fs/cgroup/memory"}},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	if _, err := places([]byte("1 0 0:1 / / rw - ext4 /dev/vda rw\n"), []byte("0::/\n")); err == nil {
		t.Error("a host without a hierarchy has places")
	}
}

// write makes files as the kernel would have them.
func write(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// kernel stands for the one that fills the directory of a new group with files.
func kernel(t *testing.T, fill func(dir string) (map[string]string, error)) {
	t.Helper()
	was := mkdir
	t.Cleanup(func() { mkdir = was })
	mkdir = func(dir string) error {
		texts, err := fill(dir)
		if err != nil {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: err}
		}
		if err := was(dir); err != nil {
			return err
		}
		write(t, dir, texts)
		return nil
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestNewOfVersion1(t *testing.T) {
	kernel(t, func(string) (map[string]string, error) {
		return map[string]string{"memory.limit_in_bytes": "", "memory.memsw.limit_in_bytes": "",
			"memory.swappiness": "", "memory.oom_control": "oom_kill_disable 1\nunder_oom 0\noom_kill 3\n"}, nil
	})
	g, err := New([]Place{{1, []string{t.TempDir()}}}, "ours", 256*unit.MB)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"memory.limit_in_bytes": "268435456", "memory.memsw.limit_in_bytes": "268435456", "memory.swappiness": "0",
		"memory.oom_control": "0om_kill_disable 1\nunder_oom 0\noom_kill 3\n", // where the kernel would take the 0
	} {
		if got := read(t, filepath.Join(g.Dir, file)); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	if n, err := g.Kills(); n != 3 || err != nil {
		t.Errorf("%d kills, %v", n, err)
	}
}

// TestNewGoesUp: where the memory controller is not enabled for groups below
// the nearest place, the next one is taken, and nothing stays at the first.
func TestNewGoesUp(t *testing.T) {
	near, far := t.TempDir(), t.TempDir()
	kernel(t, func(dir string) (map[string]string, error) {
		if filepath.Dir(dir) == near {
			return nil, nil
		}
		return map[string]string{"memory.max": "", "memory.swap.max": "", "memory.events": "oom 0\noom_kill 0\n"}, nil
	})
	g, err := New([]Place{{2, []string{near}}, {2, []string{far}}}, "ours", unit.GB)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(g.Dir) != far || read(t, g.Dir+"/memory.max") != "1073741824" ||
		read(t, g.Dir+"/memory.swap.max") != "0" {
		t.Errorf("%+v", g)
	}
	if left, err := os.ReadDir(near); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestNewRefused: the error names the right that is missing.
func TestNewRefused(t *testing.T) {
	for _, c := range []struct {
		err  error
		hint string
	}{
		{syscall.EACCES, "root"},
		{syscall.EROFS, "read-only"},
		{syscall.ENOENT, "subtree_control"},
		{syscall.ENOSPC, "mounted and writable"},
	} {
		kernel(t, func(string) (map[string]string, error) { return nil, c.err })
		_, err := New([]Place{{2, []string{"/x/y"}}}, "ours", unit.GB)
		var p *say.Problem
		if !errors.As(err, &p) || p.Code != say.CodeNoAccess || !strings.Contains(p.Hint.String(), c.hint) ||
			!strings.Contains(p.Detail.String(), "/x/y/ours") {
			t.Errorf("%v: %+v", c.err, p)
		}
	}
}

// TestLimitThatDoesNotHold: a kernel that sets another limit than was written is an error.
func TestLimitThatDoesNotHold(t *testing.T) {
	dir := t.TempDir()
	kernel(t, func(string) (map[string]string, error) {
		// longer: its end stays
		return map[string]string{"memory.max": "9223372036854771712", "memory.swap.max": ""}, nil
	})
	if g, err := New([]Place{{2, []string{dir}}}, "ours", unit.GB); err == nil {
		t.Errorf("%+v", g)
	}
}

func TestRoom(t *testing.T) {
	own, up := t.TempDir(), t.TempDir()
	p := Place{2, []string{own, up}}
	if room, ok := p.Room(); ok {
		t.Errorf("without a limit: %s", room)
	}
	write(t, own, map[string]string{"memory.max": "max\n", "memory.current": "5\n"})
	if room, ok := p.Room(); ok {
		t.Errorf("with none: %s", room)
	}
	write(t, up, map[string]string{"memory.max": "1000000\n", "memory.current": "900000\n",
		"memory.stat": "anon 100\ninactive_file 300000\nactive_file 50000\nfile 1\n"})
	if room, ok := p.Room(); !ok || room != 450000 {
		t.Errorf("%d, %v", room, ok)
	}
	write(t, own, map[string]string{"memory.max": "1000\n", "memory.current": "2000\n"})
	if room, ok := p.Room(); !ok || room != 0 {
		t.Errorf("more used than allowed: %d, %v", room, ok)
	}
}

func TestProcesses(t *testing.T) {
	g := &Group{Version: 2, Dir: t.TempDir()}
	write(t, g.Dir, map[string]string{"cgroup.procs": "0\n1\n17\n18\n"})
	got, err := g.Processes()
	if d := cmp.Diff([]int{17, 18}, got); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	write(t, g.Dir, map[string]string{"cgroup.procs": "17\nx\n"})
	if got, err := g.Processes(); err == nil {
		t.Errorf("%v", got)
	}
}

// TestRemoveOfNone: what is gone needs no removal.
func TestRemoveOfNone(t *testing.T) {
	for _, version := range []int{1, 2} {
		g := &Group{Version: version, Dir: filepath.Join(t.TempDir(), "gone")}
		if err := g.Remove(); err != nil {
			t.Error(err)
		}
	}
}
