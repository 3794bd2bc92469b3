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

// maintenanceKept is the part of the memory up to which a larger chosen value is kept: as much as shared_buffers has,
// which leaves half to the rest.
const maintenanceKept = 4

var MaintenanceWorkMem = rule.Rule{
	Address: knob.PG("maintenance_work_mem"),
	Title:   "Memory for CREATE INDEX, VACUUM and other maintenance",
	Why: "Index builds sort in it, and VACUUM stores dead row IDs in it. If it is too small, VACUUM scans every " +
		"index several times. Each session that runs such a command uses its own, and so does each autovacuum worker " +
		"if autovacuum_work_mem is -1.",
	Formula: "1/16 of the instance's share of memory, at most 2 GB; dw: 1/8, at most 4 GB. A higher value that was " +
		"set explicitly stays while it is at most 1/4 of that share. If autovacuum_work_mem is pinned to -1, the " +
		"autovacuum workers count too; otherwise they get a separate value.",
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
				"{part} of {memory} = {nominal}, capped at {most}: only few index builds benefit from more, mainly "+
					"HNSW of pgvector", "part", words, "memory", base, "nominal", base/part, "most", most)
			return
		}
		c.Set(want, "{part} of {memory}", "part", words, "memory", base)
	},
}

// keepMaintenance keeps a value above the wanted one that was chosen, if those that can hold it at once stay within a
// quarter of the memory.
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
	text := say.Template("{present} stays: at most 1/4 of {memory}; large index builds use it, mainly HNSW of pgvector")
	extensions, _ := c.Instance.Server.Extensions.Get()
	if slices.ContainsFunc(extensions, func(e pg.Extension) bool { return e.Name == "vector" }) {
		text = "{present} stays: at most 1/4 of {memory}; the extension vector is installed, and HNSW builds are " +
			"much faster if the graph fits"
	}
	c.Keep(text, "present", present, "memory", base)
	return true
}
