package sizing

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// SizedBefore are the knobs that the memory of an instance depends on and that
// are decided before its connections, shared_buffers and work_mem are.
var SizedBefore = append(SharedKnobs("shared_buffers", "max_connections", "superuser_reserved_connections",
	"reserved_connections"),
	knob.PG("max_parallel_workers"), knob.PG("io_workers"), knob.PG("io_max_workers"), knob.PG("hash_mem_multiplier"),
	knob.PG("temp_buffers"), knob.PG("maintenance_work_mem"), knob.PG("autovacuum_work_mem"))

// After returns knobs with further ones.
func After(knobs []knob.Address, more ...knob.Address) []knob.Address {
	return append(knobs[:len(knobs):len(knobs)], more...)
}

// SharedKnobs are the addresses of the settings that shape the shared memory,
// which a rule that asks for its size needs decided before.
func SharedKnobs(without ...string) []knob.Address {
	var out []knob.Address
next:
	for _, name := range memory.SharedSettings {
		for _, w := range without {
			if name == w {
				continue next
			}
		}
		out = append(out, knob.PG(name))
	}
	return out
}
