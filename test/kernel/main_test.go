package kernel

import (
	"os"
	"testing"

	"github.com/pgfettle/pgfettle/test/cell"
)

func TestMain(m *testing.M) { os.Exit(cell.Main(m)) }
