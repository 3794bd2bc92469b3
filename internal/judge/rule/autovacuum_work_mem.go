package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

const (
	// autovacuumMost is what VACUUM can use up to 16: it keeps six bytes for each
	// dead row in one allocation of at most 1 GB.
	autovacuumMost = unit.GB
	// autovacuumMost17: since 17 the dead rows are kept in a radix tree that
	// takes about a twentieth, so 256 MB hold more than 1 GB did.
	autovacuumMost17 = 256 * unit.MB
	// autovacuumLeast is the smallest value that 13 to 16 accept.
	autovacuumLeast = unit.MB
	// autovacuumPart of the memory is for all workers together.
	autovacuumPart = 20
)

// autovacuumUseful returns the most that VACUUM can use.
func autovacuumUseful(major int) unit.Bytes {
	if major >= 17 {
		return autovacuumMost17
	}
	return autovacuumMost
}

var autovacuumWorkMem = Rule{
	Address: knob.PG("autovacuum_work_mem"),
	Title:   "the memory of one autovacuum worker",
	Why: "With -1 each worker may take maintenance_work_mem, and autovacuum_max_workers of them do so at once, in the background and unasked. " +
		"With a value of its own maintenance_work_mem can be large for the one index build that needs it.",
	Formula: "A twentieth of the instance's part of the memory, divided by autovacuum_max_workers; at most 1 GB up to 16, which is all that VACUUM can use there, and 256 MB from 17 on, " +
		"which needs a twentieth of the memory for the same dead rows; not above maintenance_work_mem.",
	Sources:   []string{"pg-config-resource", "pg-config-autovacuum", "pg-release-notes"},
	Needs:     []knob.Address{knob.PG("autovacuum_max_workers"), knob.PG("maintenance_work_mem")},
	Tolerance: 0.25,
	Decide: func(c *Case) {
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
		base := c.sizeBase(b)
		want := max(roundDown(base/autovacuumPart/unit.Bytes(workers), 8, unit.MB), autovacuumLeast)
		most, text := autovacuumUseful(version.Major()), "a twentieth of {memory}, shared by {workers}"
		pairs := []any{"memory", base, "workers", count{workers, "worker"}}
		if want > most {
			want = most
			text += ", but no more than {most}, beyond which VACUUM gains nothing on {major}"
			pairs = append(pairs, "most", most, "major", version.Major())
		}
		if m, ok := c.Bytes(knob.PG("maintenance_work_mem")); ok && want > m {
			want = m
			text += ", and no more than maintenance_work_mem"
		}
		c.Set(want, text, pairs...)
	},
}
