package linux

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

var _ apply.Partial = sysctl{}

// Halfway implements Partial. The pool of huge pages grows page by page and may
// end short of what was asked: a crash meanwhile leaves any number between.
func (s sysctl) Halfway(found, was, will journal.State, k apply.Knob) bool {
	if k.Address.Name() != poolName || found.Live == nil || was.Live == nil || will.Live == nil {
		return false
	}
	a, err1 := strconv.ParseInt(*was.Live, 10, 64)
	n, err2 := strconv.ParseInt(*found.Live, 10, 64)
	b, err3 := strconv.ParseInt(*will.Live, 10, 64)
	return err1 == nil && err2 == nil && err3 == nil && min(a, b) <= n && n <= max(a, b)
}
