package servers

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/show/cli"
)

// TestApplyOfAnAutomaticSize: a manually fixed size becomes automatic again, and the server then shows what it computes
// and not the -1 that was set.
func TestApplyOfAnAutomaticSize(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"wal_buffers": "256kB", "shared_buffers": "16MB"})
		run := func(args ...string) string {
			t.Helper()
			var out, said bytes.Buffer
			in, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			args = append(args, "--max-effect", "restart", "--journal", filepath.Join(t.TempDir(), "journal"))
			if code := cli.Main(t.Context(), args, in, &out, &said, nil); code != 0 {
				t.Fatalf("%v: exit code %d\n%s%s", args, code, out.String(), said.String())
			}
			return out.String()
		}
		// without the pin it is planned as well: --only keeps the kernel out of it
		run("apply", "--yes", "--pin", "pg:shared_buffers=32MB,pg:huge_pages=off", "--only",
			"pg:wal_buffers,pg:shared_buffers", i.DataDir)
		live := settingsOf(t, read(t, evidenceOf(t, i, false)))
		if live["wal_buffers"].Show() != "1MB" || live["shared_buffers"].Show() != "32MB" {
			t.Errorf("wal_buffers is %s, shared_buffers %s", live["wal_buffers"].Show(), live["shared_buffers"].Show())
		}
		if out := run("apply", "--yes", "--pin", "pg:shared_buffers=32MB,pg:huge_pages=off", "--only",
			"pg:wal_buffers,pg:shared_buffers", i.DataDir); bytes.Contains([]byte(out), []byte("applied;")) {
			t.Errorf("applied again:\n%s", out)
		}
	})
}
