package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/test/tier"
)

// fillUp appends until the first failure, and returns when that was.
func fillUp(t *testing.T, s *Store, at time.Time, step time.Duration) (time.Time, *WriteError) {
	t.Helper()
	for range 20_000 {
		var points []history.Point
		for i, m := range history.Meanings() {
			if m.Scope == history.OfHost && m.Label == "" {
				points = append(points, pt(m.Name, float64(at.UnixMilli()*int64(i+1)%1_000_003)/7))
			}
		}
		err := s.Append(context.Background(), at, points)
		var w *WriteError
		if errors.As(err, &w) {
			return at, w
		}
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(step)
	}
	t.Fatal("it never became full")
	return at, nil
}

// stopsAndGoesOn verifies the promises for a full disk: one failure is reported, then nothing is tried for a while,
// then the gap is reported.
func stopsAndGoesOn(t *testing.T, s *Store, room func()) {
	ctx := context.Background()
	clock := time.Now()
	s.now = func() time.Time { return clock }
	first := noon.Add(-time.Hour)
	at, w := fillUp(t, s, first, 10*time.Second)
	if !errors.Is(w, ErrFull) || !w.First {
		t.Fatalf("the first failure: %v, first: %v", w, w.First)
	}
	t.Logf("full after %s of samples: %v", at.Sub(first), w)
	if err := s.Append(ctx, at.Add(10*time.Second), []history.Point{pt("dirty_bytes", 1)}); !errors.Is(err,
		ErrPaused) || !errors.Is(err, ErrFull) {
		t.Errorf("within the pause: %v", err)
	}
	if _, err := s.AppendEvent(ctx, history.Event{At: at, Kind: history.Restarted}); !errors.Is(err, ErrPaused) {
		t.Errorf("an event within the pause: %v", err)
	}
	// What was stored is read all the same.
	n := 0
	for _, b := range ranged(t, s, "memory_total_bytes", first, at, rangeMost) {
		n += b.N
	}
	if want := int(at.Sub(first) / (10 * time.Second)); n != want {
		t.Errorf("%d samples of %d are left", n, want)
	}
	clock = clock.Add(2 * time.Minute)
	_, again := fillUp(t, s, at.Add(2*time.Minute), 10*time.Second)
	if again.First {
		t.Error("the same failure is told as a new one")
	}
	room()
	clock = clock.Add(2 * time.Minute)
	back := at.Add(10 * time.Minute)
	appendAt(t, s, back, pt("dirty_bytes", 1))
	gaps := eventsOf(t, s, history.Gap)
	if len(gaps) == 0 {
		t.Fatal("the gap is not told")
	}
	if g := gaps[len(gaps)-1]; !g.At.Equal(back) || g.Since.Before(at.Add(-10*time.Second)) || g.Since.After(back) ||
		g.Detail != "the history could not be written: the disk is full" {
		t.Errorf("the gap: %+v; the disk was full at %s", g, at)
	}
	var verdict string
	if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity_check: %s, %v", verdict, err)
	}
	// And it goes on from there: the next failure would be reported again.
	for i := range 10 {
		appendAt(t, s, back.Add(time.Duration(i+1)*10*time.Second), pt("dirty_bytes", 1))
	}
}

// The bound of the file acts as a full disk does.
func TestTheBoundOfTheFile(t *testing.T) {
	s := openNew(t, Options{PagesMost: 60})
	stopsAndGoesOn(t, s, func() {
		if _, err := s.db.Exec("PRAGMA max_page_count = 100000"); err != nil {
			t.Fatal(err)
		}
	})
}

// A disk of one megabyte runs full for real.
func TestAFullDisk(t *testing.T) {
	tier.Root(t, "mount a small disk")
	at := t.TempDir()
	if err := syscall.Mount("pgfettle-test", at, "tmpfs", syscall.MS_RELATIME, "size=1m"); err != nil {
		tier.Missing(t, tier.Rights, "nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(at, 0); err != nil {
			t.Error(err)
		}
	})
	s, err := Open(filepath.Join(at, File), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stopsAndGoesOn(t, s, func() {
		if err := syscall.Mount("", at, "", syscall.MS_REMOUNT|syscall.MS_RELATIME, "size=16m"); err != nil {
			t.Fatal(err)
		}
	})
}

// A full disk from the first moment on is reported as such too, and a file that was begun on it is finished when there
// is room.
func TestAFullDiskAtTheBeginning(t *testing.T) {
	tier.Root(t, "mount a small disk")
	at := t.TempDir()
	if err := syscall.Mount("pgfettle-test", at, "tmpfs", syscall.MS_RELATIME, "size=256k"); err != nil {
		tier.Missing(t, tier.Rights, "nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(at, 0); err != nil {
			t.Error(err)
		}
	})
	// As much as is left, except some pages.
	for left := 0; left <= 96; left += 16 {
		if err := os.WriteFile(filepath.Join(at, "other"), make([]byte, (256-left)<<10), 0o600); err != nil &&
			!errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		s, err := Open(filepath.Join(at, File), Options{})
		if err == nil {
			s.Close()
			t.Logf("%d kB suffice", left)
			break
		}
		if !errors.Is(err, ErrFull) {
			t.Errorf("with %d kB left: %v", left, err)
		}
	}
	if err := os.Remove(filepath.Join(at, "other")); err != nil {
		t.Fatal(err)
	}
	s, err := Open(filepath.Join(at, File), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	appendAt(t, s, noon, pt("dirty_bytes", 1))
}

// A mount that is read-only is reported as such, by the writer and for the reader, who reads there all the same.
func TestAReadOnlyDisk(t *testing.T) {
	tier.Root(t, "mount a small disk")
	at := t.TempDir()
	if err := syscall.Mount("pgfettle-test", at, "tmpfs", syscall.MS_RELATIME, "size=4m"); err != nil {
		tier.Missing(t, tier.Rights, "nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(at, 0) })
	path := filepath.Join(at, File)
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	appendAt(t, s, noon, pt("dirty_bytes", 7))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", at, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("to write: %v", err)
	}
	r, err := OpenRead(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if list := ranged(t, r, "dirty_bytes", noon, noon.Add(time.Hour), 0); len(list) != 1 || list[0].Last != 7 {
		t.Errorf("read: %+v", list)
	}
}
