package cli

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// acceptRisk is the flag without which no high-risk change is made, by apply or by a
// format of the plan that another program applies; acceptAll is its word for all.
const (
	acceptRisk = "accept-risk"
	acceptAll  = "all"
)

func saysAll(list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.TrimSpace(s) == acceptAll })
}

// whichOf reads the names of changes that a flag was given.
func whichOf(flag string, list []string) ([]selection.Which, error) {
	var out []selection.Which
	for _, text := range list {
		text = strings.TrimSpace(text)
		if flag == acceptRisk && text == acceptAll {
			continue
		}
		w, err := selection.ParseWhich(text)
		if err != nil {
			return nil, say.Usage(say.M("--{flag}: {error}", "flag", flag, "error", err), say.DidYouMean(text,
				ruleAddresses(),
				say.M("Use an address from the plan, such as sysctl:vm.swappiness or pg:work_mem.")))
		}
		out = append(out, w)
	}
	return out, nil
}

// accepted returns the changes of high risk that a form of the plan may hold.
func (o *planOptions) accepted(p *plan.Plan, s *snapshot.Snapshot) ([]selection.Which, error) {
	list, err := whichOf(acceptRisk, o.accept)
	if err != nil {
		return nil, err
	}
	if err := (&applying.Choice{Options: selection.Options{AcceptRisk: list}, Plan: p,
		Snapshot: s}).Named(); err != nil {
		return nil, err
	}
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Risk == knob.High && saysAll(o.accept) {
			list = append(list, selection.WhichOf(c))
		}
	}
	return list, nil
}
