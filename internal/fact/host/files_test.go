package host

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/test/golden"
)

// recorder notes the files that are asked for.
type recorder struct {
	fs.FS
	asked map[string]bool
}

func (r recorder) ReadFile(name string) ([]byte, error) {
	r.asked[name] = true
	return fs.ReadFile(r.FS, name)
}

func (r recorder) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.FS, name) }

// goldenFiles are the goldens of the readers of this package and of cgroup, which hold
// the files of whole hosts too.
func goldenFiles(t testing.TB) []string {
	t.Helper()
	own, err1 := filepath.Glob("testdata/*.txtar")
	groups, err2 := filepath.Glob("cgroup/testdata/*.txtar")
	if err := errors.Join(err1, err2); err != nil || len(groups) == 0 {
		t.Fatalf("%d goldens of control groups: %v", len(groups), err)
	}
	return append(own, groups...)
}

// Every file that a reader asks for must be one that a collector reads; otherwise the fact would be missing everywhere
// except in tests.
func TestFilesNameAllThatIsRead(t *testing.T) {
	// the collector's
	own := []string{"host.json", "programs.json", ResidentsFile, ServersFile, "statfs.json", "blocks.json",
		KillableFile,
		PSSFile(100)}
	goldens := goldenFiles(t)
	total := 0
	for _, g := range goldens {
		ar, err := txtar.ParseFile(g)
		if err != nil {
			t.Fatal(err)
		}
		a := golden.Evidence(t, ar)
		rec := recorder{a, map[string]bool{}}
		Read(rec)
		ReadProcess(rec, 100)
		ReadLimits(rec, 100)
		wanted := slices.Concat(own, Files, CommandFiles, ProcessFiles(100), PostmasterFiles(100))
		for _, n := range SysctlNames {
			wanted = append(wanted, SysctlPath(n))
		}
		for _, pid := range []int{200, 300, 400} { // of killable.host.txtar
			wanted = append(append(wanted, KillableFiles(pid)...), PSSFile(pid))
		}
		for name := range rec.asked {
			total++
			if !slices.Contains(wanted, name) && !matches(name) {
				t.Errorf("%s: %s is read, but no collector is told so", filepath.Base(g), name)
			}
		}
	}
	if total < 1000 {
		t.Errorf("only %d files were asked for", total)
	}
}

func matches(name string) bool {
	for _, g := range slices.Concat(Globs, TunedGlobs) {
		if ok, _ := path.Match(g, name); ok {
			return true
		}
	}
	for _, f := range BlockFiles {
		if strings.HasPrefix(name, "sys/block/") && strings.HasSuffix(name, "/"+f) {
			return true
		}
	}
	// README.sysctl and other files next to the .conf files are listed, never read
	return false
}

func TestGlobsAreGlobs(t *testing.T) {
	for _, g := range Globs {
		if _, err := path.Match(g, "x"); err != nil || !strings.Contains(g, "*") || !fs.ValidPath(g) {
			t.Errorf("%q: %v", g, err)
		}
	}
	for _, f := range slices.Concat(Files, ProcessFiles(1), PostmasterFiles(1), BlockFiles) {
		if !fs.ValidPath(f) || strings.Contains(f, "*") {
			t.Errorf("%q is not the name of a file", f)
		}
	}
}
