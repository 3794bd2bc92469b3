package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

const (
	// maintenanceMost is where the profile's maintenance_work_mem ends: an index
	// build that sorts more than that goes to disk in few runs anyway, and
	// VACUUM could not use more than 1 GB up to 16.
	maintenanceMost = 2 * unit.GB
	// maintenanceMostDW: in a warehouse index builds of large tables are the daily load.
	maintenanceMostDW = 4 * unit.GB
	// maintenanceLeast is the smallest value that 13 to 16 accept.
	maintenanceLeast = unit.MB
	// maintenanceNear is how far it may be from the wanted value and be as good.
	maintenanceNear = 0.25
)

var maintenanceWorkMem = Rule{
	Address: knob.PG("maintenance_work_mem"),
	Title:   "the memory of one CREATE INDEX, VACUUM or the like",
	Why: "Index builds sort in it, and VACUUM remembers dead rows in it: too little, and it walks through every index several times. " +
		"Every session that runs such a command has its own, and autovacuum workers too where autovacuum_work_mem is -1.",
	Formula:   "A sixteenth of the instance's part of the memory, at most 2 GB; dw an eighth, at most 4 GB.",
	Sources:   []string{"pg-config-resource", "dalibo-j1"},
	Tolerance: maintenanceNear,
	Decide: func(c *Case) {
		b, ok := c.Basis()
		if !ok {
			return
		}
		part, most, words := c.maintenanceShare()
		base := c.sizeBase(b)
		want := max(roundDown(base/part, 8, unit.MB), maintenanceLeast)
		if want > most {
			c.Set(most, "{part} of {memory} would be {nominal}; beyond {most} it gains nothing", "part", words, "memory", base, "nominal", base/part, "most", most)
			return
		}
		c.Set(want, "{part} of {memory}", "part", words, "memory", base)
	},
}

// maintenanceShare returns the part of the memory, as its divisor and in words,
// and where it ends.
func (c *Case) maintenanceShare() (part, most unit.Bytes, words string) {
	if c.Options.Profile == DW {
		return 8, maintenanceMostDW, "an eighth"
	}
	return 16, maintenanceMost, "a sixteenth"
}
