package monitor

import (
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	hostmemory "github.com/pgfettle/pgfettle/internal/judge/memory"
)

// others adds what plans count as the memory of other programs: their peak of a
// week is what a plan rests on.
func (p *points) others(s *snapshot.Snapshot) {
	if held, ok := hostmemory.OthersSeen(s); ok {
		p.add("other_programs_bytes", "", float64(held))
	}
}
