package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var AutovacuumWorkMem = rule.Rule{
	Address: knob.PG("autovacuum_work_mem"),
	Title:   "the memory of one autovacuum worker",
	Why: "With -1 each worker may take maintenance_work_mem, and autovacuum_max_workers of them do so at once, in " +
		"the background and unasked. " +
		"With a value of its own maintenance_work_mem can be large for the one index build that needs it.",
	Formula: "A twentieth of the instance's part of the memory, divided by autovacuum_max_workers; at most 1 GB up " +
		"to 16, which is all that VACUUM can use there, and 256 MB from 17 on, " +
		"which needs a twentieth of the memory for the same dead rows; not above maintenance_work_mem.",
	Sources:   []string{"pg-config-resource", "pg-config-autovacuum", "pg-release-notes"},
	Needs:     []knob.Address{knob.PG("autovacuum_max_workers"), knob.PG("maintenance_work_mem")},
	Tolerance: 0.25,
	Decide: func(c *rule.Case) {
		b, ok := c.Basis()
		if !ok {
			return
		}
		version, ok := c.Instance.Server.Version.Get()
		if !ok {
			return
		}
		workers, ok := c.Int(knob.PG("autovacuum_max_workers"))
		if !ok || workers < 1 {
			return
		}
		base := sizing.SizeBase(c, b)
		want := max(sizing.RoundDown(base/sizing.AutovacuumPart/unit.Bytes(workers), 8, unit.MB),
			sizing.AutovacuumLeast)
		reason := []say.Message{say.M("a twentieth of {memory}, shared by {workers}", "memory", base, "workers",
			say.N(workers, "{n} worker", "{n} workers"))}
		if most := sizing.AutovacuumUseful(version.Major()); want > most {
			want = most
			reason = append(reason, say.M("but no more than {most}, beyond which VACUUM gains nothing on {major}",
				"most",
				most, "major", version.Major()))
		}
		if m, ok := c.Bytes(knob.PG("maintenance_work_mem")); ok && want > m {
			want = m
			reason = append(reason, say.M("and no more than maintenance_work_mem"))
		}
		c.SetAs(want, say.All(", ", reason...))
	},
}
