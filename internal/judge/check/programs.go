package check

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// OtherPrograms returns the programs other than the servers. In a container, those of
// the host are not visible, which is noted.
func (c *Case) OtherPrograms() ([]host.Program, bool) {
	if v, ok := c.Snapshot.Host.Virt.Get(); ok && v.Container != "" {
		c.Missing(known.Gap{Fact: "programs of the host",
			Reason: "a container shows only its own processes", Reveal: "run pgfettle on the host"})
	}
	return Need(c, c.Snapshot.Host.Programs)
}
