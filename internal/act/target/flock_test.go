package target

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A lock that a killed process left to a child of its own, until that executes another program, is waited for; one that
// another process keeps is refused.
func TestLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, kept := time.Now(), 300*time.Millisecond
		until := func(kept time.Duration) func() error {
			return func() error {
				if time.Since(began) < kept {
					return syscall.EWOULDBLOCK
				}
				return nil
			}
		}
		if err := linger(until(kept)); err != nil {
			t.Errorf("a lock that was kept for %s: %v", kept, err)
		}
		if err := linger(until(time.Hour)); err != syscall.EWOULDBLOCK {
			t.Errorf("a lock that is kept: %v", err)
		}
		if d := time.Since(began); d > kept+lingers+lingers/50 {
			t.Errorf("waited for %s", d)
		}
		signals := 0
		if err := linger(func() error {
			if signals++; signals < 3 {
				return syscall.EINTR
			}
			return syscall.ENOLCK
		}); err != syscall.ENOLCK || signals != 3 {
			t.Errorf("after %d calls: %v", signals, err)
		}
	})
}

func TestFlock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	var files [2]*os.File
	for i := range files {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	if err := Flock(files[0]); err != nil {
		t.Fatal(err)
	}
	if err := Flock(files[1]); err != syscall.EWOULDBLOCK {
		t.Errorf("a lock that another has: %v", err)
	}
	if err := files[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := Flock(files[1]); err != nil {
		t.Errorf("a lock that was given back: %v", err)
	}
}
