package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pgfettle/pgfettle/internal/gen/literals"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
)

// checkout is the root of the module.
const checkout = "../../.."

// empty makes a tree with the areas of the checkout and nothing in them.
func empty(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{checks, rules} {
		areas, err := os.ReadDir(filepath.Join(checkout, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range areas {
			if a.IsDir() {
				if err := os.MkdirAll(filepath.Join(root, dir, a.Name()), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return root
}

// TestStubsBuild makes one stub of each kind, those whose names end as files of tests
// or of other systems do among them, and builds the program with them and with the
// registries that list them.
func TestStubsBuild(t *testing.T) {
	root := empty(t)
	for _, args := range [][]string{
		{"check", "memory/stub_of_a_check"}, {"check", "memory/house_test"}, {"check", "wal/stub_windows"},
		{"check", "storage/stub_arm64"},
		{"knob", "memory/pg:stub_of_a_knob"}, {"knob", "kernel/sysctl:vm.house_test"},
		{"knob", "io/block:*/stub_requests"}, {"knob", "mount/mount:*/stub_linux"},
	} {
		if err := run(root, args); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	here, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	registry := map[string]fstest.MapFS{checks: {}, rules: {}}
	for dir, merged := range registry {
		for _, from := range []string{here, root} {
			files, err := filepath.Glob(filepath.Join(from, dir, "*", "*.go"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: %v", from, err)
			}
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				rel, err := filepath.Rel(filepath.Join(from, dir), f)
				if err != nil {
					t.Fatal(err)
				}
				merged[filepath.ToSlash(rel)] = &fstest.MapFile{Data: b}
				if from == root {
					replace[filepath.Join(here, dir, rel)] = f
				}
			}
		}
	}
	for dir, of := range map[string]literals.Package{
		checks: {Path: "github.com/pgfettle/pgfettle/" + checks, Type: "check.Check", Key: "ID"},
		rules:  {Path: "github.com/pgfettle/pgfettle/" + rules, Type: "rule.Rule", Key: "Address"},
	} {
		text, err := literals.Render(registry[dir], of)
		if err != nil {
			t.Fatal(err)
		}
		for want, in := range map[string]string{"memory.StubOfACheck": checks, "memory.HouseTest": checks,
			"wal.StubWindows": checks, "storage.StubArm64": checks,
			"memory.StubOfAKnob": rules, "kernel.VmHouseTest": rules, "io.BlockStubRequests": rules,
			"mount.MountStubLinux": rules} {
			if in == dir && !strings.Contains(string(text), "\t"+want+",\n") {
				t.Errorf("%s is not in the registry of %s", want, dir)
			}
		}
		at := filepath.Join(root, dir, literals.File)
		if err := os.WriteFile(at, text, 0o644); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(here, dir, literals.File)] = at
	}
	overlay := filepath.Join(root, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "build", "-overlay", overlay, "./"+checks, "./"+rules)
	c.Dir = here
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPage verifies that the stub of a page is its Markdown file and nothing else, whatever the toolchain would make of
// the name, and that pgfettle reads it.
func TestPage(t *testing.T) {
	for _, id := range []string{"my-page", "house-test", "x-windows", "y-arm64", "1c-locks", "registry-gen"} {
		root := t.TempDir()
		if err := run(root, []string{"page", id}); err != nil {
			t.Fatal(err)
		}
		var files []string
		err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files = append(files, p)
			}
			return err
		})
		if want := []string{"docs/pages/" + id + ".md"}; err != nil || !slices.Equal(files, want) {
			t.Errorf("%s: wrote %v, not %v (%v)", id, files, want, err)
		}
		list, err := advice.Read(os.DirFS(filepath.Join(root, pages)))
		if err != nil || len(list) != 1 || list[0].ID != id || list[0].Kind != advice.Advice {
			t.Errorf("%s is read as %v (%v)", id, list, err)
		}
		if err := run(root, []string{"page", id}); err == nil || !strings.Contains(err.Error(), "is there already") {
			t.Errorf("%s a second time: %v", id, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"check", "my_check"}, "no area"},
		{[]string{"check", "memory/My-Check"}, "lower case letters"},
		{[]string{"check", "nowhere/my_check"}, "no area: write one of "},
		{[]string{"knob", "io/block:sda/nr_requests"}, "block:*/nr_requests"},
		{[]string{"knob", "io/block:*"}, "an address is"},
		{[]string{"knob", "memory/work_mem"}, "an address is"},
		{[]string{"knob", "testdata/pg:my_setting"}, "no area"},
		{[]string{"page", "My_Page"}, "lower case words with hyphens"},
		{[]string{"page", "../my-page"}, "lower case words with hyphens"},
		{[]string{"thing", "x"}, "write check, knob or page"},
		{[]string{"check"}, "write: check AREA/ID"},
	} {
		if err := run(empty(t), c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v does not say %q", c.args, err, c.want)
		}
	}
}

// TestNothingIsOverwritten verifies that a second stub of one name is refused.
func TestNothingIsOverwritten(t *testing.T) {
	root := empty(t)
	if err := run(root, []string{"check", "memory/my_check"}); err != nil {
		t.Fatal(err)
	}
	if err := run(root, []string{"check", "memory/my_check"}); err == nil ||
		!strings.Contains(err.Error(), "is there already") {
		t.Errorf("%v", err)
	}
}
