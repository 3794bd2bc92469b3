package pgctl

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// TestReloadOfAStoppedServer: no process can load the settings, which is reported and is no error.
func TestReloadOfAStoppedServer(t *testing.T) {
	dir := t.TempDir()
	if os.Geteuid() == 0 { // as which no server runs
		if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chown(dir, 4242, 4242)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"PG_VERSION": "17\n", "postgresql.conf": "work_mem = 8MB\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	p := &Server{Target: &target.Local{}, Tell: func(s string) { told = append(told, s) }}
	in := stopped(dir)
	if err := p.Activate(context.Background(), in, knob.Reload); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !strings.Contains(told[0], dir) || !strings.Contains(told[0], "from its next start") {
		t.Errorf("told: %q", told)
	}
}
