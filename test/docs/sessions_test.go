package docs

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/show/cli"
	"github.com/pgfettle/pgfettle/test/sessions"
)

// documents are those whose sessions are run here. Those of docs/tutorials that need a server
// are run in test/servers.
var documents = []string{"README.md", "CONTRIBUTING.md", "docs/conf.md", "docs/policy.md",
	"docs/tutorials/restarted-at-night.md", "docs/tutorials/is-this-change-worth-it.md"}

// TestSessionsRun runs every session of the documents and compares its output; with -update it rewrites what a session
// shows, and omits what that omits.
func TestSessionsRun(t *testing.T) {
	texts := map[string][]byte{}
	for _, doc := range documents {
		b, err := os.ReadFile(filepath.Join(root, doc))
		if err != nil {
			t.Fatal(err)
		}
		texts[doc] = b
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	// The logs and results that they name: real ones.
	folder := t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "testdata"), os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{
		"kern.log":       "internal/fact/kernlog/testdata/k618_memcg_v1_backend.log",
		"postgresql.log": "internal/judge/diagnose/oom/testdata/pg15_log_backend_sigkill.log",
		"work-mem.json":  "docs/benchmarks/exercise,work-mem.json",
	} {
		b, err := os.ReadFile(filepath.Join(root, from))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	for _, doc := range documents {
		text, ran := sessions.Run(t, doc, string(texts[doc]), *update, func(args []string) string {
			var out, errs bytes.Buffer
			cli.Main(context.Background(), args, strings.NewReader(""), &out, &errs, nil)
			return out.String() + errs.String()
		})
		if ran == 0 {
			t.Errorf("no session was found in %s: the test looks in the wrong place", doc)
		}
		if text != string(texts[doc]) {
			if err := os.WriteFile(filepath.Join(here, root, doc), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
