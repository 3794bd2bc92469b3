package servers

import (
	"os"
	"testing"

	"github.com/pgfettle/pgfettle/test/cell"
)

func TestMain(m *testing.M) {
	cell.InMemory()
	os.Exit(cell.Main(m))
}
