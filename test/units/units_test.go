// Package units holds the tests of the unit files that are packaged.
package units

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/test/tier"
)

func units(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../../packaging/*.service")
	if err != nil || len(list) == 0 {
		t.Fatalf("no unit files: %v", err)
	}
	return list
}

// TestUnitsVerify: systemd takes each unit file, with a program that is there in place of the installed one.
func TestUnitsVerify(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		tier.Missing(t, tier.System, "systemd-analyze is missing: install systemd")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range units(t) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), "/usr/bin/pgfettle") {
			t.Errorf("%s starts another program", name)
		}
		at := filepath.Join(t.TempDir(), filepath.Base(name))
		if err := os.WriteFile(at, []byte(strings.ReplaceAll(string(b), "/usr/bin/pgfettle", self)),
			0o644); err != nil {
			t.Fatal(err)
		}
		// Its pages are examined by the tests of the packages.
		if out, err := exec.Command("systemd-analyze", "verify", "--man=no", at).CombinedOutput(); err != nil ||
			len(out) > 0 {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

// TestWatchUnitIsBounded: its bounds are above what was measured, and its history is
// its own.
func TestWatchUnitIsBounded(t *testing.T) {
	b, err := os.ReadFile("../../packaging/pgfettle-watch.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Type=notify", "StateDirectory=pgfettle-watch", "StateDirectoryMode=0700",
		"MemoryMax=256M", "CPUQuota=25%",
		"RestrictSUIDSGID=yes", "SystemCallErrorNumber=EPERM"} {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(want) + `$`).Match(b) {
			t.Errorf("there is no %s", want)
		}
	}
}
