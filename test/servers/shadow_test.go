package servers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/serverprogram"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/test/live"
)

// planned is a configuration far from the running one.
var planned = []snapshot.NamedValue{
	{Name: "max_connections", Value: "500"}, {Name: "max_locks_per_transaction", Value: "128"},
	{Name: "max_prepared_transactions", Value: "100"}, {Name: "shared_buffers", Value: "524288"}, // 4 GB
}

// TestSharedMemoryOfAPlannedConfiguration asks beside the running server, and
// then restarts the server with the planned configuration: without touching the
// 4 GB, it says the same of itself.
func TestSharedMemoryOfAPlannedConfiguration(t *testing.T) {
	live.Each(t, func(t *testing.T, b scratch.Binaries) {
		privateTemp(t)
		i := start(t, b, map[string]string{"shared_preload_libraries": "pg_stat_statements",
			"pg_stat_statements.max": "20000"})
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		before := files(t, i.DataDir)
		temp := ours(t)
		q := snapshot.ShmemQuestion{Instance: in.Key, Settings: planned}
		a, err := serverprogram.AskSharedMemory(t.Context(), &target.Local{}, in, q)
		if err != nil {
			t.Fatal(err)
		}
		if left := ours(t); len(left) != len(temp) {
			t.Errorf("left behind: %v", left)
		}
		if after := files(t, i.DataDir); strings.Join(after, " ") != strings.Join(before, " ") {
			t.Errorf("the data directory has changed from %v to %v", before, after)
		}
		if (b.Version.Major() >= 15) != (a.Method == scratch.ByGUC) {
			t.Errorf("asked by %q", a.Method)
		}
		// The other way gives the same pages.
		s, err := scratch.NewShadow(b, i.DataDir, i.Account)
		if err != nil {
			t.Fatal(err)
		}
		conf := map[string]string{"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.max": "20000"}
		for _, nv := range planned {
			conf[nv.Name] = nv.Value
		}
		l, err := s.AskByLimit(t.Context(), conf)
		if err := errors.Join(err, s.Remove()); err != nil {
			t.Fatal(err)
		}
		if l.Bytes.Pages(2*unit.MB) != a.Bytes.Pages(2*unit.MB) || a.Pages > 0 && a.Pages != l.Bytes.Pages(2*unit.MB) {
			t.Errorf("one way says %d bytes, the other %d bytes and %d pages", l.Bytes, a.Bytes, a.Pages)
		}
		// So does the estimate, nearly.
		set := settingsOf(t, read(t, evidenceOf(t, i, false)))
		p, ok := memory.SharedOf(set, func(name string) (string, bool) {
			for _, nv := range planned {
				if nv.Name == name {
					return nv.Value, true
				}
			}
			return "", false
		})
		if e := memory.EstimateShared(b.Version.Major(), p); !ok || e < l.Bytes || float64(e) > 1.03*float64(l.Bytes) {
			t.Errorf("estimate %d, the server asks for %d", e, l.Bytes)
		}
		conf["huge_pages"] = "off"
		restart(t, i, conf)
		now := read(t, evidenceOf(t, i, false)).Instances[0].Server
		sum := unit.Bytes(0)
		parts, _ := now.Shmem.Get()
		for _, part := range parts {
			sum += part.Size
		}
		if sum != l.Bytes {
			t.Errorf("the planned server allocated %d bytes, its binary had said %d", sum, l.Bytes)
		}
	})
}

// TestWhatTheBinaryRefuses: a configuration that would not start is no answer, and the server's own reason is reported.
func TestWhatTheBinaryRefuses(t *testing.T) {
	live.Each(t, func(t *testing.T, b scratch.Binaries) {
		in := &read(t, evidenceOf(t, start(t, b, nil), false)).Instances[0]
		for _, c := range []struct{ name, value, word string }{
			{"wal_level", "minimal", "max_wal_senders"},
			{"superuser_reserved_connections", "100", "superuser_reserved_connections"},
			{"shared_preload_libraries", "no_such_library", "no_such_library"},
		} {
			q := snapshot.ShmemQuestion{Instance: in.Key,
				Settings: []snapshot.NamedValue{{Name: c.name, Value: c.value}}}
			if a, err := serverprogram.AskSharedMemory(t.Context(), &target.Local{}, in, q); err == nil ||
				!strings.Contains(err.Error(), c.word) {
				t.Errorf("%s = %s: %+v, %v", c.name, c.value, a, err)
			}
		}
	})
}

// TestThrowawayInstance: what fails says why, and nothing is left.
func TestThrowawayInstance(t *testing.T) {
	live.Each(t, func(t *testing.T, b scratch.Binaries) {
		privateTemp(t)
		i := start(t, b, nil)
		if len(i.Socket+"/.s.PGSQL.5432.lock") > 107 {
			t.Errorf("the socket's path %s is too long", i.Socket)
		}
		if st, err := os.Stat(i.Folder); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", st, err)
		}
		if err := i.Start(t.Context()); err == nil {
			t.Error("started twice")
		}
		if err := i.Stop(); err != nil || i.Running() || i.PID() != 0 {
			t.Errorf("stop: %v; running %v, process %d", err, i.Running(), i.PID())
		}
		if err := i.Configure(map[string]string{"no_such_setting": "1"}); err != nil {
			t.Fatal(err)
		}
		if err := i.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "no_such_setting") {
			t.Errorf("a configuration with an unknown setting: %v", err)
		}
		if err := errors.Join(i.Remove(), i.Remove()); err != nil {
			t.Errorf("removed twice: %v", err)
		}
		for _, after := range []time.Duration{0, 20 * time.Millisecond, 150 * time.Millisecond} {
			before := ours(t)
			ctx, cancel := context.WithTimeout(t.Context(), after)
			j, err := scratch.New(ctx, b, scratch.Options{})
			cancel()
			if err == nil {
				t.Logf("initdb was done within %s", after)
				err = j.Remove()
			} else if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("ended after %s: %v", after, err)
			}
			if left := ours(t); len(left) != len(before) {
				t.Errorf("ended after %s, left behind: %v (%v)", after, left, err)
			}
		}
	})
}

// files names what is in a data directory and in its global directory.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"/*", "/global/pg_control*"} {
		m, err := filepath.Glob(dir + pattern)
		if err != nil || len(m) == 0 {
			t.Fatalf("%s: %v, %v", dir+pattern, m, err)
		}
		names = append(names, m...)
	}
	return names
}

// privateTemp gives this test a temporary directory of its own that every user may pass through, so that what is left
// behind is ours.
func privateTemp(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "pft-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
}

// ours names what is in the private temporary directory.
func ours(t *testing.T) []string {
	t.Helper()
	m, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
