package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	if err := writeFile(name, []byte("one"), 0o600, false); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if err := writeFile(name, []byte("two"), 0o600, false); err == nil {
		t.Error("a file was replaced unasked")
	}
	if b, _ := os.ReadFile(name); string(b) != "one" {
		t.Errorf("it holds %q", b)
	}
	if err := writeFile(name, []byte("three"), 0o600, true); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(name); string(b) != "three" {
		t.Errorf("it holds %q", b)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("%d files are left in the folder, want 1", len(list))
	}
}
