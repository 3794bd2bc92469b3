package machine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// TestClaim makes a scratch directory and takes it away, and the directories above that were made for it.
func TestClaim(t *testing.T) {
	top := t.TempDir()
	m := &Machine{dir: filepath.Join(top, "a/b/scratch")}
	if err := m.Claim(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(m.path(Marker)); err != nil || string(b) != markerText {
		t.Errorf("marker %q, %v", b, err)
	}
	other := &Machine{dir: m.dir}
	if err := other.Claim(); err == nil || !strings.Contains(err.Error(), "another experiment") {
		t.Errorf("two at once: %v", err)
	}
	// a server that runs there is one of the other experiment
	other.guard.DataDirs = []string{filepath.Join(m.dir, "master/data")}
	if err := other.Claim(); err == nil || !strings.Contains(err.Error(), "another experiment") {
		t.Errorf("two at once, one with a server: %v", err)
	}
	if err := m.Put("master.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if left, err := m.List(); err != nil || len(left) != 1 || left[0] != "master.json" {
		t.Errorf("%v, %v", left, err)
	}
	// What is not removed keeps the directory, for the next one to find it.
	if err := m.Release(); err != nil {
		t.Fatal(err)
	}
	m = &Machine{dir: m.dir}
	if err := m.Claim(); err != nil {
		t.Fatal(err)
	}
	if err := m.Remove("master.json"); err != nil {
		t.Fatal(err)
	}
	if err := m.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(m.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is left: %v", err)
	}
	m = &Machine{dir: filepath.Join(top, "c/d")}
	if err := m.Claim(); err != nil {
		t.Fatal(err)
	}
	if err := m.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(top, "c")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder above is left: %v", err)
	}
}

// TestClaimRefused verifies that no directory of others becomes a scratch directory, and that nothing in it changes.
func TestClaimRefused(t *testing.T) {
	top := t.TempDir()
	file := func(name, text string) {
		t.Helper()
		at := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file("data/PG_VERSION", "18")
	file("data/"+Marker, markerText) // a marker does not help a data directory
	file("running/postmaster.pid", "1")
	file("home/letter", "")
	file("plain", "")
	file("known/base/x", "")
	if err := os.Symlink(filepath.Join(top, "home"), filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(top, "known"), filepath.Join(top, "alias")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(top, "trap"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(top, "trap", Marker)); err != nil {
		t.Fatal(err)
	}
	guard := Guard{DataDirs: []string{filepath.Join(top, "known")}}
	for name, code := range map[string]int{"data": 5, "running": 5, "home": 5, "plain": 5, "known": 5, "known/base": 5,
		"known/new/scratch": 5, "alias/scratch": 5, ".": 5, "link": 5, "trap": 0} {
		m := &Machine{dir: filepath.Join(top, name), guard: guard}
		err := m.Claim()
		var p *say.Problem
		if err == nil || code != 0 && (!errors.As(err, &p) || p.Code != code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, dir := range []string{"", "relative", "/", "/a/../b"} {
		if err := (&Machine{dir: dir}).Claim(); err == nil {
			t.Errorf("%q was taken", dir)
		}
	}
	for _, name := range []string{"data/" + Marker, "known/new"} {
		b, err := os.ReadFile(filepath.Join(top, name))
		if name == "known/new" && err == nil || name != "known/new" && string(b) != markerText {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	m := &Machine{dir: filepath.Join(top, "home")}
	for _, name := range []string{"", ".", "..", "../x", "a/b", Marker} {
		if err := m.Remove(name); err == nil {
			t.Errorf("%q was removed", name)
		}
	}
	for _, dir := range []string{"relative", "/tmp", "/dev/shm/other", filepath.Join(top, "home")} {
		if err := m.Drop(dir); err == nil {
			t.Errorf("%q was dropped", dir)
		}
	}
	for _, name := range []string{"sysctl:kernel.panic", "sysctl:vm.a/b", "x"} {
		if err := m.SetKernel(name, "1"); err == nil || !strings.Contains(err.Error(), "no value") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestClone copies a directory of a cluster: all files, nothing of a server that ran.
func TestClone(t *testing.T) {
	m := &Machine{dir: t.TempDir()}
	large := strings.Repeat("0123456789abcdef", 1<<16)
	for name, text := range map[string]string{"data/PG_VERSION": "18\n", "data/base/5/1259": large, "data/empty": "",
		"data/postmaster.pid": "1", "log": "talk"} {
		at := filepath.Join(m.path("master"), name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var last, all int64
	if err := m.Clone(t.Context(), "master", "run-a", func(d, a int64) { last, all = d, a }); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(m.path("run-a") + "/data/base/5/1259"); err != nil || string(b) != large {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if b, err := os.ReadFile(m.path("run-a") + "/data/empty"); err != nil || len(b) != 0 {
		t.Errorf("%q, %v", b, err)
	}
	for _, name := range []string{"data/postmaster.pid", "log"} {
		if _, err := os.Lstat(filepath.Join(m.path("run-a"), name)); err == nil {
			t.Errorf("%s was copied", name)
		}
	}
	if all < int64(len(large)) || last == 0 || last > all {
		t.Errorf("told %d of %d", last, all)
	}
	if st, err := os.Stat(m.path("run-a")); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st, err)
	}
	// A link is no part of a cluster of ours, and what it leads to is not copied.
	if err := os.Symlink("/etc", m.path("master")+"/data/pg_wal"); err != nil {
		t.Fatal(err)
	}
	if err := m.Clone(t.Context(), "master", "run-b", func(int64, int64) {}); err == nil ||
		!strings.Contains(err.Error(), "pg_wal") {
		t.Errorf("a link: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Clone(ctx, "master", "run-c", func(int64, int64) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	for _, name := range []string{"run-b", "run-c"} {
		if _, err := os.Lstat(m.path(name)); err == nil {
			t.Errorf("%s: half a copy is left", name)
		}
	}
}
