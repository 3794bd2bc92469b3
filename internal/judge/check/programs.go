package check

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// OtherPrograms returns the programs that run beside the servers. From within a
// container those of the host are not seen, which is noted.
func (c *Case) OtherPrograms() ([]host.Program, bool) {
	if v, ok := c.Snapshot.Host.Virt.Get(); ok && v.Container != "" {
		c.Missing(known.Gap{Fact: "programs of the host",
			Reason: "from within a container only its own processes are seen", Reveal: "run pgfettle on the host"})
	}
	return Need(c, c.Snapshot.Host.Programs)
}
