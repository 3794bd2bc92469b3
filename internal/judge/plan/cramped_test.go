package plan_test

import (
	"fmt"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// TestMonotoneWhereCramped sweeps the memory of hosts that have less of it than their connections and CPUs ask for.
// There shared_buffers is what the rest leaves, so that any step in the rest shows: of maintenance_work_mem, of
// autovacuum_work_mem, of a worker for each 512 MB, of a default that is close enough to stay. Two random hosts, as in
// TestMonotone, hardly ever are on both sides of a step and so close to it.
func TestMonotoneWhereCramped(t *testing.T) {
	const (
		from, to = 300, 3072 // MB
		// So little memory more that its own share of shared_buffers does not hide
		// a step of 6 MB.
		stride = 8
		// Each profile and version sweeps a part of the range, from where the one
		// before ended: together they cover it twice.
		window = 168
	)
	next := 0
	for _, profile := range rule.Profiles {
		for _, major := range params.Majors() {
			first := from + next
			next = (next + window) % (to - from)
			t.Run(fmt.Sprintf("%s %d", profile, major), func(t *testing.T) {
				t.Parallel()
				best, at := int64(0), 0
				for mb := first; mb <= first+window; mb += stride {
					h := host{
						spec: snapshot.Description{RAM: unit.Bytes(mb) * unit.MB, CPUs: 64, Sockets: 1, Kernel: "6.1.0",
							Major: major, THP: "always"},
						opt: rule.Options{Profile: profile, Connections: 100, Pins: map[knob.Address]string{}},
					}
					s := h.snapshot(t)
					got := value(t, plan.Simulate(s, mustPlan(t, s, h.opt)), "shared_buffers")
					if got < best {
						t.Errorf("shared_buffers is %d MB with %d MB of memory and %d MB with %d MB", best/128, at,
							got/128, mb)
					}
					if got > best {
						best, at = got, mb
					}
				}
			})
		}
	}
}
