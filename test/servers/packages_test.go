package servers

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// TestPackagesOfThisHost: what is read of the package of a server is what apt-cache policy prints, and nothing of its
// caches and lists changes. The server is stopped, so that none has to start: its program is the one of Debian's
// package.
func TestPackagesOfThisHost(t *testing.T) {
	tier.Root(t, "run a program as nobody")
	programs, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("apt-cache"); err != nil || len(programs) == 0 {
		tier.Missing(t, tier.Servers, "no server of Debian's packages is installed below /usr/lib/postgresql")
	}
	major := filepath.Base(filepath.Dir(filepath.Dir(programs[0])))
	name := "postgresql-" + major
	policy, err := exec.CommandContext(t.Context(), "apt-cache", "policy", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := stoppedCluster(t, major, programs[0])
	before := changes(t, "/var/cache/apt", "/var/lib/apt")
	a, err := collect.Run(t.Context(), &target.Local{}, collect.Request{Kind: collect.DataDir, Value: dir,
		Packages: true, Owners: trust.Owners{DataDirs: []string{dir}}})
	if err != nil {
		t.Fatal(err)
	}
	if after := changes(t, "/var/cache/apt", "/var/lib/apt"); after != before {
		t.Errorf("apt's files were\n%s\nand are\n%s", before, after)
	}
	in := read(t, a).Instances[0]
	got, ok := in.Package.Get()
	if !ok {
		t.Fatalf("the package is %s: %+v", in.Package.State(), in.Package.Gap())
	}
	for field, v := range map[string]int{"Installed": int(got.Installed), "Candidate": int(got.Candidate)} {
		said := ""
		for line := range strings.Lines(string(policy)) {
			if w, ok := strings.CutPrefix(strings.TrimSpace(line), field+": "); ok {
				said = w
			}
		}
		if want := fmt.Sprintf("%d.%d-", v/10000, v%10000); !strings.HasPrefix(said, want) {
			t.Errorf("%s: %q, and read was %s", field, said, want)
		}
	}
	if got.Name != name || got.Manager != host.Apt || got.Lists <= 0 {
		t.Errorf("%+v", got)
	}
}

// stoppedCluster makes what a stopped instance is known by: no server has run in it.
func stoppedCluster(t *testing.T, major, program string) string {
	t.Helper()
	dir := cell.Folder(t)
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"PG_VERSION": major + "\n", "postgresql.conf": "",
		"postmaster.opts": fmt.Sprintf("%s \"-D\" \"%s\"\n", program, data)} {
		if err := os.WriteFile(filepath.Join(data, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Lchown(filepath.Join(data, file), trust.Nobody, trust.Nobody); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Lchown(data, trust.Nobody, trust.Nobody); err != nil {
		t.Fatal(err)
	}
	return data
}

// changes lists the files below directories with their sizes and times.
func changes(t *testing.T, dirs ...string) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			in, err := d.Info()
			if err == nil {
				fmt.Fprintln(&b, at, in.Size(), in.ModTime().UnixNano())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}
