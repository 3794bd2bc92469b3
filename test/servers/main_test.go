package servers

import (
	"os"
	"testing"

	"github.com/pgfettle/pgfettle/test/cell"
)

// TestMain has the servers made in PGFETTLE_TEST_TMPDIR, where that is set: see tools/tmpdir.sh.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PGFETTLE_TEST_TMPDIR"); dir != "" {
		if err := os.Setenv("TMPDIR", dir); err != nil {
			panic(err)
		}
	}
	os.Exit(cell.Main(m))
}
