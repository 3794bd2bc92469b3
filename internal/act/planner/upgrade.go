package planner

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// Answer is the program of a server that is not there yet: how much shared memory it would want. nil: there is none to
// ask.
type Answer func(context.Context, *snapshot.Instance, snapshot.ShmemQuestion) (snapshot.ShmemAnswer, error)

// On makes a plan on a snapshot that no evidence holds, such as that of the new cluster of an upgrade. Answers join the
// snapshot. A question that could not be answered stays open: the estimate stands, and the plan says that it is one.
func On(ctx context.Context, s *snapshot.Snapshot, answer Answer, o rule.Options) (*plan.Plan, error) {
	asked := map[string]bool{}
	for range rounds {
		p, err := plan.Make(s, rules.All(), o)
		if err != nil {
			return nil, err
		}
		answered := false
		for _, q := range p.Questions {
			id, err := json.Marshal(q)
			in := s.Instance(q.Instance)
			if answer == nil || err != nil || in == nil || asked[string(id)] {
				continue
			}
			asked[string(id)] = true
			if a, err := answer(ctx, in, q); err == nil {
				in.Answers = append(in.Answers, a)
				answered = true
			}
		}
		if !answered {
			return p, ctx.Err()
		}
	}
	return nil, say.Err("plan: it does not settle after {n} rounds of questions", "n", strconv.Itoa(rounds))
}
