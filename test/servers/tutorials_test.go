package servers

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/sessions"
	"github.com/pgfettle/pgfettle/test/tier"
)

var updateTutorials = flag.Bool("update-tutorials", false, "rewrite what the sessions of docs/tutorials show")

// TestTutorials follows the tutorials that need a server, from top to bottom, on one that has just
// been made; /srv/pg/17 in them is its data directory.
func TestTutorials(t *testing.T) {
	const shown = "/srv/pg/17"
	for _, doc := range []string{"new-server.md", "into-prometheus.md", "customers-evidence.md"} {
		t.Run(strings.TrimSuffix(doc, ".md"), func(t *testing.T) {
			c := cell.New(t, tier.Servers)
			i := cell.Server(t, tier.Servers, 17, scratch.Options{})
			file := filepath.Join("../../docs/tutorials", doc)
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text, ran := sessions.Run(t, doc, string(b), *updateTutorials, func(args []string) string {
				for n, a := range args {
					args[n] = strings.ReplaceAll(a, shown, i.DataDir)
				}
				r := c.Sh(`cd "$0" && "$@" 2>&1`, append([]string{c.Dir, cell.Binary(t)}, args...)...)
				return strings.ReplaceAll(r, i.DataDir, shown)
			})
			if ran == 0 {
				t.Error("no session was found")
			}
			if text != string(b) {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
