package pgsetting

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// TestVerifyOfAStoppedServer: no setting is wrong for not being in force.
func TestVerifyOfAStoppedServer(t *testing.T) {
	dir := t.TempDir()
	if os.Geteuid() == 0 { // as which no server runs
		if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chown(dir, 4242, 4242)); err != nil {
			t.Fatal(err)
		}
	}
	k := Kind{Server: &pgctl.Server{Target: &target.Local{}}}
	bad, err := k.Verify(t.Context(), stoppedAt(dir), []plan.Change{{Address: "pg:work_mem", To: "8MB"}})
	if err != nil || len(bad) > 0 {
		t.Errorf("%v, %v", bad, err)
	}
}
