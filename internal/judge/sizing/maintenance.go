package sizing

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

const (
	// maintenanceMost is the maximum of the profile's maintenance_work_mem: a B-tree build that sorts more than that
	// goes to disk in few runs anyway, and VACUUM could not use more than 1 GB up to 16. Only building graph indexes,
	// such as those of pgvector, needs more, and such sites set their own value.
	maintenanceMost = 2 * unit.GB
	// maintenanceMostDW: in a warehouse index builds of large tables are the daily load.
	maintenanceMostDW = 4 * unit.GB
	// MaintenanceLeast is the smallest value that 13 to 16 accept.
	MaintenanceLeast = unit.MB
	// MaintenanceNear is how far it may be from the wanted value and be as good.
	MaintenanceNear = 0.25
)

const (
	// autovacuumMost is what VACUUM can use up to 16: it keeps six bytes for each
	// dead row in one allocation of at most 1 GB.
	autovacuumMost = unit.GB
	// autovacuumMost17: since 17 the dead rows are kept in a radix tree that
	// takes about a twentieth, so 256 MB hold more than 1 GB did.
	autovacuumMost17 = 256 * unit.MB
	// AutovacuumLeast is the smallest value that 13 to 16 accept.
	AutovacuumLeast = unit.MB
	// AutovacuumPart of the memory is for all workers together.
	AutovacuumPart = 20
)

// maintenanceShare returns the part of the memory, as its divisor and in words, and its maximum.
func MaintenanceShare(c *rule.Case) (part, most unit.Bytes, words string) {
	if c.Options.Profile == rule.DW {
		return 8, maintenanceMostDW, "1/8"
	}
	return 16, maintenanceMost, "1/16"
}

// AutovacuumUseful returns the most that VACUUM can use.
func AutovacuumUseful(major int) unit.Bytes {
	if major >= 17 {
		return autovacuumMost17
	}
	return autovacuumMost
}
