package tier

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLacking stands in for the test of another package; run alone by TestMissing.
func TestLacking(t *testing.T) {
	if os.Getenv("TIER_TEST") == "" {
		return
	}
	Missing(t, Rights, "there is no %s", "moon")
}

// TestMissing: a test that lacks something skips, and fails where its tier is
// required, however many others are; both name what is missing.
func TestMissing(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string]string{
		"": "--- SKIP", "servers,kernel": "--- SKIP", "right": "--- SKIP",
		"rights": "--- FAIL", "servers, rights,kernel": "--- FAIL",
	} {
		cmd := exec.Command(exe, "-test.run=^TestLacking$", "-test.v")
		cmd.Env = append(os.Environ(), "TIER_TEST=1", "PGFETTLE_REQUIRE="+list)
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) || !strings.Contains(string(out), "there is no moon") {
			t.Errorf("PGFETTLE_REQUIRE=%q: %s", list, out)
		}
	}
}

// TestSkipsGoThroughTheGate: no test of this module skips by itself, and what CI
// runs requires every tier.
func TestSkipsGoThroughTheGate(t *testing.T) {
	skip := regexp.MustCompile(`\.Skip(f|Now)?\(`)
	seen := 0
	err := filepath.WalkDir("../..", func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") ||
			strings.HasPrefix(filepath.ToSlash(p), "../../test/tier/") {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		seen++
		if strings.HasSuffix(p, "_test.go") || strings.Contains(string(text), "testing.T") {
			for i, line := range strings.Split(string(text), "\n") {
				if skip.MatchString(line) {
					t.Errorf("%s:%d: %s: a test skips through tier.Missing", p, i+1, strings.TrimSpace(line))
				}
			}
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Fatalf("%d files: %v", seen, err)
	}
	ci, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	required := fmt.Sprint(regexp.MustCompile(`PGFETTLE_REQUIRE=\S+`).FindAllString(string(ci), -1))
	for _, tier := range []string{Servers, Kernel, Rights, Promtool, Packages} {
		if !regexp.MustCompile(`[=,]` + tier + `\b`).MatchString(required) {
			t.Errorf(".ci/run does not require the tier %s", tier)
		}
	}
}
