package sizing

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

const (
	TempDefault = 8 * unit.MB
	// TempOneC is what a vendor of 1C servers ships; the 256 MB that 1C itself
	// names, in each of hundreds of sessions and kept to their end, is more
	// memory than shared_buffers.
	TempOneC = 32 * unit.MB
	// TempPart of the memory is one session's: hundreds of them work at once.
	TempPart = 512
	// tempOfAll: all connections together may fill an eighth of what shared memory,
	// sessions and maintenance leave; sorts and hashes need the rest.
	tempOfAll = 8
)

// tempEach is what one of so many connections may have of the eighth that all have
// together, before it is rounded.
func TempEach(c *rule.Case, b rule.Basis, conns int) unit.Bytes {
	part, most, _ := MaintenanceShare(c)
	base := SizeBase(c, b)
	open := unit.Bytes(max(memory.OpenOf(c.Instance, conns), 1))
	rest := b.Share() - nominalBuffers(c, b) - open*(memory.BackendBase+memory.ProcessPageTables) - min(base/part,
		most) - base/AutovacuumPart
	return max(rest, 0) / tempOfAll / open
}
