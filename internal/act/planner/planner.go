// Package planner makes a plan exact: the plan, being pure, asks how much shared
// memory the planned configuration would need; the installed binary answers,
// beside the running server; and the plan is made again with the answer in the
// evidence. An evidence file keeps the answers, so the same plan comes of it.
package planner

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/serverprogram"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// rounds bounds the asking. One round is enough for a plan, as nothing that the
// answer moves is asked about; the second shows that nothing moves any more.
const rounds = 3

// Make makes a plan from the evidence. With a target the binaries on it are
// asked, and their answers are added to the evidence; with a nil target (an
// evidence file, a described host) the answers in the evidence have to do, and
// what is missing is estimated.
func Make(ctx context.Context, t target.Target, a *evidence.Archive, o rule.Options) (*plan.Plan,
	*snapshot.Snapshot, error) {
	asked := map[string]bool{}
	for range rounds {
		s, err := snapshot.Read(a)
		if err != nil {
			return nil, nil, err
		}
		p, err := plan.Make(s, rules.All(), o)
		if err != nil {
			return nil, nil, err
		}
		if t == nil || !ask(ctx, t, a, s, p.Questions, asked) {
			return p, s, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, say.Err("plan: it does not settle after {n} rounds of questions", "n", strconv.Itoa(rounds))
}

// ask puts the plan's questions to the installed binaries and reports whether an answer came. A question that could not
// be answered stays open: the estimate stands, and the plan says that it is one.
func ask(ctx context.Context, t target.Target, a *evidence.Archive, s *snapshot.Snapshot, qs []snapshot.ShmemQuestion,
	asked map[string]bool) bool {
	any := false
	for _, q := range qs {
		id, err := json.Marshal(q)
		if err != nil || asked[string(id)] {
			continue
		}
		asked[string(id)] = true
		in := s.Instance(q.Instance)
		if in == nil {
			continue
		}
		name := "pg/" + in.Key + "/shmem_answers.json"
		ans, err := serverprogram.AskSharedMemory(ctx, t, in, q)
		if err != nil {
			a.AddMissing(evidence.Missing{Name: name, State: known.Unread, Reason: err.Error(),
				Reveal: "run pgfettle as root on the host of the server"})
			continue
		}
		b, err := json.MarshalIndent(append(in.Answers, ans), "", " ")
		if err != nil {
			continue
		}
		if a.Add(name, append(b, '\n')) == nil {
			in.Answers = append(in.Answers, ans)
			any = true
		}
	}
	return any
}
