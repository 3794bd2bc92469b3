package servers

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/show/cli"
)

// TestApplyToAStoppedServer: its settings are written, tested with its programs, and take effect at the next start;
// that is reported, and is no error. The same for undo, after which every file is as it was.
func TestApplyToAStoppedServer(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"work_mem": "5MB"})
		stop := func() {
			t.Helper()
			if err := i.Stop(); err != nil {
				t.Fatal(err)
			}
		}
		stop()
		conf := func() string {
			var all strings.Builder
			for _, name := range []string{"postgresql.conf", "postgresql.auto.conf"} {
				text, err := os.ReadFile(filepath.Join(i.DataDir, name))
				if err != nil {
					t.Fatal(err)
				}
				all.Write(text)
			}
			return all.String()
		}
		before, journals := conf(), filepath.Join(t.TempDir(), "journal")
		run := func(args ...string) (out, said string) {
			t.Helper()
			var o, e bytes.Buffer
			if code := cli.Main(t.Context(), args, strings.NewReader(""), &o, &e, nil); code != 0 {
				t.Fatalf("%v: exit code %d\n%s%s", args, code, o.String(), e.String())
			}
			return o.String(), e.String()
		}
		note := "the server of " + i.DataDir + " does not run: its settings hold from its next start"
		out, said := run("apply", "--yes", "--pin", "pg:work_mem=7MB", "--only", "pg:work_mem", "--journal",
			journals, i.DataDir)
		if !strings.Contains(said, note) || !strings.Contains(out, "applied; 1 applied") {
			t.Errorf("%s%s", out, said)
		}
		if conf() == before {
			t.Fatal("nothing was written")
		}
		if mem, _ := run("diagnose", "memory", i.DataDir); !strings.Contains(mem,
			i.DataDir+", PostgreSQL "+strconv.Itoa(b.Version.Major())+"\n") {
			t.Errorf("version of a stopped server:\n%s", mem)
		}
		if err := i.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := settingsOf(t, read(t, evidenceOf(t, i, false)))["work_mem"].Show(); got != "7MB" {
			t.Errorf("work_mem is %s after the start", got)
		}
		stop()
		if _, said := run("undo", "--yes", "--journal", journals); !strings.Contains(said, note) {
			t.Errorf("undo: %s", said)
		}
		if conf() != before {
			t.Errorf("undone:\n%s\nbefore:\n%s", conf(), before)
		}
	})
}
