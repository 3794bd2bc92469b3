package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pgfettle/pgfettle/test/tier"
)

// TestRootOpensNothingOfOthers verifies that root opens a history where no other account can put another file in its
// place, and names the account that it belongs to elsewhere.
func TestRootOpensNothingOfOthers(t *testing.T) {
	tier.Root(t, "give files away")
	const other = 4711
	for name, c := range map[string]struct {
		spoil func(dir, file string) error
		uid   int
		known bool
	}{
		"root's":              {func(string, string) error { return nil }, 0, true},
		"another's file":      {func(_, file string) error { return os.Chown(file, other, other) }, other, true},
		"in another's folder": {func(dir, _ string) error { return os.Chown(dir, other, other) }, other, true},
		"in a folder for all": {func(dir, _ string) error { return os.Chmod(dir, 0o777) }, 0, false},
		"in a folder of a group": {func(dir, _ string) error {
			return errors.Join(os.Chown(dir, 0, other), os.Chmod(dir, 0o770))
		}, 0, false},
		"in a folder of its group":  {func(dir, _ string) error { return os.Chmod(dir, 0o770) }, 0, true},
		"in a folder of temporary":  {func(dir, _ string) error { return os.Chmod(dir, 0o777|os.ModeSticky) }, 0, true},
		"a file that all may write": {func(_, file string) error { return os.Chmod(file, 0o666) }, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "x")
			file := filepath.Join(dir, File)
			s, err := Open(file, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := c.spoil(dir, file); err != nil {
				t.Fatal(err)
			}
			uid, _, known, err := Holder(file)
			if err != nil || uid != c.uid || known != c.known {
				t.Errorf("it is of %d, %t: %v", uid, known, err)
			}
			r, err := OpenRead(file)
			if mine := c.uid == 0 && c.known; mine != (err == nil) || !mine && !errors.Is(err, ErrOthers) {
				t.Errorf("opened: %v", err)
			}
			if err == nil {
				r.Close()
			}
		})
	}
}
