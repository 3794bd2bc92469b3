package kernel

import (
	"os"
	"testing"

	"github.com/pgfettle/pgfettle/test/cell"
)

// TestMain puts all servers on a disk: what lies in a tmpfs, which TMPDIR may be, is memory,
// and would count where a test bounds the memory of its servers.
func TestMain(m *testing.M) {
	if err := os.Setenv("TMPDIR", "/tmp"); err != nil {
		panic(err)
	}
	os.Exit(cell.Main(m))
}
