package cgroup

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/test/golden"
)

// withoutOtherSizes drops the huge page sizes that no x86 has, to keep the
// goldens short.
func withoutOtherSizes(names []string) []string {
	out := []string{}
	for _, n := range names {
		if !strings.Contains(n, "hugetlb.") || strings.Contains(n, "hugetlb.2MB") {
			out = append(out, n)
		}
	}
	return out
}

func TestGolden(t *testing.T) {
	golden.Each(t, func(t *testing.T, _ string, a *evidence.Archive) []byte {
		mounts, _ := a.ReadFile("proc/self/mountinfo")
		group, _ := a.ReadFile("proc/100/cgroup")
		got, err := json.MarshalIndent(map[string]any{"cgroup": Read(a, 100),
			"wanted": withoutOtherSizes(Files(mounts, group))}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		return append(got, '\n')
	})
}

// recorder notes the files that are asked for.
type recorder struct {
	fs.FS
	asked map[string]bool
}

func (r recorder) ReadFile(name string) ([]byte, error) {
	r.asked[name] = true
	return fs.ReadFile(r.FS, name)
}

// TestFilesNameAllThatIsRead verifies that every requested file is one that the collector reads; otherwise the fact
// would be missing everywhere except in tests.
func TestFilesNameAllThatIsRead(t *testing.T) {
	goldens, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, g := range goldens {
		ar, err := txtar.ParseFile(g)
		if err != nil {
			t.Fatal(err)
		}
		a := golden.Evidence(t, ar)
		rec := recorder{a, map[string]bool{}}
		Read(rec, 100)
		mounts, _ := a.ReadFile("proc/self/mountinfo")
		group, _ := a.ReadFile("proc/100/cgroup")
		wanted := slices.Concat(host.Files, host.CommandFiles, host.ProcessFiles(100), host.PostmasterFiles(100),
			Files(mounts, group))
		for name := range rec.asked {
			total++
			if !slices.Contains(wanted, name) {
				t.Errorf("%s: %s is read, but no collector is told so", filepath.Base(g), name)
			}
		}
	}
	if total < 100 {
		t.Errorf("only %d files were asked for", total)
	}
}
