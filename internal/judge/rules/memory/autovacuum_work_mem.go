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
	Title:   "Memory per autovacuum worker",
	Why: "With -1, each worker can use maintenance_work_mem, and autovacuum_max_workers of them do so at the same " +
		"time in the background. With a separate value, maintenance_work_mem can be large for a single index build.",
	Formula: "1/20 of the instance's share of memory ÷ autovacuum_max_workers. At most 1 GB up to 16, the most " +
		"that VACUUM can use there. At most 256 MB since 17, which needs 1/20 of the memory for the same dead rows. " +
		"Not above maintenance_work_mem.",
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
		reason := []say.Message{say.M("1/20 of {memory} ÷ {workers}", "memory", base, "workers",
			say.N(workers, "{n} worker", "{n} workers"))}
		if most := sizing.AutovacuumUseful(version.Major()); want > most {
			want = most
			reason = append(reason, say.M("capped at {most}, the most that VACUUM on {major} benefits from",
				"most",
				most, "major", version.Major()))
		}
		if m, ok := c.Bytes(knob.PG("maintenance_work_mem")); ok && want > m {
			want = m
			reason = append(reason, say.M("capped at maintenance_work_mem"))
		}
		c.SetAs(want, say.All(", ", reason...))
	},
}
