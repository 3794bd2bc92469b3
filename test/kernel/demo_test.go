package kernel

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/test/cell"
)

// TestDemo: on a machine that may be touched the demo applies the kernel's part
// too, the server runs on huge pages, and nothing of it is left.
func TestDemo(t *testing.T) {
	unchanged(t)
	roomy(t)
	c := cell.New(t, "kernel")
	before, files := values(t), c.Files("/etc", "/var/lib/pgfettle")
	c.Sh(`mkdir -m 1777 "$0"`, c.Dir+"/temp")
	r := c.Exec(nil, []string{"PGFETTLE_TEST_KERNEL=disposable", "TMPDIR=" + c.Dir + "/temp"}, cell.Binary(t), "demo")
	if r.Code != 0 {
		t.Fatal(r)
	}
	for _, want := range []string{
		`(?m)^Journal \S+: applied; \d+ applied$`,
		`(?m)^The shared memory of the server uses huge pages: \d{3,}, all of it\.$`,
		`(?m)^resolved notice: shared_buffers is still at its default`,
		`(?m)^Journal \S+: undone; \d+ undone$`,
		`(?m)postgresql\.auto\.conf is restored, byte for byte\.$`,
	} {
		if !regexp.MustCompile(want).MatchString(r.Stdout) {
			t.Errorf("nothing of %s: %s", want, r)
		}
	}
	for _, want := range []string{"  sysctl:vm.nr_hugepages: 0 → ", "  sysctl:vm.nr_hugepages: back to 0"} {
		if !strings.Contains(r.Stderr, want) {
			t.Errorf("nothing of %q: %s", want, r)
		}
	}
	if diff := cmp.Diff(before, values(t)); diff != "" {
		t.Errorf("values after it:\n%s", diff)
	}
	if diff := cmp.Diff(files, c.Files("/etc", "/var/lib/pgfettle")); diff != "" {
		t.Errorf("files after it:\n%s", diff)
	}
	if left := cell.Files(t, c.Dir+"/temp"); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if m := meminfo(t); m["HugePages_Total"] != 0 {
		t.Errorf("pages are left behind: %v", m)
	}
}

// roomy gives a test that asks for the huge pages of a whole host the memory for them: what other tests left in the
// page cache may lie so that the kernel finds no large blocks between.
func roomy(t *testing.T) {
	t.Helper()
	for _, w := range [][2]string{{"/proc/sys/vm/drop_caches", "3"}, {"/proc/sys/vm/compact_memory", "1"}} {
		if err := os.WriteFile(w[0], []byte(w[1]), 0); err != nil {
			t.Fatal(err)
		}
	}
}
