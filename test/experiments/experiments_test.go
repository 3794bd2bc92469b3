// Package experiments is the part of the tier servers that measures: probes, workloads, experiments that are killed and
// resumed. It is a separate package because packages are tested in parallel, and these tests mostly wait.
package experiments

import (
	"os"
	"testing"

	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/live"
)

func TestMain(m *testing.M) { os.Exit(cell.Main(m)) }

// The servers, as package live gives them.
var (
	each, on                = live.Each, live.On
	start, evidenceOf, read = live.Start, live.EvidenceOf, live.Read
	wantProblem             = live.WantProblem
	ask, lines              = live.Ask, live.Lines
)
