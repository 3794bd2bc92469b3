// Package creating holds 'pgfettle create' to its promises with real servers: of every major version and profile, in
// directories, filesystems and networks of each test's own.
package creating

import (
	"os"
	"testing"

	"github.com/pgfettle/pgfettle/test/cell"
)

func TestMain(m *testing.M) {
	cell.InMemory()
	os.Exit(cell.Main(m))
}
