package monitor

import (
	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	hostmemory "github.com/pgfettle/pgfettle/internal/judge/memory"
)

// addOthers adds what plans count as the memory of other programs: their peak of a week is what a plan depends on.
func addOthers(p *sample.Points, s *snapshot.Snapshot) {
	if held, ok := hostmemory.OthersSeen(s); ok {
		p.Add("other_programs_bytes", "", float64(held))
	}
}
