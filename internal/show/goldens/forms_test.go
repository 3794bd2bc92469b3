package goldens

import (
	"os/exec"
	"strings"
	"testing"
)

// shellReads verifies that a POSIX shell takes a text for a script.
func shellReads(t *testing.T, text string) {
	t.Helper()
	cmd := exec.Command("sh", "-n")
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(text, "…", "_"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("sh -n: %v: %s", err, out)
	}
}
