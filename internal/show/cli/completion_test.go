package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func run(t *testing.T, args ...string) (out, talk string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = Main(context.Background(), args, strings.NewReader(""), &o, &e, nil)
	return o.String(), e.String(), code
}

func TestCompletionKnowsTheWords(t *testing.T) {
	for line, want := range map[string]string{
		"plan --profile ":        "oltp",
		"plan --storage ":        "nvme",
		"plan --format a":        "alter-system",
		"plan --format p":        "patroni",
		"apply --max-effect ":    "restart",
		"apply --accept-risk ":   "sysctl:vm.overcommit_memory",
		"apply --profile ":       "1c",
		"undo --max-effect ":     "reload",
		"journal show --format ": "json",
		"status --format ":       "json",
		"move-wal --same":        "--same-filesystem",
		"tablespace ":            "create",
		"check --fail-on ":       "critical",
		"check --format ":        "json",
		"prove --experiment ":    "fsync-off",
		"prove --metric ":        "latency_p99_ms",
		"prove --design ":        "slices",
		"prove --b ":             "plan:oltp",
		"bench --cache ":         "os-warm",
		"bench --conf ":          "current",
	} {
		out, _, code := run(t, append([]string{cobra.ShellCompNoDescRequestCmd}, strings.Split(line, " ")...)...)
		if code != 0 || !strings.Contains("\n"+out, "\n"+want+"\n") {
			t.Errorf("%q completes to %q, want %q among it", line, out, want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out, _, code := run(t, "completion", shell); code != 0 || !strings.Contains(out, "pgfettle") {
			t.Errorf("completion %s: exit code %d, %d bytes", shell, code, len(out))
		}
	}
}

// TestEveryCommandTellsEnough verifies that each command has a long text, examples that begin with the program's name,
// and the exit codes in its help.
func TestEveryCommandTellsEnough(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" || c.Long == "" {
			t.Errorf("%s has no text", c.CommandPath())
		}
		if !strings.HasPrefix(c.CommandPath(), "pgfettle completion ") && !strings.Contains(c.Example, "  pgfettle") {
			t.Errorf("%s has no example", c.CommandPath())
		}
		if !strings.Contains(c.UsageString(), exitTable(nil)) {
			t.Errorf("the help of %s has no exit codes", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&Env{}))
}

func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	if _, talk, code := run(t, "man", dir); code != 0 {
		t.Fatal(talk)
	}
	b, err := os.ReadFile(filepath.Join(dir, "pgfettle-plan.1"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for _, want := range []string{".TH PGFETTLE\\-PLAN 1", ".SH OPTIONS", `.B \-\-profile NAME`, ".SH EXIT STATUS",
		`pgfettle plan \-\-out`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of plan has no %q", want)
		}
	}
	for _, name := range []string{"pgfettle.1", "pgfettle-check.1", "pgfettle-completion-bash.1"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, _, code := run(t, "man"); code != exitUsage {
		t.Errorf("man without a folder: exit code %d", code)
	}
}
