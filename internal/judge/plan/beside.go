package plan

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// besideWarning warns that the neighbors may take more than what was kept for them: the sizes leave an equal part to
// each instance then, as those of a plan for all of them would, and only theirs can bring the sum within the memory.
func besideWarning(b Budget, out *rule.Outcome, s *snapshot.Snapshot, o *rule.Options) []say.Message {
	base, ok := out.Basis(s, o)
	if !ok || len(b.Neighbours) == 0 {
		return nil
	}
	if take := out.NeighboursTake(s, base); take > base.Beside {
		return []say.Message{say.M("The other instances of this host can use {take} with their settings, but an "+
			"equal share for each instance remains only if they use at most {kept}. With all connections active, "+
			"memory is insufficient, whatever this plan changes. Plan all instances together: run plan without TARGET.",
			"take", take, "kept", base.Beside)}
	}
	return nil
}
