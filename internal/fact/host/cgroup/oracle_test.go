package cgroup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/procfs"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestOracle compares ParseMembership with prometheus/procfs, an independent reader, over the files of the goldens and
// of the host that the test runs on. What either of the two refuses proves nothing and is skipped.
func TestOracle(t *testing.T) {
	agreed := 0
	compare := func(from string, data []byte) {
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Join(root, "100"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "100", "cgroup"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		files, err := procfs.NewFS(root)
		if err != nil {
			t.Fatal(err)
		}
		proc, err := files.Proc(100)
		if err != nil {
			t.Fatal(err)
		}
		all, err := proc.Cgroups()
		ours, ourErr := ParseMembership(data)
		if err != nil || ourErr != nil {
			return
		}
		var theirs []Membership
		for _, x := range all {
			theirs = append(theirs, Membership{x.Controllers, x.Path})
		}
		if d := cmp.Diff(theirs, ours); d != "" {
			t.Errorf("%s: -procfs +ours\n%s", from, d)
		}
		agreed++
	}
	for _, pattern := range []string{"testdata/*.txtar", "../testdata/*.txtar"} {
		goldens, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range goldens {
			ar, err := txtar.ParseFile(g)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range ar.Files {
				if strings.HasPrefix(f.Name, "proc/") && strings.HasSuffix(f.Name, "/cgroup") {
					compare(filepath.Base(g), f.Data)
				}
			}
		}
	}
	if b, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		compare("live", b)
	}
	if agreed < 10 {
		t.Errorf("%d were compared, less than 10", agreed)
	}
}
