package memory

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// maintenanceKept is the part of the memory up to which a larger value stays that
// somebody has chosen: as much as shared_buffers has, which leaves half to the rest.
const maintenanceKept = 4

var MaintenanceWorkMem = rule.Rule{
	Address: knob.PG("maintenance_work_mem"),
	Title:   "the memory of one CREATE INDEX, VACUUM or the like",
	Why: "Index builds sort in it, and VACUUM remembers dead rows in it: too little, and it walks through every " +
		"index several times. Every session that runs such a command has its own, and autovacuum workers too where " +
		"autovacuum_work_mem is -1.",
	Formula: "A sixteenth of the instance's part of the memory, at most 2 GB; dw an eighth, at most 4 GB. A larger " +
		"present value that somebody has chosen stays " +
		"while it is within a quarter of that part, together with those of autovacuum's workers where " +
		"autovacuum_work_mem is pinned to -1; else they get one of their own.",
	Sources:   []string{"pg-config-resource", "dalibo-j1"},
	Tolerance: sizing.MaintenanceNear,
	Decide: func(c *rule.Case) {
		b, ok := c.Basis()
		if !ok {
			return
		}
		part, most, words := sizing.MaintenanceShare(c)
		base := sizing.SizeBase(c, b)
		want := max(sizing.RoundDown(base/part, 8, unit.MB), sizing.MaintenanceLeast)
		if keepMaintenance(c, min(want, most), base) {
			return
		}
		if want > most {
			c.Set(most,
				"{part} of {memory} would be {nominal}; more than {most} serves few index builds, those of "+
					"pgvector's HNSW above all", "part", words, "memory", base, "nominal", base/part, "most", most)
			return
		}
		c.Set(want, "{part} of {memory}", "part", words, "memory", base)
	},
}

// keepMaintenance keeps a value above the wanted one that somebody has chosen,
// where those who may hold it at once stay within a quarter of the memory.
func keepMaintenance(c *rule.Case, want, base unit.Bytes) bool {
	present, ok := c.Bytes(knob.PG("maintenance_work_mem"))
	if !ok || !c.Chosen() || present <= sizing.WithTolerance(want, sizing.MaintenanceNear) {
		return false
	}
	holders := 1 // as a plan gives the workers autovacuum_work_mem
	if c.Options.Pins["pg:autovacuum_work_mem"] == "-1" {
		workers, _ := c.Int(knob.PG("autovacuum_max_workers"))
		holders += workers
	}
	if present > base/maintenanceKept/unit.Bytes(holders) {
		return false
	}
	text := say.Template("{present} stays within a quarter of {memory}: large index builds use it, those of " +
		"pgvector's HNSW above all")
	extensions, _ := c.Instance.Server.Extensions.Get()
	if slices.ContainsFunc(extensions, func(e pg.Extension) bool { return e.Name == "vector" }) {
		text = "{present} stays within a quarter of {memory}: vector is installed, and its HNSW indexes are built " +
			"much faster where the graph fits into it"
	}
	c.Keep(text, "present", present, "memory", base)
	return true
}
